import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { defineConfig, type Plugin } from 'vite';
import { MANNEQUIN_VERTICES } from './src/page/mannequin.ts';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** The pages there are. */
function pages(...names: string[]): Record<string, string> {
  const paths = names.map((name) => [name, here(`./${name}.html`)] as const);
  return Object.fromEntries(paths.filter(([, path]) => existsSync(path)));
}

/** The Rust side. */
async function pliant() {
  const pkg = await import(here('./pkg/pliant.js'));
  pkg.initSync({ module: await readFile(here('./pkg/pliant_bg.wasm')) });
  return pkg;
}

/** The mesh that the page opens with is made here once, and not by everybody who opens it. */
function pliantMannequin(): Plugin {
  return {
    name: 'pliant-mannequin',
    async buildStart() {
      const { sampleMesh } = await pliant();
      await writeFile(here('./pkg/mannequin.mesh'), sampleMesh('mannequin', MANNEQUIN_VERTICES));
    },
  };
}

/**
 * Defaults and lists of choices are asked of the Rust side while building, so that the page knows them before
 * the WebAssembly has arrived and nobody writes them twice.
 */
function pliantOptions(): Plugin {
  const id = 'virtual:pliant-options';
  return {
    name: 'pliant-options',
    resolveId: (source) => (source === id ? `\0${id}` : null),
    async load(resolved) {
      if (resolved !== `\0${id}`) return null;
      const pkg = await pliant();
      return `export const OPTIONS = ${JSON.stringify(pkg.options())};`;
    },
  };
}

export default defineConfig({
  // Relative, so that the site works from any folder of any host.
  base: './',
  plugins: [pliantOptions(), pliantMannequin()],
  worker: { format: 'es' },
  build: {
    target: 'es2022',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      preserveEntrySignatures: 'exports-only',
      input: {
        ...pages('index', 'embed'),
        'pliant-viewer': here('./src/element/index.ts'),
      },
      output: {
        // What others link to keeps its name.
        entryFileNames: (chunk) => (chunk.name === 'pliant-viewer' ? '[name].js' : 'assets/[name]-[hash].js'),
      },
    },
  },
});

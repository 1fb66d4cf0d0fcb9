import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { defineConfig, type Plugin } from 'vite';
import { withoutEvaluation } from './src/transcoder/glue.ts';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** Entry points of those pages that exist. */
function pages(...names: string[]): Record<string, string> {
  const paths = names.map((name) => [name, here(`./${name}.html`)] as const);
  return Object.fromEntries(paths.filter(([, path]) => existsSync(path)));
}

/**
 * `virtual:pliant-options`: defaults and lists of choices. The command line writes them from the
 * Rust types (`cargo xtask build` calls `pliant site-assets`), so the page has them before any
 * WebAssembly is loaded.
 */
function pliantOptions(): Plugin {
  const id = 'virtual:pliant-options';
  return {
    name: 'pliant-options',
    resolveId: (source) => (source === id ? `\0${id}` : null),
    async load(resolved) {
      if (resolved !== `\0${id}`) return null;
      return `export const OPTIONS = ${await readFile(here('./pkg/options.json'), 'utf8')};`;
    },
  };
}

/** `licences.txt` beside the pages: the notices of software of others, with the texts they need. */
function licences(): Plugin {
  return {
    name: 'licences',
    async generateBundle() {
      const texts = ['./notices.txt', '../LICENSE-APACHE'].map((path) => readFile(here(path), 'utf8'));
      this.emitFile({ type: 'asset', fileName: 'licences.txt', source: (await Promise.all(texts)).join('') });
    },
  };
}

/** The transcoder of KTX2 images as pages with a strict content security policy accept it. */
function transcoderGlue(): Plugin {
  return {
    name: 'transcoder-glue',
    transform: (code, id) => (id.endsWith('/basis_transcoder.js') ? withoutEvaluation(code) : null),
  };
}

export default defineConfig({
  // Relative, so that the site works from any folder of any host.
  base: './',
  plugins: [pliantOptions(), licences()],
  assetsInclude: ['**/*.glb'],
  worker: { format: 'es', plugins: () => [transcoderGlue()] },
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
        // Pages of others link to this file, so its name has no hash.
        entryFileNames: (chunk) => (chunk.name === 'pliant-viewer' ? '[name].js' : 'assets/[name]-[hash].js'),
      },
    },
  },
});

/**
 * Lets Node run the page's modules as they are: `node --import ./test/typescript.mjs --test test/`.
 * Options come from the file that the build writes.
 */
import { register } from 'node:module';

const hooks = `
  import { readFile } from 'node:fs/promises';
  import { fileURLToPath } from 'node:url';
  import { transformWithOxc } from '${import.meta.resolve('vite')}';
  const OPTIONS = 'virtual:pliant-options';
  const optionsFile = new URL('../pkg/options.json', '${import.meta.url}');
  export async function resolve(specifier, context, next) {
    return specifier === OPTIONS ? { url: OPTIONS, shortCircuit: true } : next(specifier, context);
  }
  export async function load(url, context, next) {
    if (url === OPTIONS) {
      const source = 'export const OPTIONS = ' + (await readFile(optionsFile, 'utf8'));
      return { format: 'module', source, shortCircuit: true };
    }
    if (!url.endsWith('.ts')) return next(url, context);
    const path = fileURLToPath(url);
    const { code } = await transformWithOxc(await readFile(path, 'utf8'), path);
    return { format: 'module', source: code, shortCircuit: true };
  }
`;
register(`data:text/javascript,${encodeURIComponent(hooks)}`);

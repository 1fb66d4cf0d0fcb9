/** Lets Node run the page's modules as they are: `node --import ./test/typescript.mjs --test test/`. */
import { register } from 'node:module';

const hooks = `
  import { readFile } from 'node:fs/promises';
  import { fileURLToPath } from 'node:url';
  import { transformWithOxc } from '${import.meta.resolve('vite')}';
  export async function load(url, context, next) {
    if (!url.endsWith('.ts')) return next(url, context);
    const path = fileURLToPath(url);
    const { code } = await transformWithOxc(await readFile(path, 'utf8'), path);
    return { format: 'module', source: code, shortCircuit: true };
  }
`;
register(`data:text/javascript,${encodeURIComponent(hooks)}`);

import { compiledSolver } from '../wasm.ts';
import { PliantFailure } from './failure.ts';
import type { ToWorker } from './protocol.ts';
import workerUrl from './worker.ts?worker&url';

/**
 * A worker that is ready to be asked. Its script loads while the module is still being compiled,
 * and it runs before anybody is told that it is there: a page that is busy meanwhile (making a
 * WebGL context, say) would keep the browser from starting it.
 */
export async function spawn(): Promise<Worker> {
  const worker = new Worker(ownAddress(), { type: 'module' });
  try {
    const [module] = await Promise.all([compiledSolver(), running(worker)]);
    const start: ToWorker = { kind: 'start', module };
    worker.postMessage(start);
    return worker;
  } catch (thrown) {
    worker.terminate();
    throw thrown;
  }
}

function running(worker: Worker): Promise<void> {
  return new Promise((resolve, reject) => {
    worker.addEventListener('message', () => resolve(), { once: true });
    worker.addEventListener(
      'error',
      ({ message }) => {
        const failure = {
          code: 'worker',
          message: message || 'The solver could not start',
          hint: 'Reload the page',
        };
        reject(new PliantFailure(failure));
      },
      { once: true },
    );
  });
}

/** Workers must come from the page's own origin; modules they import need not. */
function ownAddress(): URL | string {
  const url = new URL(workerUrl, import.meta.url);
  if (url.origin === location.origin) return url;
  const script = `import ${JSON.stringify(url.href)};`;
  return URL.createObjectURL(new Blob([script], { type: 'text/javascript' }));
}

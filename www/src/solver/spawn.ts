import { compiledSolver, compiledViewer } from '../wasm.ts';
import { workerAddress } from '../worker_address.ts';
import { PliantFailure } from './failure.ts';
import type { ToWorker } from './protocol.ts';
import workerUrl from './worker.ts?worker&url';

/**
 * Starts a worker and resolves when it accepts requests. Its script loads while the modules are
 * compiled, and it has answered before anybody is told: while the page is busy (creating a WebGL
 * context, for example), the browser would not start it.
 */
export async function spawn(): Promise<Worker> {
  const worker = new Worker(workerAddress(workerUrl), { type: 'module' });
  // The page needs the viewer module next. Both are fetched and compiled at the same time.
  compiledViewer().catch(() => undefined);
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

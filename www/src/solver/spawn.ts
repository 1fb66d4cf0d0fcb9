import { compiled } from '../wasm.ts';
import type { ToWorker } from './protocol.ts';
import workerUrl from './worker.ts?worker&url';

/** A worker that is ready to be asked. */
export async function spawn(): Promise<Worker> {
  const module = await compiled();
  const url = new URL(workerUrl, import.meta.url);
  const worker =
    url.origin === location.origin
      ? new Worker(url, { type: 'module' })
      : // Workers must come from the page's own origin, modules they import need not.
        new Worker(
          URL.createObjectURL(new Blob([`import ${JSON.stringify(url.href)};`], { type: 'text/javascript' })),
          {
            type: 'module',
          },
        );
  const start: ToWorker = { kind: 'start', module };
  worker.postMessage(start);
  return worker;
}

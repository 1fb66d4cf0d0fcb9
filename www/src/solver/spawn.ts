import { compiled } from '../wasm.ts';
import type { ToWorker } from './protocol.ts';
import workerUrl from './worker.ts?worker&url';

/** A worker that is ready to be asked. Its script loads while the module is still being compiled. */
export async function spawn(): Promise<Worker> {
  const worker = new Worker(ownAddress(), { type: 'module' });
  try {
    const start: ToWorker = { kind: 'start', module: await compiled() };
    worker.postMessage(start);
    return worker;
  } catch (thrown) {
    worker.terminate();
    throw thrown;
  }
}

/** Workers must come from the page's own origin; modules they import need not. */
function ownAddress(): URL | string {
  const url = new URL(workerUrl, import.meta.url);
  if (url.origin === location.origin) return url;
  const script = `import ${JSON.stringify(url.href)};`;
  return URL.createObjectURL(new Blob([script], { type: 'text/javascript' }));
}

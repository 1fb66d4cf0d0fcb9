/** Defines `<pliant-viewer>` when it is imported. */
import type { PliantViewerEvents } from './api.ts';
import { PliantViewer } from './element.ts';

export { OPTIONS } from '../options.ts';
export { PliantFailure } from '../solver/failure.ts';
export type * from '../wasm.ts';
export type * from './api.ts';
export { PliantViewer };

// If a page loads it twice, the first definition stays.
if (!customElements.get('pliant-viewer')) customElements.define('pliant-viewer', PliantViewer);

declare global {
  interface HTMLElementTagNameMap {
    'pliant-viewer': PliantViewer;
  }
}

/** Listens to an event of the element with a typed detail. Returns a function that stops this. */
export function onViewer<K extends keyof PliantViewerEvents>(
  viewer: PliantViewer,
  type: K,
  listener: (detail: PliantViewerEvents[K]) => void,
): () => void {
  const heard = (event: Event) => {
    if (event instanceof CustomEvent && event.target === viewer) listener(event.detail);
  };
  viewer.addEventListener(type, heard);
  return () => viewer.removeEventListener(type, heard);
}

/** Defines `<pliant-viewer>`; importing this file is all it takes. */
import type { PliantViewerEvents } from './api.ts';
import { PliantViewer } from './element.ts';

export { OPTIONS } from '../options.ts';
export { PliantFailure } from '../solver/failure.ts';
export type * from '../wasm.ts';
export type * from './api.ts';
export { PliantViewer };

// Twice on one page is one too many: the first one wins.
if (!customElements.get('pliant-viewer')) customElements.define('pliant-viewer', PliantViewer);

declare global {
  interface HTMLElementTagNameMap {
    'pliant-viewer': PliantViewer;
  }
}

/** Listens to one of the element's events, with its detail typed; returns what stops it. */
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

/** The public interface of the element, and typed listeners for its events. */
import type { PliantViewerApi, PliantViewerEvents } from '../element/api.ts';

export type Viewer = HTMLElement & PliantViewerApi;

/** Listens to an event of the element. */
export function listen<K extends keyof PliantViewerEvents>(
  viewer: Viewer,
  name: K,
  listener: (detail: PliantViewerEvents[K]) => void,
): void {
  viewer.addEventListener(name, (event) => {
    // Images and scripts fire plain "load" and "error" events without a detail.
    if (event.target === viewer && event instanceof CustomEvent)
      listener(event.detail as PliantViewerEvents[K]);
  });
}

/** Calls `sync` now and after each of the events. */
export function follow(viewer: Viewer, names: readonly (keyof PliantViewerEvents)[], sync: () => void): void {
  for (const name of names) listen(viewer, name, sync);
  sync();
}

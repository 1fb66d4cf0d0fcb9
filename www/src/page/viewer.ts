/** The element as the page sees it: its public interface and nothing else. */
import type { PliantViewerApi, PliantViewerEvents } from '../element/api.ts';

export type Viewer = HTMLElement & PliantViewerApi;

/** Listens to one of the element's events with its `detail` typed. */
export function listen<K extends keyof PliantViewerEvents>(
  viewer: Viewer,
  name: K,
  listener: (detail: PliantViewerEvents[K]) => void,
): void {
  viewer.addEventListener(name, (event) => {
    // The page's own images and scripts fire plain "load" and "error" events too; those carry no detail.
    if (event.target === viewer && event instanceof CustomEvent)
      listener(event.detail as PliantViewerEvents[K]);
  });
}

/** Calls `sync` now and after each of the events. */
export function follow(viewer: Viewer, names: readonly (keyof PliantViewerEvents)[], sync: () => void): void {
  for (const name of names) listen(viewer, name, sync);
  sync();
}

/** A setting of each view that is sent to the WASM viewer when it has changed. */
import type { Viewer } from '../wasm.ts';
import { VIEWS, type ViewIndex } from './feature.ts';

export class ViewSetting<T> {
  readonly #value: (view: ViewIndex) => T;
  readonly #send: (viewer: Viewer, view: ViewIndex, value: T) => void;
  /** The values that the viewer has, as JSON. */
  readonly #sent: [string | undefined, string | undefined] = [undefined, undefined];

  constructor(value: (view: ViewIndex) => T, send: (viewer: Viewer, view: ViewIndex, value: T) => void) {
    this.#value = value;
    this.#send = send;
  }

  /** Sends the values that the viewer does not have. True if there were any. */
  update(viewer: Viewer | undefined): boolean {
    if (!viewer) return false;
    let isChanged = false;
    for (const view of VIEWS) {
      const value = this.#value(view);
      const text = JSON.stringify(value);
      if (text === this.#sent[view]) continue;
      this.#sent[view] = text;
      this.#send(viewer, view, value);
      isChanged = true;
    }
    return isChanged;
  }

  /** There is another viewer, or it has forgotten the values. */
  reset(): void {
    this.#sent.fill(undefined);
  }
}

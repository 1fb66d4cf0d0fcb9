/** Settings of volume correction and contacts. All changes can be undone, also brush strokes. */
import { type PostSkinningValues, parametersOf, propertyName, propertyOf } from '../parameters.ts';
import type { History } from './history.ts';
import { listen, type Viewer } from './viewer.ts';

export class PostSkinningSettings {
  readonly #viewer: Viewer;
  readonly #history: History;
  /** The map when the current stroke began. */
  #map: Float32Array | null = null;
  /** The map after the last stroke. The next stroke begins with it, so it is stored once. */
  #latest: Float32Array | null = null;

  constructor(viewer: Viewer, history: History) {
    this.#viewer = viewer;
    this.#history = history;
    this.#followStrokes();
  }

  get settings(): PostSkinningValues {
    const entries = parametersOf('post-skinning').map((parameter) => [
      propertyName(parameter),
      propertyOf(this.#viewer, parameter) ?? parameter.default,
    ]);
    return Object.fromEntries(entries) as PostSkinningValues;
  }

  /** Sets everything without a step in the history. */
  restore(to: PostSkinningValues): void {
    Object.assign(this.#viewer, to);
  }

  /** `settled` is false while a slider is dragged. */
  change(change: Partial<PostSkinningValues>, label: string, settled = true): void {
    const before = this.settings;
    const after = { ...before, ...change };
    if (JSON.stringify(before) !== JSON.stringify(after)) {
      this.restore(after);
      this.#history.push({
        label,
        kind: `postSkinning ${Object.keys(change).join(' ')}`,
        undo: () => this.restore(before),
        redo: () => this.restore(after),
      });
    }
    if (settled) this.#history.seal();
  }

  setExcluded(joint: string, isExcluded: boolean): void {
    const others = this.settings.volumeExcluded.filter((each) => each !== joint);
    this.change({ volumeExcluded: isExcluded ? [...others, joint] : others }, `distance from ${joint}`);
  }

  clearMap(): void {
    const before = this.#viewer.volumeMap;
    if (!before) return;
    this.#setMap(null);
    this.#pushMap('paint', before, null);
  }

  /** Strokes are drawn by the element; the page sees the map before and after. */
  #followStrokes(): void {
    const viewer = this.#viewer;
    listen(viewer, 'gesture-start', () => {
      if (!viewer.volumeBrush) return;
      const map = viewer.volumeMap;
      this.#map = isSameMap(this.#latest, map) ? this.#latest : map;
    });
    listen(viewer, 'gesture-end', () => {
      if (!viewer.volumeBrush) return;
      const after = viewer.volumeMap;
      if (isSameMap(this.#map, after)) return;
      this.#latest = after;
      this.#pushMap('stroke', this.#map, after);
    });
  }

  #pushMap(label: string, before: Float32Array | null, after: Float32Array | null): void {
    this.#history.push({ label, undo: () => this.#setMap(before), redo: () => this.#setMap(after) });
  }

  #setMap(map: Float32Array | null): void {
    this.#viewer.volumeMap = map;
  }
}

function isSameMap(a: Float32Array | null, b: Float32Array | null): boolean {
  if (!a || !b) return a === b;
  return a.length === b.length && a.every((value, i) => value === b[i]);
}

/** Settings of volume correction and contacts. Every change can be undone, brush strokes as well. */
import type { PostSkinningState } from '../element/api.ts';
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

  get settings(): PostSkinningState {
    const { volume, volumeAlpha, volumeBeta, volumeMode, foldGuard, volumeExcluded } = this.#viewer;
    const exponents = { alpha: volumeAlpha, beta: volumeBeta };
    return { volume, ...exponents, mode: volumeMode, foldGuard, excluded: volumeExcluded };
  }

  /** Sets everything without a step in the history. */
  restore(to: PostSkinningState): void {
    const viewer = this.#viewer;
    viewer.volume = to.volume;
    viewer.volumeAlpha = to.alpha;
    viewer.volumeBeta = to.beta;
    viewer.volumeMode = to.mode;
    viewer.foldGuard = to.foldGuard;
    viewer.volumeExcluded = to.excluded;
  }

  /** `settled` is false while a slider is dragged. */
  change(change: Partial<PostSkinningState>, label: string, settled = true): void {
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
    const others = this.settings.excluded.filter((each) => each !== joint);
    this.change({ excluded: isExcluded ? [...others, joint] : others }, `distance from ${joint}`);
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

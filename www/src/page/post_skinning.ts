/** What is done to the flesh, as the panels change it: every change can be undone, a stroke of the brush too. */
import type { VolumeChoice } from '../element/api.ts';
import type { CorrectionMode } from '../wasm.ts';
import type { History } from './history.ts';
import { listen, type Viewer } from './viewer.ts';

export interface PostSkinningState {
  readonly volume: VolumeChoice;
  readonly alpha: number;
  readonly beta: number;
  readonly mode: CorrectionMode;
  readonly guard: boolean;
  /** Joints whose bones do not count for distances. */
  readonly excluded: readonly string[];
}

export class PostSkinningSettings {
  readonly #viewer: Viewer;
  readonly #history: History;
  readonly #listeners = new Set<() => void>();
  /** Whether the next export holds the correction of the clip. */
  #bakes = false;
  /** As it was when a stroke began. */
  #map: Float32Array | null = null;
  /** As the last stroke left it: the next one begins there, and need not be kept twice. */
  #latest: Float32Array | null = null;

  constructor(viewer: Viewer, history: History) {
    this.#viewer = viewer;
    this.#history = history;
    this.#followStrokes();
  }

  get state(): PostSkinningState {
    const { volume, volumeAlpha, volumeBeta, volumeMode, foldGuard, volumeExcluded } = this.#viewer;
    const exponents = { alpha: volumeAlpha, beta: volumeBeta };
    return { volume, ...exponents, mode: volumeMode, guard: foldGuard, excluded: volumeExcluded };
  }

  /** Sets everything without a step of its own. */
  set state(to: PostSkinningState) {
    const viewer = this.#viewer;
    viewer.volume = to.volume;
    viewer.volumeAlpha = to.alpha;
    viewer.volumeBeta = to.beta;
    viewer.volumeMode = to.mode;
    viewer.foldGuard = to.guard;
    viewer.volumeExcluded = to.excluded;
    this.#tell();
  }

  /** `settled` is false while a slider is dragged. */
  change(change: Partial<PostSkinningState>, label: string, settled = true): void {
    const before = this.state;
    const after = { ...before, ...change };
    if (JSON.stringify(before) !== JSON.stringify(after)) {
      this.state = after;
      this.#push(label, before, after, Object.keys(change).join(' '));
    }
    if (settled) this.#history.seal();
  }

  #push(label: string, before: PostSkinningState, after: PostSkinningState, kind: string): void {
    this.#history.push({
      label,
      kind: `postSkinning ${kind}`,
      undo: () => {
        this.state = before;
      },
      redo: () => {
        this.state = after;
      },
    });
  }

  setExcluded(joint: string, isExcluded: boolean): void {
    const others = this.state.excluded.filter((each) => each !== joint);
    this.change({ excluded: isExcluded ? [...others, joint] : others }, `distance from ${joint}`);
    this.#history.seal();
  }

  get bakes(): boolean {
    return this.#bakes && (this.state.volume !== 'off' || this.state.guard);
  }

  set bakes(on: boolean) {
    this.#bakes = on;
    this.#tell();
  }

  clearMap(): void {
    const before = this.#viewer.volumeMap;
    if (!before) return;
    this.#setMap(null);
    this.#pushMap('paint', before, null);
  }

  /** Calls `listener` after every change; panels start up to date. */
  watch(listener: () => void): void {
    this.#listeners.add(listener);
  }

  /** Strokes happen inside the element; only where they began and ended is seen here. */
  #followStrokes(): void {
    const viewer = this.#viewer;
    listen(viewer, 'gesture-start', () => {
      if (!viewer.volumeBrush) return;
      const map = viewer.volumeMap;
      this.#map = sameMap(this.#latest, map) ? this.#latest : map;
    });
    listen(viewer, 'gesture-end', () => {
      if (!viewer.volumeBrush) return;
      const after = viewer.volumeMap;
      if (sameMap(this.#map, after)) return;
      this.#latest = after;
      this.#pushMap('stroke', this.#map, after);
    });
  }

  #pushMap(label: string, before: Float32Array | null, after: Float32Array | null): void {
    this.#history.push({ label, undo: () => this.#setMap(before), redo: () => this.#setMap(after) });
  }

  #setMap(map: Float32Array | null): void {
    this.#viewer.volumeMap = map;
    this.#tell();
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}

function sameMap(a: Float32Array | null, b: Float32Array | null): boolean {
  if (!a || !b) return a === b;
  return a.length === b.length && a.every((value, i) => value === b[i]);
}

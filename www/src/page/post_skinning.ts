/** What is done to the flesh, as the panels change it: every change can be undone, a stroke of the brush too. */
import { type PostSkinningValues, parametersOf, propertyName, propertyOf } from '../parameters.ts';
import type { History } from './history.ts';
import { listen, type Viewer } from './viewer.ts';

export type PostSkinningState = PostSkinningValues;

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
    const entries = parametersOf('post-skinning').map((parameter) => [
      propertyName(parameter),
      propertyOf(this.#viewer, parameter) ?? parameter.default,
    ]);
    return Object.fromEntries(entries) as PostSkinningState;
  }

  /** Sets everything without a step of its own. */
  set state(to: PostSkinningState) {
    Object.assign(this.#viewer, to);
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
    const others = this.state.volumeExcluded.filter((each) => each !== joint);
    this.change({ volumeExcluded: isExcluded ? [...others, joint] : others }, `distance from ${joint}`);
    this.#history.seal();
  }

  get bakes(): boolean {
    return this.#bakes && (this.state.volume !== 'off' || this.state.foldGuard);
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

/** The second view: on or off, and its settings. Every change can be undone. */
import type { Deformer, Method, Show } from '../wasm.ts';
import type { History } from './history.ts';
import type { SecondView, Side, StateStore } from './state.ts';
import { listen, type Viewer } from './viewer.ts';

/**
 * The first method of a second view: bone heat as the reference, or the atlas beside bone heat and
 * beside the weights of the file.
 */
const BESIDE: Partial<Record<Method, Method>> = { heat: 'atlas', source: 'atlas' };
const BESIDE_OTHERS: Method = 'heat';

export class SplitView {
  readonly #viewer: Viewer;
  readonly #state: StateStore;
  readonly #history: History;
  /** The second view when it was last closed. */
  #last: SecondView | null = null;

  constructor(viewer: Viewer, state: StateStore, history: History) {
    this.#viewer = viewer;
    this.#state = state;
    this.#history = history;
    listen(viewer, 'load', () => {
      // Its settings by joint mean nothing for another character.
      this.#last = null;
    });
  }

  get isOpen(): boolean {
    return this.#viewer.compare !== null;
  }

  get current(): SecondView | null {
    const viewer = this.#viewer;
    const recipe = viewer.compareRecipe;
    const { compareDeformer: deformer, compareShow: show, compareVolume: volume } = viewer;
    return recipe && { recipe, deformer, show, volume };
  }

  /** Chooses the side that the panels show and change. */
  choose(side: Side): void {
    this.#history.seal();
    this.#state.set({ side });
  }

  /** Sets the second view without a step in the history. */
  restore(to: SecondView | null): void {
    const before = this.current;
    if (before && !to) this.#last = before;
    this.#viewer.compareShow = to?.show ?? null;
    this.#viewer.compareDeformer = to?.deformer ?? null;
    this.#viewer.compareVolume = to?.volume ?? null;
    this.#viewer.compareRecipe = to?.recipe ?? null;
  }

  toggle(): void {
    if (this.isOpen) {
      this.close();
      return;
    }
    this.#change(this.#last ?? this.#suggested(), 'split view');
    this.#state.set({ side: 'right' });
  }

  close(): void {
    if (this.isOpen) this.#change(null, 'split view');
  }

  /** The same weights with and without correction, side by side; or one view again. */
  toggleWithoutCorrection(): void {
    const { recipe, compareVolume } = this.#viewer;
    const plain: SecondView = { recipe, deformer: null, show: null, volume: 'off' };
    this.#change(this.isOpen && compareVolume === 'off' ? null : plain, 'split view');
  }

  setDeformer(deformer: Deformer): void {
    const second = this.current;
    if (second) this.#change({ ...second, deformer }, 'deformer on the right');
  }

  setShow(show: Show | null): void {
    const second = this.current;
    if (second) this.#change({ ...second, show }, 'view on the right');
  }

  #suggested(): SecondView {
    const { recipe } = this.#viewer;
    const method = BESIDE[recipe.method] ?? BESIDE_OTHERS;
    return { recipe: { ...recipe, method }, deformer: null, show: null, volume: null };
  }

  #change(to: SecondView | null, label: string): void {
    const before = this.current;
    this.restore(to);
    this.#history.push({ label, undo: () => this.restore(before), redo: () => this.restore(to) });
  }
}

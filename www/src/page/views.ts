/** The halves of a divided picture: which of them the panels speak of, and what the right one is. */
import type { VolumeChoice } from '../element/api.ts';
import type { Deformer, Method, Recipe, RigReport, Show } from '../wasm.ts';
import type { History } from './history.ts';
import { listen, type Viewer } from './viewer.ts';

export type HalfName = 'left' | 'right';

/** The right half; null for what is as in the left one. */
export interface Compared {
  readonly recipe: Recipe;
  readonly deformer: Deformer | null;
  readonly show: Show | null;
  readonly volume: VolumeChoice | null;
}

/** What a method is first compared with: the one everybody knows, or ours. */
const BESIDE: Partial<Record<Method, Method>> = { heat: 'atlas' };
const BESIDE_OTHERS: Method = 'heat';

export class Halves {
  readonly #viewer: Viewer;
  readonly #history: History;
  readonly #listeners = new Set<() => void>();
  #current: HalfName = 'left';
  /** What was compared with before the picture was made whole. */
  #last: Compared | null = null;

  constructor(viewer: Viewer, history: History) {
    this.#viewer = viewer;
    this.#history = history;
    listen(viewer, 'load', () => {
      // What was set for its joints means nothing to another character.
      this.#last = null;
    });
  }

  get isDivided(): boolean {
    return this.#viewer.compare !== null;
  }

  /** The half that the panels show and change. */
  get current(): HalfName {
    return this.isDivided ? this.#current : 'left';
  }

  choose(half: HalfName): void {
    if (half === this.#current) return;
    this.#current = half;
    this.#history.seal();
    this.#tell();
  }

  get recipe(): Recipe {
    const { recipe, compareRecipe } = this.#viewer;
    return this.current === 'right' ? (compareRecipe ?? recipe) : recipe;
  }

  get deformer(): Deformer {
    const { deformer, compareDeformer } = this.#viewer;
    return this.current === 'right' ? (compareDeformer ?? deformer) : deformer;
  }

  get report(): RigReport | null {
    const { report, compareReport } = this.#viewer;
    return this.current === 'right' ? compareReport : report;
  }

  get compared(): Compared | null {
    const { compareRecipe: recipe, compareDeformer: deformer, compareShow: show } = this.#viewer;
    return recipe && { recipe, deformer, show, volume: this.#viewer.compareVolume };
  }

  /** Sets the right half without a step of its own. */
  set compared(to: Compared | null) {
    const { compared } = this;
    if (compared && !to) this.#last = compared;
    this.#viewer.compareShow = to?.show ?? null;
    this.#viewer.compareDeformer = to?.deformer ?? null;
    this.#viewer.compareVolume = to?.volume ?? null;
    this.#viewer.compareRecipe = to?.recipe ?? null;
    this.#tell();
  }

  /** Divides the picture, or makes it whole. */
  toggle(): void {
    const before = this.compared;
    if (!before) this.#current = 'right';
    this.#set(before ? null : (this.#last ?? this.#suggested()), 'comparison');
  }

  /** Whether the right half shows what is left without keeping volume. */
  get isWithoutVolume(): boolean {
    return this.isDivided && this.#viewer.compareVolume === 'off';
  }

  /** The same skin beside itself as skinning alone leaves it, or whole again. */
  toggleWithoutVolume(): void {
    const { recipe } = this.#viewer;
    const plain: Compared = { recipe, deformer: null, show: null, volume: 'off' };
    if (!this.isDivided) this.#current = 'left';
    this.#set(this.isWithoutVolume ? null : plain, 'comparison');
  }

  setDeformer(deformer: Deformer): void {
    const { compared } = this;
    if (compared) this.#set({ ...compared, deformer }, 'deformer of the right half');
  }

  setShow(show: Show | null): void {
    const { compared } = this;
    if (compared) this.#set({ ...compared, show }, 'view of the right half');
  }

  /** Calls `listener` after every change of what panels show; they start up to date. */
  watch(listener: () => void): void {
    this.#listeners.add(listener);
  }

  #suggested(): Compared {
    const { recipe } = this.#viewer;
    const method = BESIDE[recipe.method] ?? BESIDE_OTHERS;
    return { recipe: { ...recipe, method }, deformer: null, show: null, volume: null };
  }

  #set(to: Compared | null, label: string): void {
    const before = this.compared;
    this.compared = to;
    this.#history.push({
      label,
      undo: () => {
        this.compared = before;
      },
      redo: () => {
        this.compared = to;
      },
    });
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}

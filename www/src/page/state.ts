/**
 * The state that the panels show: the state of the element and the few choices that belong to the
 * page alone. Panels are functions of it. It is updated after every change of the element, so it
 * does not matter whether a panel, a key, a link or a script made the change.
 */
import type { SecondViewState, ViewerState } from '../element/api.ts';
import type { Deformer, Recipe, RigReport } from '../wasm.ts';
import { listen, type Viewer } from './viewer.ts';

/** The view that the panels show and change. */
export type Side = 'left' | 'right';

/** Choices that the element does not know. */
interface PageState {
  readonly side: Side;
  /** Whether the export contains the correction of the clip as morph targets. */
  readonly bakes: boolean;
  /** Whether the export is compressed. */
  readonly compresses: boolean;
  /** A mesh without a skeleton is on screen. */
  readonly needsSkeleton: boolean;
  /** What the user is asked to click; null if nothing. */
  readonly prompt: Prompt | null;
  /** Joints of the next chain. */
  readonly chainJoints: number;
}

/** A place in the picture that the user is asked to click. */
export interface Prompt {
  readonly title: string;
  readonly hint: string;
  /** The label of the joint that is there. */
  readonly joint?: string;
  /** It is an end of a chain of joints. */
  readonly isChain?: boolean;
}

export interface StudioState extends ViewerState, PageState {}

export type StateKey = keyof StudioState;

type Listener = (state: StudioState) => void;

export class StateStore {
  readonly #viewer: Viewer;
  readonly #listeners: { readonly keys: ReadonlySet<StateKey>; readonly listener: Listener }[] = [];
  readonly #changed = new Set<StateKey>();
  #state: StudioState;
  #isWaiting = false;

  constructor(viewer: Viewer) {
    this.#viewer = viewer;
    this.#state = {
      ...viewer.state,
      side: 'left',
      bakes: false,
      compresses: false,
      needsSkeleton: false,
      prompt: null,
      chainJoints: 4,
    };
    listen(viewer, 'state-change', ({ keys }) => this.#update(keys, viewer.state));
    listen(viewer, 'load', () => this.set({ needsSkeleton: false }));
    listen(viewer, 'rig-complete', () => this.set({ needsSkeleton: false }));
    listen(viewer, 'skeleton-needed', () => this.set({ needsSkeleton: true }));
  }

  get now(): StudioState {
    return this.#state;
  }

  /**
   * Calls `listener` now, and after every change of these members. All changes of one turn are one
   * call.
   */
  follow(keys: readonly StateKey[], listener: Listener): void {
    this.#listeners.push({ keys: new Set(keys), listener });
    listener(this.#state);
  }

  set(change: Partial<PageState>): void {
    const keys = Object.keys(change) as (keyof PageState)[];
    const isChanged = keys.some((key) => this.#state[key] !== change[key]);
    if (isChanged) this.#update(keys, change);
  }

  #update(keys: readonly StateKey[], from: Partial<StudioState>): void {
    const changes = Object.fromEntries(keys.map((key) => [key, from[key]]));
    this.#state = { ...this.#state, ...changes };
    // Without a second view there is no right side.
    if (!this.#state.secondView && !this.#viewer.compareRecipe && this.#state.side === 'right') {
      this.#state = { ...this.#state, side: 'left' };
      this.#changed.add('side');
    }
    for (const key of keys) this.#changed.add(key);
    this.#tellSoon();
  }

  #tellSoon(): void {
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    queueMicrotask(() => {
      this.#isWaiting = false;
      this.#tell();
    });
  }

  #tell(): void {
    const changed = [...this.#changed];
    this.#changed.clear();
    for (const { keys, listener } of this.#listeners) {
      if (changed.some((key) => keys.has(key))) listener(this.#state);
    }
  }
}

/** The second view without its report: what can be set. */
export type SecondView = Omit<SecondViewState, 'report'>;

/** The recipe of the side that the panels show. */
export function sideRecipe({ side, recipe, secondView }: StudioState): Recipe {
  return (side === 'right' && secondView?.recipe) || recipe;
}

export function sideDeformer({ side, deformer, secondView }: StudioState): Deformer {
  return (side === 'right' && secondView?.deformer) || deformer;
}

export function sideReport({ side, report, secondView }: StudioState): RigReport | null {
  return side === 'right' ? (secondView?.report ?? null) : report;
}

/** What `sideRecipe`, `sideDeformer` and `sideReport` depend on. */
export const SIDE_KEYS: readonly StateKey[] = ['side', 'recipe', 'deformer', 'report', 'secondView'];

/** Whether anything is corrected after skinning. */
export function isCorrecting({ postSkinning }: StudioState): boolean {
  return postSkinning.volume !== 'off' || postSkinning.foldGuard;
}

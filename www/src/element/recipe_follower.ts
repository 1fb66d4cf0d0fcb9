/**
 * Keeps the weights of one view up to date with its recipe.
 *
 * One request is under way at a time. When it is answered, its weights are shown, and if the recipe
 * has changed since, the newest one is requested next. So a slider shows every answer and skips
 * what nobody waits for. Each view of the element has one follower.
 */
import type { Recipe, RigAnswer, RigReport, Viewer } from '../wasm.ts';
import type { ViewIndex } from './feature.ts';
import { isCheapChange } from './is_cheap_change.ts';
import { ignoreRejection, type Task, type Tasks } from './tasks.ts';

export type OnProgress = (share: number, stage: string) => void;

/** A request for weights that is under way. */
export interface RigRequest {
  /** The recipe that the solver got. */
  readonly recipe: Recipe;
  /** Identifies the result that was wanted, see `keyOf`. */
  readonly key: string;
  readonly answer: Promise<RigAnswer>;
}

export interface RequestOptions {
  readonly signal: AbortSignal;
  /** Token of the skeleton and regions that the page has, so that they are not sent again. */
  readonly known: string | undefined;
  readonly onProgress?: OnProgress | undefined;
}

export interface FollowerHost {
  readonly tasks: Tasks;
  viewer(): Viewer | undefined;
  /** The recipe to follow; null if the view shall have no weights. */
  wanted(): Recipe | null;
  /** Identifies the weights of a recipe: equal keys mean equal weights. */
  keyOf(recipe: Recipe): string;
  /** Whether weights can be requested now. */
  isReady(): boolean;
  /** Sends a recipe to the solver. Returns the recipe that was really sent, and the answer. */
  send(recipe: Recipe, options: RequestOptions): { recipe: Recipe; answer: Promise<RigAnswer> };
  /** The request under way is not for the latest recipe any more. Its answer may come early. */
  superseded(): void;
  /** Weights came that are not of the latest recipe. */
  advanced(): void;
  /** Weights of the latest recipe are on screen. `isCheap` if no progress was shown. */
  completed(report: RigReport, isCheap: boolean): void;
}

export class RecipeFollower {
  readonly view: ViewIndex;
  readonly #host: FollowerHost;
  /** Recipe and key of the weights on screen. */
  #shown: { recipe: Recipe; key: string } | undefined;
  #report: RigReport | null = null;
  #run: Promise<RigReport | null> | undefined;
  /** Key of the request under way. */
  #requestedKey: string | undefined;
  /**
   * Key of a request that failed or was cancelled. It is not sent again before the recipe is set.
   */
  #failedKey: string | undefined;
  /** Cancels requests of this view alone. */
  #abort = new AbortController();
  /** Incremented when the character changes. Answers for an older one are ignored. */
  #generation = 0;
  #isScheduled = false;

  constructor(view: ViewIndex, host: FollowerHost) {
    this.view = view;
    this.#host = host;
  }

  /**
   * The report of the weights on screen; null before there are any, or after another character
   * came.
   */
  get report(): RigReport | null {
    return this.#report;
  }

  /** Whether there are computed weights on screen. */
  get isShown(): boolean {
    return this.#shown !== undefined;
  }

  /**
   * The recipe was set. Follows it in a microtask, so that several changes of one turn count as
   * one.
   */
  recipeChanged(): void {
    this.#failedKey = undefined;
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    queueMicrotask(() => {
      this.#isScheduled = false;
      this.follow();
    });
  }

  /** Requests weights if those on screen are not those of the wanted recipe. */
  follow(): void {
    const wanted = this.#host.wanted();
    const key = wanted && this.#host.keyOf(wanted);
    if (this.#run && key !== this.#requestedKey) this.#host.superseded();
    if (this.#run || key === null || key === this.#failedKey || this.isLatestShown) return;
    if (this.#host.isReady()) ignoreRejection(this.run());
  }

  /** Whether the weights on screen are those of the wanted recipe. */
  get isLatestShown(): boolean {
    const wanted = this.#host.wanted();
    return wanted !== null && this.#shown?.key === this.#host.keyOf(wanted);
  }

  /** Requests weights as a task of their own, even if they are on screen. One run at a time. */
  run(): Promise<RigReport | null> {
    return this.#run ?? this.#host.tasks.run((task) => this.runWithin(task, task.progress.part(0, 1)));
  }

  /** The same as a part of another task. `first` is a request that was sent before. */
  runWithin(task: Task, onProgress: OnProgress, first?: RigRequest): Promise<RigReport | null> {
    const signal = AbortSignal.any([task.signal, this.#abort.signal]);
    const generation = this.#generation;
    const isCurrent = () => generation === this.#generation && this.#run === run;
    const run: Promise<RigReport | null> = this.#requestUntilLatest(signal, onProgress, first).then(
      (report) => {
        if (isCurrent()) this.#run = undefined;
        // The recipe may have changed after the loop looked at it for the last time.
        this.follow();
        return report;
      },
      (thrown) => {
        if (isCurrent()) this.abandonRun();
        throw thrown;
      },
    );
    this.#run = run;
    return run;
  }

  /** Sends the wanted recipe before the character is on screen. */
  requestEarly(signal: AbortSignal, onProgress: OnProgress): RigRequest | undefined {
    const wanted = this.#host.wanted();
    return wanted ? this.#request(wanted, { signal, known: undefined, onProgress }) : undefined;
  }

  #request(wanted: Recipe, options: RequestOptions): RigRequest {
    const copy = structuredClone(wanted);
    const key = this.#host.keyOf(copy);
    this.#requestedKey = key;
    const { recipe, answer } = this.#host.send(copy, options);
    // A failure is reported to whoever awaits the run; possibly nobody does.
    ignoreRejection(answer);
    return { recipe, key, answer };
  }

  async #requestUntilLatest(
    signal: AbortSignal,
    onProgress: OnProgress,
    first?: RigRequest,
  ): Promise<RigReport | null> {
    const { viewer, wanted, keyOf, isReady, advanced, completed } = this.#host;
    const generation = this.#generation;
    let last: RigReport | null = null;
    for (let next = first; ; next = undefined) {
      const recipe = wanted();
      if (!recipe || (last && !isReady())) return last;
      const isCheap = this.#shown !== undefined && isCheapChange(this.#shown.recipe, recipe);
      const listener = isCheap ? undefined : onProgress;
      const known = next ? undefined : viewer()?.knownBase(this.view);
      const request = next ?? this.#request(recipe, { signal, known, onProgress: listener });
      const { report, rig } = await request.answer;
      if (generation !== this.#generation) return null;
      viewer()?.showRig(this.view, rig);
      this.#shown = request;
      last = report;
      listener?.(1, 'Done');
      const latest = wanted();
      if (latest && request.key === keyOf(latest)) {
        this.#report = report;
        completed(report, isCheap);
        return report;
      }
      advanced();
    }
  }

  /**
   * Intermediate weights of a fit. They come without the skeleton, which the final answer brings.
   */
  showPartialResult({ rig }: RigAnswer): void {
    this.#host.viewer()?.showRig(this.view, rig);
  }

  /** Another mesh or skeleton is on screen. It has no weights yet. */
  characterChanged(): void {
    this.#generation++;
    this.#shown = undefined;
    this.#report = null;
    this.#failedKey = undefined;
    this.#run = undefined;
  }

  /** The run failed or was cancelled. Its recipe is not tried again before a recipe is set. */
  abandonRun(): void {
    if (!this.#run) return;
    this.#run = undefined;
    const wanted = this.#host.wanted();
    this.#failedKey = wanted ? this.#host.keyOf(wanted) : undefined;
  }

  /** Cancels what is under way, and forgets the weights. */
  end(): void {
    this.#abort.abort();
    this.#abort = new AbortController();
    this.characterChanged();
  }
}

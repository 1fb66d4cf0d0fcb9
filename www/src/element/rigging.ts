/** Weights by the recipe that is wanted: asked for, shown as they get there, and found again when the recipe changes. */

import { OPTIONS } from '../options.ts';
import { note } from '../perf_marks.ts';
import type { SolverBridge } from '../solver/bridge.ts';
import type { ModelInfo, Recipe, RigAnswer, RigReport, Viewer } from '../wasm.ts';
import type { PliantViewerEvents } from './api.ts';
import type { Examples } from './examples.ts';
import { usedHandles } from './handles.ts';
import { isQuick } from './is_cheap_change.ts';
import { quietly, type Task, type Tasks } from './tasks.ts';

type OnProgress = (share: number, stage: string) => void;

/** Weights that are on their way. */
export interface Asked {
  recipe: Recipe;
  /** The same as text. */
  by: string;
  answer: Promise<RigAnswer>;
}

export interface RiggingHost {
  readonly solver: SolverBridge;
  readonly tasks: Tasks;
  examples(): Examples;
  viewer(): Viewer | undefined;
  model(): ModelInfo | null;
  /** Another recipe is wanted; nothing is found by it yet. */
  wanted(): void;
  /** There are weights as wanted. */
  rigged(report: RigReport): void;
  /** Nothing holds the skin any more. */
  released(model: ModelInfo): void;
  requestFrame(): void;
  say(text: string): void;
  emit<K extends keyof PliantViewerEvents>(type: K, detail: PliantViewerEvents[K]): void;
}

export class Rigging {
  readonly #host: RiggingHost;
  #recipe: Recipe = structuredClone(OPTIONS.recipe);
  /** The recipe the weights on screen were found by, as text. */
  #riggedBy: string | undefined;
  /** The recipe of the weights on screen, which may be on the way to the one wanted. */
  #shownBy: Recipe | undefined;
  #run: Promise<RigReport> | undefined;
  #report: RigReport | null = null;
  #hasSkeleton = false;
  /** Has told that a skeleton is needed. */
  #isWaiting = false;
  #isChangeNoted = false;

  constructor(host: RiggingHost) {
    this.#host = host;
  }

  get recipe(): Recipe {
    return this.#recipe;
  }

  get report(): RigReport | null {
    return this.#report;
  }

  /** Another mesh or skeleton is shown, for which there are no weights yet. */
  begin({ joints }: ModelInfo): void {
    this.#hasSkeleton = joints.length > 0;
    this.#isWaiting = false;
    this.#riggedBy = undefined;
    this.#shownBy = undefined;
    this.forget();
  }

  /** There is nothing to be moved by weights. */
  forget(): void {
    this.#report = null;
  }

  /** What is asked for from now on does not wait for what is under way. */
  abandon(): void {
    this.#run = undefined;
  }

  /** Another recipe; several changes within one turn of the browser count as one, and none when they cancel out. */
  change(change: Partial<Recipe>): void {
    this.#recipe = { ...this.#recipe, ...change };
    this.#host.wanted();
    if (this.#isChangeNoted) return;
    this.#isChangeNoted = true;
    queueMicrotask(() => {
      this.#isChangeNoted = false;
      this.#follow();
    });
  }

  changeAtlas(change: Partial<Recipe['atlas']>): void {
    this.change({ atlas: { ...this.#recipe.atlas, ...change } });
  }

  #follow(): void {
    const model = this.#host.model();
    const isOther = this.#riggedBy !== undefined && this.#riggedBy !== this.#keyOf(this.#recipe);
    if (!model || !(isOther || this.#isWaiting)) return;
    if (!this.#canRig) {
      if (this.#report) this.#release(model);
      return;
    }
    const examples = this.#host.examples();
    // Nobody wants to know the end of what is being learned by an older one.
    if (isOther) examples.stop();
    // Better the weights there are than none.
    if (examples.lacks(this.#recipe)) {
      this.#host.emit('examples-needed', {});
      return;
    }
    this.#isWaiting = false;
    // A run that is just ending looks at the recipe no more.
    this.#run?.then(
      () => this.#follow(),
      () => undefined,
    );
    quietly(this.rig());
  }

  /** Bones hold the skin, or handles do. */
  get #canRig(): boolean {
    return this.#hasSkeleton || usedHandles(this.#recipe).length > 0;
  }

  #askForSkeleton(model: ModelInfo): void {
    this.#isWaiting = true;
    this.#host.emit('skeleton-needed', { model });
  }

  #release(model: ModelInfo): void {
    const free = { ...model, joints: [] };
    this.#host.released(free);
    this.#askForSkeleton(free);
  }

  rig(): Promise<RigReport> {
    // One run at a time; it goes on until it has followed the latest recipe.
    if (this.#run) return this.#run;
    const run = this.#host.tasks
      .run((task) => this.#findWeights(task, task.progress.part(0, 1)))
      .finally(() => {
        if (this.#run === run) this.#run = undefined;
      });
    this.#run = run;
    return run;
  }

  /** Weights for a character that has just come, if something can hold it; `asked` are on their way already. */
  async rigIfPossible(task: Task, from: number, asked?: Asked): Promise<void> {
    const model = this.#host.model();
    if (!model) return;
    if (!this.#canRig) return this.#askForSkeleton(model);
    await this.#findWeights(task, task.progress.part(from, 1), asked);
  }

  /** For a character that is on its way. */
  askAlong(task: Task, onProgress: OnProgress): Asked {
    return this.#ask(task, onProgress, undefined, true);
  }

  /** `known` names what the page has already, so that it is not sent again. */
  #ask(task: Task, onProgress?: OnProgress, known?: string, arrives = false): Asked {
    const examples = this.#host.examples();
    const wanted = structuredClone(this.#recipe);
    const by = this.#keyOf(wanted);
    // Whoever has nothing to learn from moves by the usual method meanwhile.
    const recipe = examples.lacks(wanted, arrives) ? { ...wanted, method: OPTIONS.recipe.method } : wanted;
    if (recipe.method === 'examples') examples.send(task.signal);
    const options = { signal: task.signal, ...(onProgress ? { onProgress } : {}) };
    const listeners = examples.listeners(recipe);
    const answer = this.#host.solver.ask({ kind: 'rig', recipe, known }, { ...options, ...listeners });
    // What fails is told to whoever waits for it; nobody may come to that.
    quietly(answer.finally(() => examples.rest()));
    return { recipe, by, answer };
  }

  /** What tells weights by a recipe from those by another. */
  #keyOf(recipe: Recipe): string {
    return JSON.stringify(recipe) + this.#host.examples().keyFor(recipe);
  }

  async #findWeights(task: Task, onProgress: OnProgress, asked?: Asked): Promise<RigReport> {
    for (let next = asked; ; next = undefined) {
      const isSoon = this.#shownBy !== undefined && isQuick(this.#shownBy, this.#recipe);
      const listener = isSoon ? undefined : onProgress;
      const { recipe, by, answer } = next ?? this.#ask(task, listener, this.#host.viewer()?.knownBase(0));
      this.#riggedBy = by;
      const { report, rig } = await answer;
      this.#host.viewer()?.showRig(0, rig);
      this.#shownBy = recipe;
      listener?.(1, 'Done');
      if (by === this.#keyOf(this.#recipe)) {
        this.#rigged(report);
        if (!isSoon) this.#host.say('Ready to move');
        return report;
      }
      // A newer one is wanted already; what came is seen on the way to it.
      this.#host.requestFrame();
    }
  }

  /** Weights on the way to better ones; those come without the skeleton that comes with the first. */
  showPartialResult(rig: RigAnswer['rig']): void {
    this.#host.viewer()?.showRig(0, rig);
    this.#host.requestFrame();
  }

  #rigged(report: RigReport): void {
    this.#report = report;
    note('rigged');
    this.#host.rigged(report);
    if (this.#host.examples().lacks(this.#recipe)) this.#host.emit('examples-needed', {});
  }
}

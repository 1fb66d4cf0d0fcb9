/** Other weights for the same character, found beside the first and shown right of the divider. */
import type { SolverBridge } from '../solver/bridge.ts';
import type { Recipe, RigReport, Viewer } from '../wasm.ts';
import { isQuick } from './is_cheap_change.ts';
import type { Task, Tasks } from './tasks.ts';

export interface ComparisonHost {
  readonly solver: SolverBridge;
  readonly tasks: Tasks;
  viewer(): Viewer | undefined;
  /** Whether the first weights are there: they come first. */
  isReady(): boolean;
  /** Those of the left half; they are joints, and both halves are in one pose. */
  handles(): Recipe['handles'];
  /** The picture has changed, or what is to be said about it. */
  changed(): void;
  complete(report: RigReport): void;
}

/** A recipe, or what makes one of what is there once it is needed: attributes of a tag come in any order. */
type Wanted = Recipe | (() => Recipe);

export class Comparison {
  readonly #host: ComparisonHost;
  #wanted: Wanted | null = null;
  #report: RigReport | null = null;
  /** The recipe of the weights on screen, which may be on the way to the one wanted. */
  #shownBy: Recipe | undefined;
  #running: Promise<void> | undefined;
  /** Stops what is under way when nobody wants it any more. */
  #stop = new AbortController();
  /** Whether the solver and the viewer hold anything. */
  #isHeld = false;
  #isChangeNoted = false;
  /** It failed, or the user stopped it: not tried again before somebody asks for something. */
  #isGivenUp = false;
  /** Counts characters, so that weights that are late do not end up on the next one. */
  #character = 0;

  constructor(host: ComparisonHost) {
    this.#host = host;
  }

  /** Null while nothing is compared. */
  get recipe(): Recipe | null {
    return typeof this.#wanted === 'function' ? this.#wanted() : this.#wanted;
  }

  /** The same as the solver is asked. */
  get #asked(): Recipe | null {
    const { recipe } = this;
    return recipe && { ...recipe, handles: structuredClone(this.#host.handles()) };
  }

  /** Of the weights on screen. */
  get report(): RigReport | null {
    return this.#report;
  }

  get isShown(): boolean {
    return this.#shownBy !== undefined;
  }

  /** Another recipe, or none; several changes within one turn of the browser count as one. */
  change(wanted: Wanted | null): void {
    this.#wanted = wanted;
    this.#isGivenUp = false;
    this.#host.changed();
    if (this.#isChangeNoted) return;
    this.#isChangeNoted = true;
    queueMicrotask(() => {
      this.#isChangeNoted = false;
      this.follow();
    });
  }

  /** Another character is shown: it has its own weights, or will have. */
  forget(): void {
    this.#character++;
    this.#isGivenUp = false;
    this.#shownBy = undefined;
    this.#report = null;
  }

  /** Brings what is on screen nearer to what is wanted; one run at a time, until it has followed the latest recipe. */
  follow(): void {
    if (!this.#wanted) this.#end();
    else if (!this.#running && !this.#isGivenUp && this.#host.isReady() && !same(this.#shownBy, this.#asked))
      this.#start();
  }

  #start(): void {
    this.#isHeld = true;
    const { signal } = this.#stop;
    this.#running = this.#host.tasks
      .run((task) => this.#run(task, AbortSignal.any([task.signal, signal])))
      .finally(() => {
        this.#running = undefined;
      });
    this.#running.then(
      () => this.follow(),
      // Told by the `error` event already. What nobody wanted any more may be wanted again by now.
      () => {
        this.#isGivenUp = !signal.aborted;
        this.follow();
      },
    );
  }

  async #run(task: Task, signal: AbortSignal): Promise<void> {
    const { solver, viewer } = this.#host;
    const onProgress = task.progress.part(0, 1);
    for (let recipe = this.#asked; recipe && this.#host.isReady(); recipe = this.#asked) {
      this.#wanted = recipe;
      const isSoon = this.#shownBy !== undefined && isQuick(this.#shownBy, recipe);
      const listener = {
        onProgress: (share: number, stage: string) => onProgress(share, `${stage}, right half`),
      };
      const character = this.#character;
      const known = viewer()?.knownBase(1);
      const ask = { kind: 'compare', recipe, known } as const;
      const { report, rig } = await solver.ask(ask, { signal, ...(isSoon ? {} : listener) });
      if (character !== this.#character) return;
      viewer()?.showRig(1, rig);
      this.#shownBy = recipe;
      if (!isSoon) onProgress(1, 'Done');
      const isLatest = same(recipe, this.#asked);
      if (isLatest) this.#report = report;
      this.#host.changed();
      if (isLatest) return this.#host.complete(report);
    }
  }

  #end(): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    this.#stop.abort();
    this.#stop = new AbortController();
    this.forget();
    this.#host.viewer()?.clearView(1);
    this.#host.solver.ask({ kind: 'end-comparison' }).catch(() => undefined);
    this.#host.changed();
  }
}

/** Plain numbers and words: their text tells them apart. */
function same(a: Recipe | undefined, b: Recipe | null): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** Loading: a character, a skeleton for it, and the task state of the element. */
import { note } from '../../perf_marks.ts';
import type { AssetPacket, ModelInfo, SampleCharacter, SkeletonAnswer, Warning } from '../../wasm.ts';
import type { ModelSource, PliantViewerApi, Point, ViewerState } from '../api.ts';
import { reflect } from '../attributes.ts';
import type { ViewerContext } from '../context.ts';
import type { Feature } from '../feature.ts';
import type { RigRequest } from '../recipe_follower.ts';
import { askFor, named, sampleFile, sourceOf } from '../source.ts';
import { ignoreRejection, type Task } from '../tasks.ts';
import { decodeTextures } from '../textures.ts';
import { Examples } from './examples.ts';
import { JointPlacement } from './joint_placement.ts';
import { SecondView } from './second_view.ts';
import { Skeleton } from './skeleton.ts';
import { Tools } from './tools.ts';
import { Weights } from './weights.ts';

/** Shares of a load that are done after fetching and after reading. Weights are the rest. */
const FETCHED = 0.1;
const READ = 0.35;

/** Share of the task that is done when another skeleton is bound. */
const BOUND = 0.1;

export class Source implements Feature {
  static readonly attributes = ['src'];
  static readonly members = [
    'src',
    'model',
    'loaded',
    'busy',
    'load',
    'loadSkeleton',
    'useTemplate',
    'cancel',
  ] as const satisfies readonly (keyof PliantViewerApi)[];

  readonly #context: ViewerContext;
  /** What is on screen, or will be when the element is put into a page. */
  #source: ModelSource | undefined;
  /** Incremented with every character, so that late textures are not put on the next one. */
  #generation = 0;
  /** About images of the character on screen that cannot be decoded. */
  #imageWarnings: readonly Warning[] = [];
  #loads = 0;
  #binding: Promise<void> | undefined;
  /** Joint positions that are bound next. */
  #nextPositions: Readonly<Record<string, Point>> | undefined;

  constructor(context: ViewerContext) {
    this.#context = context;
  }

  partialState(): Pick<ViewerState, 'model' | 'busy'> {
    return { model: this.model, busy: this.busy };
  }

  connected(): void {
    if (this.#source) ignoreRejection(this.load(this.#source));
  }

  disconnected(): void {
    this.#cancelAll();
  }

  get src(): string | null {
    return this.#context.element.getAttribute('src');
  }

  set src(value: string | null) {
    reflect(this.#context.element, 'src', value);
  }

  attributeChanged(_: string, value: string | null): void {
    if (value === null) return;
    const source = sourceOf(value);
    if (this.#context.isOpen) ignoreRejection(this.load(source));
    else this.#source = source;
  }

  get model(): ModelInfo | null {
    return this.#context.model;
  }

  get loaded(): boolean {
    return this.model !== null;
  }

  get busy(): boolean {
    return this.#context.tasks.isBusy;
  }

  /** A character is being read. The one on screen is about to be replaced. */
  get isLoading(): boolean {
    return this.#loads > 0;
  }

  load(source: ModelSource): Promise<void> {
    const { tasks } = this.#context;
    const weights = this.#context.get(Weights);
    this.#cancelAll();
    return tasks.run(async (task) => {
      const early = await this.#read(source, task);
      note('loaded');
      const { model } = this.#context;
      if (!model) return;
      this.#context.emit('load', { model });
      this.#context.announce(`${model.name} loaded`);
      if (this.#lacksSkeleton && (await this.#context.get(Skeleton).fitNewMesh(task))) return;
      await weights.rigIfPossible(task, task.progress.part(READ, 1), early);
    });
  }

  /** Nothing deforms the mesh on screen, and a skeleton shall be fitted to it. */
  get #lacksSkeleton(): boolean {
    return !this.#context.get(Weights).canRig && this.#context.get(Skeleton).isAutomatic;
  }

  /** Brings a character on screen. Returns the request for its weights, which is under way. */
  async #read(source: ModelSource, task: Task): Promise<RigRequest | undefined> {
    const context = this.#context;
    let isLoading = true;
    const ended = () => {
      if (isLoading) this.#loads--;
      isLoading = false;
    };
    this.#loads++;
    try {
      const ask = await askFor(source, task.signal, task.progress.part(0, FETCHED));
      task.progress.part(FETCHED, READ)(0, 'Reading');
      const loading = context.solver.ask(ask, { signal: task.signal });
      // Sent together with the load, so that the solver does not wait until the page has drawn.
      const early = context.get(Weights).requestEarly(task, task.progress.part(READ, 1));
      const [{ model, asset }, viewer] = await Promise.all([loading, context.openViewer()]);
      viewer.showAsset(asset);
      this.#source = source;
      ended();
      context.call('meshChanged', asset);
      context.characterChanged(model, { autoplay: this.#autoplay, isSameMesh: false });
      this.#decodeTextures(asset);
      return early;
    } finally {
      ended();
    }
  }

  #decodeTextures(asset: AssetPacket): void {
    const generation = ++this.#generation;
    ignoreRejection(
      decodeTextures(asset, {
        viewer: () => (generation === this.#generation ? this.#context.viewer : undefined),
        decoded: () => this.#context.requestFrame(),
        failed: (warning) => {
          this.#imageWarnings = [...this.#imageWarnings, warning];
          this.#addImageWarnings();
        },
      }),
    );
  }

  meshChanged(): void {
    this.#imageWarnings = [];
  }

  characterChanged(): void {
    this.#addImageWarnings();
  }

  /** The description of a character comes from the worker, which does not decode images. */
  #addImageWarnings(): void {
    const context = this.#context;
    if (!context.model) return;
    const { warnings } = context.model;
    const known = new Set(warnings.map(({ message }) => message));
    const missing = this.#imageWarnings.filter(({ message }) => !known.has(message));
    if (missing.length === 0) return;
    context.model = { ...context.model, warnings: [...warnings, ...missing] };
    context.changed('model');
  }

  loadSkeleton(files: readonly File[]): Promise<void> {
    const { tasks, solver } = this.#context;
    return tasks.run((task) =>
      this.bind(task, solver.ask({ kind: 'skeleton', files: named(files) }, { signal: task.signal })),
    );
  }

  useTemplate(member: SampleCharacter): Promise<void> {
    const { tasks, solver } = this.#context;
    return tasks.run(async (task) => {
      const files = [await sampleFile(member, task.signal, task.progress.part(0, BOUND))];
      await this.bind(task, solver.ask({ kind: 'template', files }, { signal: task.signal }));
    });
  }

  /** Binds the mesh to its skeleton with other joint positions. One at a time, the newest next. */
  bindJoints(positions: Readonly<Record<string, Point>>): Promise<void> {
    const { tasks, solver } = this.#context;
    this.#nextPositions = structuredClone(positions);
    this.#binding ??= tasks
      .run(async (task) => {
        while (this.#nextPositions) {
          const positions = this.#nextPositions;
          this.#nextPositions = undefined;
          const answer = solver.ask({ kind: 'joints', positions }, { signal: task.signal });
          await this.bind(task, answer, { isLatest: () => this.#nextPositions === undefined });
        }
      })
      .finally(() => {
        this.#binding = undefined;
        this.#nextPositions = undefined;
      });
    return this.#binding;
  }

  /**
   * Shows the skeleton of an answer, and computes weights for it. `isLatest` is false if another
   * skeleton follows, so that nobody waits for these weights.
   */
  async bind(
    task: Task,
    answer: Promise<SkeletonAnswer>,
    {
      autoplay = this.#autoplay,
      isLatest = () => true,
    }: { autoplay?: boolean; isLatest?: () => boolean } = {},
  ): Promise<void> {
    const context = this.#context;
    const [{ model, skeleton }, viewer] = await Promise.all([answer, context.openViewer()]);
    const { released } = context.get(JointPlacement);
    if (released) {
      // Another skeleton would end the drag. After it, another one is on the way.
      await released;
      if (!isLatest() || task.signal.aborted) return;
    }
    const plays = autoplay && !context.get(Tools).placingJoints;
    viewer.showSkeleton(skeleton);
    context.characterChanged(model, { autoplay: plays, isSameMesh: true });
    context.get(JointPlacement).emitPositions(true);
    const weights = context.get(Weights);
    if (isLatest()) await weights.rigIfPossible(task, task.progress.part(BOUND, 1));
  }

  get #autoplay(): boolean {
    return this.#context.element.hasAttribute('autoplay');
  }

  /** Stops the current work. What is on screen stays, and so do weights that were fitted so far. */
  cancel(): void {
    const examples = this.#context.get(Examples);
    if (examples.hasFitted) examples.stop();
    else this.#cancelAll();
  }

  #cancelAll(): void {
    this.#context.tasks.cancel();
    this.#context.get(Weights).follower.abandonRun();
    this.#context.get(SecondView).follower.abandonRun();
  }
}

/** What comes in: a character, a skeleton for it, other places for its joints. Each is shown, then rigged if that is possible. */
import { note } from '../perf_marks.ts';
import type { SolverBridge } from '../solver/bridge.ts';
import type { AssetPacket, ModelInfo, SampleCharacter, SkeletonAnswer, Viewer } from '../wasm.ts';
import type { ModelSource, PliantViewerEvents, Point } from './api.ts';
import type { Poser } from './pose_controller.ts';
import type { Rigging } from './rigging.ts';
import { askFor, named, sampleFile } from './source.ts';
import type { Task, Tasks } from './tasks.ts';
import { decodeTextures } from './textures.ts';

/** Shares of a load: fetching, reading, and rigging the rest. */
const FETCHED = 0.1;
const READ = 0.35;

/** The same for a skeleton. */
const BOUND = 0.1;

export interface ArrivalsHost {
  readonly element: HTMLElement;
  readonly solver: SolverBridge;
  readonly tasks: Tasks;
  readonly rigging: Rigging;
  readonly poser: Poser;
  viewer(): Viewer | undefined;
  open(): Promise<Viewer>;
  /** Stops whatever is under way. */
  abandon(): void;
  /** Another mesh is drawn. */
  meshed(asset: AssetPacket): void;
  /** Another character, or the same with other joints; it has no weights yet. */
  begin(model: ModelInfo, autoplay: boolean): void;
  requestFrame(): void;
  say(text: string): void;
  emit<K extends keyof PliantViewerEvents>(type: K, detail: PliantViewerEvents[K]): void;
}

export class Arrivals {
  readonly #host: ArrivalsHost;
  /** What is shown, or shall be as soon as there is a place for it. */
  source: ModelSource | undefined;
  /** Counts characters, so that images that are late do not end up on the next one. */
  #shown = 0;
  #binding: Promise<void> | undefined;
  /** Where joints shall go next. */
  #wantedJoints: Readonly<Record<string, Point>> | undefined;

  constructor(host: ArrivalsHost) {
    this.#host = host;
  }

  load(source: ModelSource): Promise<void> {
    const { tasks, solver, rigging, emit } = this.#host;
    // Whatever is under way is about a character nobody waits for any more.
    this.#host.abandon();
    return tasks.run(async (task) => {
      const ask = await askFor(source, task.signal, task.progress.part(0, FETCHED));
      task.progress.part(FETCHED, READ)(0, 'Reading');
      const loading = solver.ask(ask, { signal: task.signal });
      // Asked along, so that the solver need not wait until the page has drawn.
      const asked = rigging.askAlong(task, task.progress.part(READ, 1));
      const [{ model, asset }, viewer] = await Promise.all([loading, this.#host.open()]);
      viewer.showAsset(asset);
      this.#host.meshed(asset);
      this.source = source;
      this.#host.begin(model, this.#autoplay);
      this.#dress(asset);
      note('loaded');
      emit('load', { model });
      this.#host.say(`${model.name} loaded`);
      await rigging.rigIfPossible(task, READ, asked);
    });
  }

  #dress(asset: AssetPacket): void {
    const shown = ++this.#shown;
    decodeTextures(
      asset,
      () => (shown === this.#shown ? this.#host.viewer() : undefined),
      () => this.#host.requestFrame(),
    );
  }

  loadSkeleton(files: readonly File[]): Promise<void> {
    const { tasks, solver } = this.#host;
    return tasks.run((task) =>
      this.#bind(task, solver.ask({ kind: 'skeleton', files: named(files) }, { signal: task.signal })),
    );
  }

  useTemplate(member: SampleCharacter): Promise<void> {
    const { tasks, solver } = this.#host;
    return tasks.run(async (task) => {
      const files = [await sampleFile(member, task.signal, task.progress.part(0, BOUND))];
      await this.#bind(task, solver.ask({ kind: 'template', files }, { signal: task.signal }));
    });
  }

  setJointPositions(positions: Readonly<Record<string, Point>>): Promise<void> {
    const { tasks, solver, poser } = this.#host;
    // A slider asks faster than a skeleton is bound: whatever is newest when one is done comes next.
    this.#wantedJoints = structuredClone(positions);
    this.#binding ??= tasks
      .run(async (task) => {
        while (this.#wantedJoints) {
          const wanted = this.#wantedJoints;
          this.#wantedJoints = undefined;
          const answer = solver.ask({ kind: 'joints', positions: wanted }, { signal: task.signal });
          await this.#bind(task, answer, poser.isPlacing);
        }
      })
      .finally(() => {
        this.#binding = undefined;
        this.#wantedJoints = undefined;
      });
    return this.#binding;
  }

  async #bind(task: Task, answer: Promise<SkeletonAnswer>, isPlacing = false): Promise<void> {
    const { poser, rigging, emit } = this.#host;
    const [{ model, skeleton }, viewer] = await Promise.all([answer, this.#host.open()]);
    viewer.showSkeleton(skeleton);
    this.#host.begin(model, this.#autoplay && !isPlacing);
    if (isPlacing) poser.setPlacing(true);
    emit('joint-change', { positions: poser.jointPositions, final: true });
    if (!this.#wantedJoints) await rigging.rigIfPossible(task, BOUND);
  }

  get #autoplay(): boolean {
    return this.#host.element.hasAttribute('autoplay');
  }
}

/** Gets a character in, rigged and out again: the solver on one side, the stage on the other. */
import { note } from '../moments.ts';
import { OPTIONS } from '../options.ts';
import { SolverBridge } from '../solver/bridge.ts';
import { PliantFailure } from '../solver/failure.ts';
import {
  type CastMember,
  type ModelInfo,
  pageMemory,
  type Recipe,
  type RigAnswer,
  type RigReport,
  type SkeletonAnswer,
  type Viewer,
} from '../wasm.ts';
import type { ExportOptions, ModelSource, PliantViewerEvents, Point } from './api.ts';
import { Badges } from './badges.ts';
import { Examples } from './examples.ts';
import { Fit } from './fit.ts';
import { Flesh } from './flesh.ts';
import { Handles, usedHandles } from './handles.ts';
import { lookOf, watchLook } from './look.ts';
import { painted } from './painted.ts';
import { Poser } from './poser.ts';
import { isQuick } from './quick.ts';
import { buildShadow, freshCanvas, type Shadow } from './shadow.ts';
import { askFor, named, sourceOf } from './source.ts';
import { Split } from './split.ts';
import { Stage } from './stage.ts';
import { type Task, Tasks } from './tasks.ts';
import { decodeTextures } from './textures.ts';

/** Shares of a load: fetching, reading, and rigging the rest. */
const FETCHED = 0.1;
const READ = 0.35;

type OnProgress = (share: number, stage: string) => void;

/** A rig that is on its way. */
interface Rigging {
  recipe: Recipe;
  /** The same as text. */
  by: string;
  answer: Promise<RigAnswer>;
}

export interface CharacterHost {
  emit<K extends keyof PliantViewerEvents>(type: K, detail: PliantViewerEvents[K]): void;
}

export class Character {
  readonly poser: Poser;
  readonly split: Split;
  readonly flesh: Flesh;
  readonly examples: Examples;
  readonly fit: Fit;
  readonly handles: Handles;
  readonly #element: HTMLElement;
  readonly #host: CharacterHost;
  readonly #shadow: Shadow;
  readonly #badges: Badges;
  readonly #solver = new SolverBridge();
  #stage: Stage | undefined;
  #unwatchLook: (() => void) | undefined;
  /** Until the solver works by itself, the page leaves it the way free. */
  #warming: Promise<void> | undefined;
  #recipe: Recipe = structuredClone(OPTIONS.recipe);
  /** The recipe the weights on screen were found by, as text. */
  #riggedBy: string | undefined;
  /** The recipe of the weights on screen, which may be on the way to the one wanted. */
  #shownBy: Recipe | undefined;
  #rigging: Promise<RigReport> | undefined;
  #binding: Promise<void> | undefined;
  /** Where joints shall go next. */
  #wantedJoints: Readonly<Record<string, Point>> | undefined;
  #isChangeNoted = false;
  #model: ModelInfo | null = null;
  #hasSkeleton = false;
  /** Has told that a skeleton is needed. */
  #isWaiting = false;
  #report: RigReport | null = null;
  #source: ModelSource | undefined;
  /** Counts characters, so that images that are late do not end up on the next one. */
  #shown = 0;
  readonly #tasks: Tasks;

  constructor(element: HTMLElement, host: CharacterHost) {
    this.#element = element;
    this.#host = host;
    this.#shadow = buildShadow(element);
    this.#badges = new Badges(this.#shadow.badges);
    this.#tasks = new Tasks({
      progress: (totalProgress, stage) => host.emit('progress', { totalProgress, stage }),
      failed: (failure) => this.#showFailure(failure),
    });
    this.poser = new Poser(
      {
        viewer: () => this.viewer,
        model: () => this.#model,
        report: () => this.#report,
        requestFrame: () => this.#stage?.requestFrame(),
        settle: () => this.#stage?.settle(),
        colorsChanged: () => this.split.drawLegend(),
        folded: () => this.flesh.folds.found[0],
        isPainting: () => this.flesh.brush !== null,
        fit: () => this.fit.legend,
        placed: (positions) => this.#quietly(this.setJointPositions(positions)),
        reset: () => this.resetPose(),
        handled: (event) => this.handles.acted(event),
        say: (text) => this.#say(text),
        emit: host.emit,
      },
      this.#shadow.legend,
    );
    this.handles = new Handles({
      viewer: () => this.viewer,
      recipe: () => this.#recipe,
      changeRecipe: (change) => this.changeRecipe(change),
      joints: () => this.#model?.joints.map(({ name }) => name) ?? [],
      select: (joint) => this.poser.select(joint),
      selected: () => this.poser.selected,
      pause: () => this.poser.pause(),
      settle: () => this.#stage?.settle(),
      say: (text) => this.#say(text),
      emit: host.emit,
    });
    this.split = new Split({
      element,
      shadow: this.#shadow,
      solver: this.#solver,
      tasks: this.#tasks,
      viewer: () => this.viewer,
      recipe: () => this.#recipe,
      selected: () => this.poser.selected,
      folded: () => this.flesh.folds.found[1],
      isPainting: () => this.flesh.brush !== null,
      volumes: () => [this.flesh.volume, this.flesh.comparedVolume ?? this.flesh.volume],
      isReady: () => this.#report !== null,
      handles: () => usedHandles(this.#recipe),
      requestFrame: () => this.#stage?.requestFrame(),
      complete: (report) => host.emit('compare-complete', { report }),
    });
    this.flesh = new Flesh({
      element,
      solver: this.#solver,
      playback: this.poser.playback,
      viewer: () => this.viewer,
      isReady: () => this.#report !== null,
      shows: () => [this.poser.show, this.split.comparison.isShown ? this.split.show : null],
      requestFrame: () => this.#stage?.requestFrame(),
      settle: () => this.#stage?.settle(),
      colorsChanged: () => this.poser.colorsChanged(),
      emit: host.emit,
    });
    const common = { solver: this.#solver, viewer: () => this.viewer, model: () => this.#model };
    this.examples = new Examples({
      ...common,
      tasks: this.#tasks,
      playback: this.poser.playback,
      recipe: () => this.#recipe,
      changed: () => {
        this.changeRecipe({});
        this.fit.refresh();
      },
      soFar: ({ rig }) => this.#showSoFar(rig),
      emit: host.emit,
    });
    this.fit = new Fit({
      ...common,
      examples: this.examples,
      report: () => this.#report,
      show: () => this.poser.show,
      requestFrame: () => this.#stage?.requestFrame(),
      colorsChanged: () => this.poser.colorsChanged(),
    });
  }

  get viewer(): Viewer | undefined {
    return this.#stage?.viewer;
  }

  get canvas(): HTMLCanvasElement {
    return this.#shadow.canvas;
  }

  get recipe(): Recipe {
    return this.#recipe;
  }

  get model(): ModelInfo | null {
    return this.#model;
  }

  get report(): RigReport | null {
    return this.#report;
  }

  get isBusy(): boolean {
    return this.#tasks.isBusy;
  }

  // Life.

  connect(): void {
    if (this.#unwatchLook) return;
    const isNew = this.#stage === undefined;
    this.#warming = this.#solver.warm();
    this.#unwatchLook = watchLook(() => this.updateLook());
    this.#open().catch((thrown) => this.#showFailure(PliantFailure.of(thrown)));
    // What was asked for before there was a place for it, or was here before the element was taken away.
    if (isNew && this.#source) this.#quietly(this.load(this.#source));
  }

  disconnect(): void {
    this.#abandon();
    this.#solver.dispose();
    this.#unwatchLook?.();
    this.#unwatchLook = undefined;
    this.#stage?.close();
    this.#stage = undefined;
    this.#shadow.canvas = freshCanvas(this.#shadow.canvas);
    this.#model = null;
    this.#report = null;
  }

  async #open(): Promise<Viewer> {
    if (!this.#stage) {
      this.#stage = new Stage(this.#shadow.canvas, {
        beforeFrame: (now) => this.poser.beforeFrame(now),
        afterFrame: (viewer) => {
          this.split.placeBadges(viewer, this.#badges);
          this.flesh.afterFrame(viewer);
        },
        acted: (events) => {
          this.poser.acted(events);
          this.flesh.acted(events);
        },
        key: (event) => this.#key(event),
        doubleClick: (x, y) => this.handles.resetAt(x, y, false),
        failed: (failure) => this.#showFailure(failure),
      });
      this.updateLook();
    }
    const stage = this.#stage;
    await this.#warming;
    // Making a WebGL context holds the page up; whatever else is on it should be seen by then.
    await painted();
    const isFirst = stage.viewer === undefined;
    const viewer = await stage.open();
    if (isFirst) {
      this.poser.prepare(viewer);
      this.split.prepare();
      this.flesh.prepare();
      this.handles.prepare();
      stage.requestFrame();
    }
    return viewer;
  }

  updateLook(): void {
    const { isDark, isStill } = lookOf(this.#element);
    const { legend, comparedLegend, divider, message } = this.#shadow;
    for (const box of [legend, comparedLegend, divider.box, message])
      box.style.colorScheme = isDark ? 'dark' : 'light';
    this.#stage?.setLook(isDark, isStill);
  }

  #key(event: KeyboardEvent): boolean {
    switch (event.key) {
      case 'r':
      case 'R':
        return this.poser.resetByUser();
      case ']':
        return this.poser.selectNext(1);
      case '[':
        return this.poser.selectNext(-1);
      default:
        return this.handles.key(event, this.canvas);
    }
  }

  /** Joints back to rest, and handles let go. */
  resetPose(): void {
    if (Object.keys(this.handles.targets).length > 0) this.handles.targets = {};
    this.poser.setPose({});
  }

  // In.

  setSrc(url: string | null): void {
    if (url === null) return;
    if (this.#stage) this.#quietly(this.load(sourceOf(url)));
    else this.#source = sourceOf(url);
  }

  load(source: ModelSource): Promise<void> {
    // Whatever is under way is about a character nobody waits for any more.
    this.#abandon();
    return this.#tasks.run(async (task) => {
      const ask = await askFor(source, task.signal, task.progress.part(0, FETCHED));
      task.progress.part(FETCHED, READ)(0, 'Reading');
      const loading = this.#solver.ask(ask, { signal: task.signal });
      // Asked along, so that the solver need not wait until the page has drawn.
      const rigging = this.#askRig(task, task.progress.part(READ, 1));
      const [{ model, asset }, viewer] = await Promise.all([loading, this.#open()]);
      viewer.showAsset(asset);
      this.fit.begin();
      this.examples.begin(asset.triangles);
      const shown = ++this.#shown;
      this.#source = source;
      this.#show(model, this.#element.hasAttribute('autoplay'));
      decodeTextures(
        asset,
        () => (shown === this.#shown ? this.viewer : undefined),
        () => this.#stage?.requestFrame(),
      );
      note('loaded');
      this.#host.emit('load', { model });
      this.#say(`${model.name} loaded`);
      await this.#rigIfPossible(task, READ, rigging);
    });
  }

  loadSkeleton(files: readonly File[]): Promise<void> {
    return this.#tasks.run((task) =>
      this.#bind(task, this.#solver.ask({ kind: 'skeleton', files: named(files) }, { signal: task.signal })),
    );
  }

  useTemplate(member: CastMember): Promise<void> {
    return this.#tasks.run((task) =>
      this.#bind(task, this.#solver.ask({ kind: 'template', member }, { signal: task.signal })),
    );
  }

  setJointPositions(positions: Readonly<Record<string, Point>>): Promise<void> {
    // A slider asks faster than a skeleton is bound: whatever is newest when one is done comes next.
    this.#wantedJoints = structuredClone(positions);
    this.#binding ??= this.#tasks
      .run(async (task) => {
        while (this.#wantedJoints) {
          const wanted = this.#wantedJoints;
          this.#wantedJoints = undefined;
          const answer = this.#solver.ask({ kind: 'joints', positions: wanted }, { signal: task.signal });
          await this.#bind(task, answer, this.poser.isPlacing);
        }
      })
      .finally(() => {
        this.#binding = undefined;
        this.#wantedJoints = undefined;
      });
    return this.#binding;
  }

  async #bind(task: Task, answer: Promise<SkeletonAnswer>, isPlacing = false): Promise<void> {
    const [{ model, skeleton }, viewer] = await Promise.all([answer, this.#open()]);
    viewer.showSkeleton(skeleton);
    this.#show(model, this.#element.hasAttribute('autoplay') && !isPlacing);
    if (isPlacing) this.poser.setPlacing(true);
    this.#host.emit('joint-change', { positions: this.poser.jointPositions, final: true });
    if (!this.#wantedJoints) await this.#rigIfPossible(task, 0.1);
  }

  #show(model: ModelInfo, autoplay: boolean): void {
    this.#model = model;
    this.#hasSkeleton = model.joints.length > 0;
    this.#isWaiting = false;
    this.#report = null;
    this.#riggedBy = undefined;
    this.#shownBy = undefined;
    this.split.comparison.forget();
    this.split.refresh();
    this.#shadow.message.hidden = true;
    this.#shadow.canvas.setAttribute('aria-label', `3D view of ${model.name}`);
    this.poser.begin(autoplay);
    this.flesh.begin();
    this.handles.prepare();
    this.#stage?.settle();
  }

  async #rigIfPossible(task: Task, from: number, asked?: Rigging): Promise<void> {
    if (!this.#model) return;
    if (!this.#canRig) return this.#askForSkeleton(this.#model);
    await this.#runRig(task, task.progress.part(from, 1), asked);
  }

  /** Bones hold the skin, or handles do. */
  get #canRig(): boolean {
    return this.#hasSkeleton || usedHandles(this.#recipe).length > 0;
  }

  #askForSkeleton(model: ModelInfo): void {
    this.#isWaiting = true;
    this.#host.emit('skeleton-needed', { model });
  }

  /** Nothing holds the skin any more. */
  #unrig(model: ModelInfo): void {
    this.viewer?.forgetRig();
    this.#show({ ...model, joints: [] }, false);
    this.#askForSkeleton({ ...model, joints: [] });
  }

  // Rigging.

  /** Another recipe; several changes within one turn of the browser count as one, and none when they cancel out. */
  changeRecipe(change: Partial<Recipe>): void {
    this.#recipe = { ...this.#recipe, ...change };
    this.handles.follow();
    this.#showBadges();
    this.split.refresh();
    if (this.#isChangeNoted) return;
    this.#isChangeNoted = true;
    queueMicrotask(() => {
      this.#isChangeNoted = false;
      this.#followRecipe();
    });
  }

  changeAtlas(change: Partial<Recipe['atlas']>): void {
    this.changeRecipe({ atlas: { ...this.#recipe.atlas, ...change } });
  }

  #followRecipe(): void {
    const isOther = this.#riggedBy !== undefined && this.#riggedBy !== this.#keyOf(this.#recipe);
    if (!this.#model || !(isOther || this.#isWaiting)) return;
    if (!this.#canRig) {
      if (this.#report) this.#unrig(this.#model);
      return;
    }
    // Nobody wants to know the end of what is being learned by an older one.
    this.examples.stop();
    // Better the weights there are than none.
    if (this.examples.lacks(this.#recipe)) {
      this.#host.emit('examples-needed', {});
      return;
    }
    this.#isWaiting = false;
    // A run that is just ending looks at the recipe no more.
    this.#rigging?.then(
      () => this.#followRecipe(),
      () => undefined,
    );
    this.#quietly(this.rig());
  }

  #showBadges(): void {
    const { method, atlas } = this.#recipe;
    this.#badges.set(method === 'atlas' ? atlas.k_joints : {});
    this.#stage?.requestFrame();
    if (this.viewer) this.split.placeBadges(this.viewer, this.#badges);
  }

  rig(): Promise<RigReport> {
    // One run at a time; it goes on until it has followed the latest recipe.
    if (this.#rigging) return this.#rigging;
    const rigging = this.#tasks
      .run((task) => this.#runRig(task, task.progress.part(0, 1)))
      .finally(() => {
        if (this.#rigging === rigging) this.#rigging = undefined;
      });
    this.#rigging = rigging;
    return rigging;
  }

  /** `known` names what the page has already, so that it is not sent again. */
  #askRig(task: Task, onProgress?: OnProgress, known?: string): Rigging {
    const wanted = structuredClone(this.#recipe);
    const by = this.#keyOf(wanted);
    // Whoever has nothing to learn from moves by the usual method meanwhile.
    const recipe = this.examples.lacks(wanted) ? { ...wanted, method: OPTIONS.recipe.method } : wanted;
    if (recipe.method === 'examples') this.examples.send(task.signal);
    const options = { signal: task.signal, ...(onProgress ? { onProgress } : {}) };
    const listeners = this.examples.listeners(recipe);
    const answer = this.#solver.ask({ kind: 'rig', recipe, known }, { ...options, ...listeners });
    // What fails is told to whoever waits for it; nobody may come to that.
    this.#quietly(answer.finally(() => this.examples.rest()));
    return { recipe, by, answer };
  }

  /** What tells weights by a recipe from those by another. */
  #keyOf(recipe: Recipe): string {
    return JSON.stringify(recipe) + this.examples.keyFor(recipe);
  }

  /** Weights on the way to better ones. */
  #showSoFar(rig: RigAnswer['rig']): void {
    if (!this.#report) return;
    this.viewer?.showRig(rig);
    this.#stage?.requestFrame();
  }

  async #runRig(task: Task, onProgress: OnProgress, asked?: Rigging): Promise<RigReport> {
    for (let next = asked; ; next = undefined) {
      const isSoon = this.#shownBy !== undefined && isQuick(this.#shownBy, this.#recipe);
      const listener = isSoon ? undefined : onProgress;
      const { recipe, by, answer } = next ?? this.#askRig(task, listener, this.viewer?.knownBase);
      this.#riggedBy = by;
      const { report, rig } = await answer;
      this.viewer?.showRig(rig);
      this.#shownBy = recipe;
      listener?.(1, 'Done');
      if (by === this.#keyOf(this.#recipe)) {
        this.#rigged(report);
        if (!isSoon) this.#say('Ready to move');
        return report;
      }
      // A newer one is wanted already; what came is seen on the way to it.
      this.#stage?.requestFrame();
    }
  }

  #rigged(report: RigReport): void {
    this.#report = report;
    note('rigged');
    if (this.#model) this.#model = { ...this.#model, joints: report.joints };
    this.poser.ready();
    this.handles.rigged();
    this.#stage?.settle();
    if (report.warnings.length > 0) this.#host.emit('rig-warning', { warnings: report.warnings });
    this.#host.emit('rig-complete', { report });
    this.split.follow();
    this.fit.refresh();
    if (this.examples.lacks(this.#recipe)) this.#host.emit('examples-needed', {});
  }

  cancel(): void {
    if (this.examples.hasLearned) this.examples.stop();
    else this.#abandon();
  }

  /** Stops whatever is under way; what is asked for from now on does not wait for its end. */
  #abandon(): void {
    this.#tasks.cancel();
    this.#rigging = undefined;
  }

  stopLearning(): void {
    if (this.examples.energy) this.cancel();
  }

  exportGLB({ bake }: ExportOptions): Promise<Blob> {
    return this.#tasks.run(async (task) => {
      const asked = {
        kind: 'export',
        bake: bake && this.flesh.bakeOf(bake),
        painted: this.flesh.map,
      } as const;
      const bytes = await this.#solver.ask(asked, { signal: task.signal });
      return new Blob([bytes], { type: 'model/gltf-binary' });
    });
  }

  /** Bytes taken by the page's instance and by the worker's. */
  async memory(): Promise<[number, number]> {
    return [await pageMemory(), await this.#solver.ask({ kind: 'memory' })];
  }

  /** For what nobody awaits: the `error` event has told already. */
  #quietly(promise: Promise<unknown>): void {
    promise.catch(() => undefined);
  }

  #showFailure(failure: PliantFailure): void {
    if (failure.code === 'cancelled') return;
    // In the picture's place only when there is no picture to keep.
    if (!this.viewer || this.#model === null) {
      const title = Object.assign(document.createElement('strong'), { textContent: failure.message });
      const hint = Object.assign(document.createElement('span'), { textContent: failure.hint });
      this.#shadow.message.replaceChildren(title, hint);
      this.#shadow.message.hidden = false;
    }
    this.#host.emit('error', failure.toDetail());
  }

  #say(text: string): void {
    this.#shadow.status.textContent = text;
  }
}

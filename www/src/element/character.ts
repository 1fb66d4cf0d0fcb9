/** The character behind the tag: the solver on one side, the stage on the other, and the parts that work between them. */
import { SolverBridge } from '../solver/bridge.ts';
import { PliantFailure } from '../solver/failure.ts';
import { type ModelInfo, pageMemory, type Recipe, type RigReport, type Viewer } from '../wasm.ts';
import { painted } from './after_paint.ts';
import type { ExportOptions, PliantViewerEvents } from './api.ts';
import { Badges } from './badges.ts';
import { Examples } from './examples.ts';
import { Fit } from './fit.ts';
import { Handles, usedHandles } from './handles.ts';
import { Arrivals } from './loader.ts';
import { lookOf, watchLook } from './look.ts';
import { Poser } from './pose_controller.ts';
import { PostSkinning } from './post_skinning.ts';
import { Rigging } from './rigging.ts';
import { buildShadow, freshCanvas, type Shadow } from './shadow.ts';
import { sourceOf } from './source.ts';
import { Split } from './split.ts';
import { Stage } from './stage.ts';
import { quietly, Tasks } from './tasks.ts';

export interface CharacterHost {
  emit<K extends keyof PliantViewerEvents>(type: K, detail: PliantViewerEvents[K]): void;
}

export class Character {
  readonly arrivals: Arrivals;
  readonly rigging: Rigging;
  readonly poser: Poser;
  readonly split: Split;
  readonly postSkinning: PostSkinning;
  readonly examples: Examples;
  readonly fit: Fit;
  readonly handles: Handles;
  readonly #element: HTMLElement;
  readonly #host: CharacterHost;
  readonly #shadow: Shadow;
  readonly #badges: Badges;
  readonly #solver = new SolverBridge();
  readonly #tasks: Tasks;
  #stage: Stage | undefined;
  #unwatchLook: (() => void) | undefined;
  /** Until the solver works by itself, the page leaves it the way free. */
  #warming: Promise<void> | undefined;
  #model: ModelInfo | null = null;

  constructor(element: HTMLElement, host: CharacterHost) {
    this.#element = element;
    this.#host = host;
    this.#shadow = buildShadow(element);
    this.#badges = new Badges(this.#shadow.badges);
    this.#tasks = new Tasks({
      progress: (totalProgress, stage) => host.emit('progress', { totalProgress, stage }),
      failed: (failure) => this.#showFailure(failure),
    });
    // Parts are made below; they meet each other only when something happens.
    const common = {
      element,
      solver: this.#solver,
      tasks: this.#tasks,
      viewer: () => this.viewer,
      model: () => this.#model,
      recipe: () => this.recipe,
      report: () => this.report,
      isReady: () => this.report !== null,
      isPainting: () => this.postSkinning.brush !== null,
      selected: () => this.poser.selected,
      show: () => this.poser.show,
      colorsChanged: () => this.poser.colorsChanged(),
      requestFrame: () => this.#stage?.requestFrame(),
      settle: () => this.#stage?.settle(),
      say: (text: string) => this.#say(text),
      emit: host.emit,
    };
    this.rigging = new Rigging({
      ...common,
      examples: () => this.examples,
      wanted: () => this.#wanted(),
      rigged: (report) => this.#rigged(report),
      released: (model) => {
        this.viewer?.clearView(0);
        this.#begin(model, false);
      },
    });
    this.poser = new Poser(
      {
        ...common,
        colorsChanged: () => this.split.drawLegend(),
        folded: () => this.postSkinning.folds.found[0],
        fit: () => this.fit.legend,
        placed: (positions) => quietly(this.arrivals.setJointPositions(positions)),
        reset: () => this.resetPose(),
        handled: (event) => this.handles.acted(event),
      },
      this.#shadow.legend,
    );
    this.arrivals = new Arrivals({
      ...common,
      rigging: this.rigging,
      poser: this.poser,
      open: () => this.#open(),
      abandon: () => this.#abandon(),
      meshed: ({ triangles }) => {
        this.fit.begin();
        this.examples.begin(triangles);
      },
      begin: (model, autoplay) => this.#begin(model, autoplay),
    });
    this.handles = new Handles({
      ...common,
      changeRecipe: (change) => this.rigging.change(change),
      joints: () => this.#model?.joints.map(({ name }) => name) ?? [],
      select: (joint) => this.poser.select(joint),
      pause: () => this.poser.pause(),
    });
    this.split = new Split({
      ...common,
      shadow: this.#shadow,
      folded: () => this.postSkinning.folds.found[1],
      volumes: () => [this.postSkinning.volume, this.postSkinning.comparedVolume ?? this.postSkinning.volume],
      handles: () => usedHandles(this.recipe),
      complete: (report) => host.emit('compare-complete', { report }),
    });
    this.postSkinning = new PostSkinning({
      ...common,
      playback: this.poser.playback,
      shows: () => [this.poser.show, this.split.comparison.isShown ? this.split.show : null],
    });
    this.examples = new Examples({
      ...common,
      playback: this.poser.playback,
      changed: () => {
        this.rigging.change({});
        this.fit.refresh();
      },
      partialResult: ({ rig }) => this.rigging.showPartialResult(rig),
    });
    this.fit = new Fit({ ...common, examples: this.examples });
  }

  get viewer(): Viewer | undefined {
    return this.#stage?.viewer;
  }

  get canvas(): HTMLCanvasElement {
    return this.#shadow.canvas;
  }

  get recipe(): Recipe {
    return this.rigging.recipe;
  }

  get model(): ModelInfo | null {
    return this.#model;
  }

  get report(): RigReport | null {
    return this.rigging.report;
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
    const { source } = this.arrivals;
    if (isNew && source) quietly(this.arrivals.load(source));
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
    this.rigging.forget();
  }

  setSrc(url: string | null): void {
    if (url === null) return;
    if (this.#stage) quietly(this.arrivals.load(sourceOf(url)));
    else this.arrivals.source = sourceOf(url);
  }

  async #open(): Promise<Viewer> {
    if (!this.#stage) {
      this.#stage = this.#build();
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
      this.postSkinning.prepare();
      this.handles.prepare();
      stage.requestFrame();
    }
    return viewer;
  }

  #build(): Stage {
    return new Stage(this.#shadow.canvas, {
      beforeFrame: (now) => this.poser.beforeFrame(now),
      afterFrame: (viewer) => {
        this.split.placeBadges(viewer, this.#badges);
        this.postSkinning.afterFrame(viewer);
      },
      acted: (events) => {
        this.poser.acted(events);
        this.postSkinning.acted(events);
      },
      key: (event) => this.#key(event),
      doubleClick: (x, y) => this.handles.resetAt(x, y, false),
      failed: (failure) => this.#showFailure(failure),
    });
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

  // What the parts tell each other.

  /** Another character, or the same with other joints; it has no weights yet. */
  #begin(model: ModelInfo, autoplay: boolean): void {
    this.#model = model;
    this.rigging.begin(model);
    this.split.comparison.forget();
    this.split.refresh();
    this.#shadow.message.hidden = true;
    this.#shadow.canvas.setAttribute('aria-label', `3D view of ${model.name}`);
    this.poser.begin(autoplay);
    this.postSkinning.begin();
    this.handles.prepare();
    this.#stage?.settle();
  }

  /** Another recipe is wanted. */
  #wanted(): void {
    const { method, atlas } = this.recipe;
    this.handles.follow();
    this.#badges.set(method === 'atlas' ? atlas.k_joints : {});
    this.#stage?.requestFrame();
    if (this.viewer) this.split.placeBadges(this.viewer, this.#badges);
    this.split.refresh();
  }

  /** There are weights as wanted. */
  #rigged(report: RigReport): void {
    if (this.#model) this.#model = { ...this.#model, joints: report.joints };
    this.poser.ready();
    this.handles.rigged();
    this.#stage?.settle();
    if (report.warnings.length > 0) this.#host.emit('rig-warning', { warnings: report.warnings });
    this.#host.emit('rig-complete', { report });
    this.split.follow();
    this.fit.refresh();
  }

  // Stopping.

  cancel(): void {
    if (this.examples.hasFitted) this.examples.stop();
    else this.#abandon();
  }

  stopFitting(): void {
    if (this.examples.energy) this.cancel();
  }

  /** Stops whatever is under way; what is asked for from now on does not wait for its end. */
  #abandon(): void {
    this.#tasks.cancel();
    this.rigging.abandon();
  }

  // Out.

  exportGLB({ bake }: ExportOptions): Promise<Blob> {
    return this.#tasks.run(async (task) => {
      const asked = {
        kind: 'export',
        bake: bake && this.postSkinning.bakeOf(bake),
        painted: this.postSkinning.map,
      } as const;
      const bytes = await this.#solver.ask(asked, { signal: task.signal });
      return new Blob([bytes], { type: 'model/gltf-binary' });
    });
  }

  /** Bytes taken by the page's instance and by the worker's. */
  async memory(): Promise<[number, number]> {
    return [await pageMemory(), await this.#solver.ask({ kind: 'memory' })];
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

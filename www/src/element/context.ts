/**
 * What the features of one element share: the solver, the drawing surface, the character on screen,
 * the tasks under way, and a way to reach each other.
 */
import { SolverBridge } from '../solver/bridge.ts';
import { PliantFailure } from '../solver/failure.ts';
import { type ModelInfo, pageMemory, type Viewer } from '../wasm.ts';
import { afterPaint } from './after_paint.ts';
import type { PliantViewerEvents, ViewerState } from './api.ts';
import { DrawingSurface } from './drawing_surface.ts';
import type { CharacterOptions, Feature, FeatureClass } from './feature.ts';
import { buildShadow, freshCanvas, type Shadow } from './shadow.ts';
import { Tasks } from './tasks.ts';

type StateKey = keyof ViewerState;

/** Hooks without a result, which are called on all features. */
type Hook = {
  [K in keyof Feature]-?: NonNullable<Feature[K]> extends (...args: never) => infer R
    ? R extends void
      ? K
      : never
    : never;
}[keyof Feature];

export class ViewerContext {
  readonly element: HTMLElement;
  readonly shadow: Shadow;
  readonly solver = new SolverBridge();
  readonly tasks: Tasks;
  /** The character on screen. */
  model: ModelInfo | null = null;
  readonly #features = new Map<FeatureClass, Feature>();
  #surface: DrawingSurface | undefined;
  #isConnected = false;
  /** Ends when the worker runs by itself. Until then the page should not keep its thread busy. */
  #workerStarted: Promise<void> | undefined;
  readonly #changedKeys = new Set<StateKey>();
  #isDark = false;
  #isStill = false;

  constructor(element: HTMLElement, features: readonly FeatureClass[]) {
    this.element = element;
    this.shadow = buildShadow(element);
    this.tasks = new Tasks({
      progress: (totalProgress, stage) => this.emit('progress', { totalProgress, stage }),
      busyChanged: () => this.changed('busy'),
      failed: (failure) => this.fail(failure),
    });
    for (const type of features) this.#features.set(type, new type(this) as Feature);
  }

  /** The element's instance of a feature. */
  get<T extends object>(type: FeatureClass<T>): T {
    const feature = this.#features.get(type);
    if (!(feature instanceof type)) throw new Error(`${type.name} is not in the table of features`);
    return feature;
  }

  get features(): IterableIterator<Feature> {
    return this.#features.values();
  }

  /** Calls a hook of all features that have it, in the order of the table. */
  call<K extends Hook>(hook: K, ...args: Parameters<NonNullable<Feature[K]>>): void {
    for (const feature of this.features) {
      const method = feature[hook] as ((...args: unknown[]) => void) | undefined;
      method?.apply(feature, args);
    }
  }

  // Events and state.

  emit<K extends keyof PliantViewerEvents>(type: K, detail: PliantViewerEvents[K]): void {
    // Like those of images, these two would reach the page's own `window.onload` and `onerror`.
    const bubbles = type !== 'load' && type !== 'error';
    this.element.dispatchEvent(new CustomEvent(type, { detail, bubbles, composed: true }));
  }

  /** Members of `state` have changed. One `state-change` reports all changes of one turn. */
  changed(...keys: readonly StateKey[]): void {
    if (this.#changedKeys.size === 0 && keys.length > 0) {
      queueMicrotask(() => {
        const keys = [...this.#changedKeys];
        this.#changedKeys.clear();
        this.emit('state-change', { keys });
      });
    }
    for (const key of keys) this.#changedKeys.add(key);
  }

  /** A recipe, a display setting or the selection changed. */
  settingsChanged(): void {
    this.call('settingsChanged');
    this.requestFrame();
  }

  /** Words for screen readers. */
  announce(text: string): void {
    this.shadow.status.textContent = text;
  }

  /** Reports a failure; in the picture's place if there is no picture to keep. */
  fail(failure: PliantFailure): void {
    if (failure.code === 'cancelled') return;
    if (!this.viewer || this.model === null) {
      const title = Object.assign(document.createElement('strong'), { textContent: failure.message });
      const hint = Object.assign(document.createElement('span'), { textContent: failure.hint });
      this.shadow.message.replaceChildren(title, hint);
      this.shadow.message.hidden = false;
    }
    this.emit('error', failure.toDetail());
  }

  // The drawing surface.

  /** Undefined before there is a WebGL context, and after the element was taken out of the page. */
  get viewer(): Viewer | undefined {
    return this.#surface?.viewer;
  }

  get canvas(): HTMLCanvasElement {
    return this.shadow.canvas;
  }

  get isOpen(): boolean {
    return this.#surface !== undefined;
  }

  /** The WASM viewer, created on first use. */
  async openViewer(): Promise<Viewer> {
    this.#surface ??= this.#createSurface();
    const surface = this.#surface;
    await this.#workerStarted;
    // Creating a WebGL context blocks the page; everything else on it should be visible by then.
    await afterPaint();
    const isFirst = surface.viewer === undefined;
    const viewer = await surface.open();
    if (isFirst) {
      this.call('viewerOpened', viewer);
      surface.requestFrame();
    }
    return viewer;
  }

  #createSurface(): DrawingSurface {
    const surface = new DrawingSurface(this.canvas, {
      beforeFrame: (now) => {
        let isMoving = false;
        for (const feature of this.features) isMoving = (feature.beforeFrame?.(now) ?? false) || isMoving;
        return isMoving;
      },
      afterFrame: (viewer) => this.call('afterFrame', viewer),
      acted: (events) => {
        for (const event of events) this.call('viewerEvent', event);
      },
      keyPressed: (event) => this.#isHandled(event),
      doubleClicked: (x, y) => this.call('doubleClicked', x, y),
      failed: (failure) => this.fail(failure),
    });
    surface.setColorScheme(this.#isDark, this.#isStill);
    return surface;
  }

  #isHandled(event: KeyboardEvent): boolean {
    for (const feature of this.features) if (feature.keyPressed?.(event)) return true;
    return false;
  }

  requestFrame(): void {
    this.#surface?.requestFrame();
  }

  /** After a call that changed the viewer: updates the cursor, reports its events and draws. */
  viewerChanged(): void {
    this.#surface?.viewerChanged();
  }

  setColorScheme(isDark: boolean, isStill: boolean): void {
    this.#isDark = isDark;
    this.#isStill = isStill;
    this.#surface?.setColorScheme(isDark, isStill);
  }

  // Life.

  connect(): void {
    if (this.#isConnected) return;
    this.#isConnected = true;
    this.#workerStarted = this.solver.warm();
    const isNew = !this.isOpen;
    this.openViewer().catch((thrown) => this.fail(PliantFailure.of(thrown)));
    if (isNew) this.call('connected');
  }

  disconnect(): void {
    this.#isConnected = false;
    this.call('disconnected');
    this.solver.dispose();
    this.#surface?.close();
    this.#surface = undefined;
    this.shadow.canvas = freshCanvas(this.shadow.canvas);
    this.model = null;
    this.changed('model');
  }

  /** Another character, or another skeleton, is on screen. */
  characterChanged(model: ModelInfo, options: CharacterOptions): void {
    this.model = model;
    this.shadow.message.hidden = true;
    this.canvas.setAttribute('aria-label', `3D view of ${model.name}`);
    this.changed('model');
    this.call('characterChanged', model, options);
    this.viewerChanged();
  }

  /** Bytes of memory of the page's instance and of the worker's. */
  async memory(): Promise<[number, number]> {
    return [await pageMemory(), await this.solver.ask({ kind: 'memory' })];
  }
}

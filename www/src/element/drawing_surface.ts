/**
 * The canvas and the WASM viewer that draws on it: when to draw, at which size, in which colour
 * scheme, and what to do when the WebGL context is lost. Independent of characters.
 */
import { note } from '../perf_marks.ts';
import { PliantFailure } from '../solver/failure.ts';
import { onBroken, started, Viewer, type ViewerEvent } from '../wasm.ts';
import { type InputHost, listen } from './input.ts';

export interface SurfaceHost {
  /** Called before a frame is drawn. True if another frame is needed. */
  beforeFrame(nowMs: number): boolean;
  /** Called after each frame, also if nothing had to be drawn. */
  afterFrame(viewer: Viewer): void;
  /** The user did something in the picture. */
  acted(events: readonly ViewerEvent[]): void;
  keyPressed(event: KeyboardEvent): boolean;
  doubleClicked(x: number, y: number): void;
  failed(failure: PliantFailure): void;
}

export class DrawingSurface {
  readonly canvas: HTMLCanvasElement;
  readonly #host: SurfaceHost;
  #viewer: Viewer | undefined;
  #opening: Promise<Viewer> | undefined;
  #frame = 0;
  #isVisible = true;
  #isClosed = false;
  #isDark = false;
  #isStill = false;
  #size: [number, number, number] = [0, 0, 1];
  readonly #undo: (() => void)[] = [];

  constructor(canvas: HTMLCanvasElement, host: SurfaceHost) {
    this.canvas = canvas;
    this.#host = host;
    this.#watchSize();
    this.#watchVisibility();
    this.#watchContext();
    this.#watchPanics();
    const input: InputHost = {
      viewer: () => this.#viewer,
      viewerChanged: () => this.viewerChanged(),
      keyPressed: (event) => host.keyPressed(event),
      doubleClicked: (x, y) => host.doubleClicked(x, y),
    };
    this.#undo.push(listen(canvas, input));
  }

  get viewer(): Viewer | undefined {
    return this.#viewer;
  }

  /** The viewer, created on first use. Fails without WebGL 2. */
  open(): Promise<Viewer> {
    this.#opening ??= started().then(() => {
      if (this.#isClosed) throw PliantFailure.cancelled();
      const viewer = new Viewer(this.canvas);
      viewer.setDark(this.#isDark);
      viewer.setStill(this.#isStill);
      viewer.resize(...this.#size);
      this.#viewer = viewer;
      note('drawing');
      return viewer;
    });
    return this.#opening;
  }

  /** Frees everything. The canvas cannot be used again. */
  close(): void {
    this.#isClosed = true;
    cancelAnimationFrame(this.#frame);
    for (const undo of this.#undo) undo();
    const viewer = this.#viewer;
    this.#viewer = undefined;
    if (!viewer) return;
    // A page may have only a few contexts. Waiting for the garbage collector would keep this one.
    this.canvas.getContext('webgl2')?.getExtension('WEBGL_lose_context')?.loseContext();
    viewer.free();
  }

  setColorScheme(isDark: boolean, isStill: boolean): void {
    this.#isDark = isDark;
    this.#isStill = isStill;
    this.#viewer?.setDark(isDark);
    this.#viewer?.setStill(isStill);
    this.requestFrame();
  }

  /** Draws at the next frame, if the canvas is visible. */
  requestFrame(): void {
    if (this.#frame || !this.#isVisible || this.#isClosed || !this.#viewer) return;
    this.#frame = requestAnimationFrame((now) => {
      this.#frame = 0;
      this.#draw(now);
    });
  }

  /** After a call that changed the viewer: updates the cursor, reports its events and draws. */
  viewerChanged(): void {
    const viewer = this.#viewer;
    if (!viewer) return;
    this.canvas.style.cursor = viewer.cursor();
    const events = viewer.takeEvents();
    if (events.length > 0) this.#host.acted(events);
    this.requestFrame();
  }

  #draw(now: number): void {
    if (!this.#viewer || this.#isClosed) return;
    try {
      const isPlaying = this.#host.beforeFrame(now);
      const isMoving = this.#viewer.frame(now);
      this.#host.afterFrame(this.#viewer);
      if (isPlaying || isMoving) this.requestFrame();
    } catch (thrown) {
      // A panic was reported by `onBroken`.
      if (!(thrown instanceof WebAssembly.RuntimeError)) this.#host.failed(PliantFailure.of(thrown));
    }
  }

  /** After a panic the WASM instance cannot be used, whichever call it happened in. */
  #watchPanics(): void {
    const stop = onBroken((panic) => {
      const failure = new PliantFailure({
        code: 'broken',
        message: 'Pliant has met a bug and cannot go on',
        hint: `Reload the page; what you had open must be opened again. The bug said: ${panic.split('\n')[0]}`,
      });
      this.#viewer = undefined;
      cancelAnimationFrame(this.#frame);
      this.#opening = Promise.reject(failure);
      this.#opening.catch(() => undefined);
      this.#host.failed(failure);
    });
    this.#undo.push(stop);
  }

  #watchSize(): void {
    const observer = new ResizeObserver((entries) => {
      const entry = entries.at(-1);
      if (!entry) return;
      const { width, height } = entry.contentRect;
      const exact = entry.devicePixelContentBoxSize?.[0]?.inlineSize ?? Number.NaN;
      // With the size in device pixels the picture is sharp at every zoom level. Emulated screens
      // report a wrong size, by more than rounding.
      const isExact = width > 0 && Math.abs(exact - width * devicePixelRatio) < 2;
      const ratio = isExact ? exact / width : devicePixelRatio;
      this.#size = [width, height, ratio];
      this.#viewer?.resize(width, height, ratio);
      // At once, not at the next frame: the canvas would be stretched for one frame.
      if (this.#isVisible) this.#draw(performance.now());
    });
    try {
      observer.observe(this.canvas, { box: 'device-pixel-content-box' });
    } catch {
      observer.observe(this.canvas);
    }
    this.#undo.push(() => observer.disconnect());
  }

  #watchVisibility(): void {
    const observer = new IntersectionObserver((entries) => {
      this.#isVisible = entries.at(-1)?.isIntersecting ?? true;
      this.requestFrame();
    });
    observer.observe(this.canvas);
    this.#undo.push(() => observer.disconnect());
  }

  #watchContext(): void {
    const lost = (event: Event) => {
      // Without this the browser does not restore the context.
      event.preventDefault();
      this.#viewer?.contextLost();
    };
    const restored = () => {
      try {
        this.#viewer?.contextRestored();
        this.requestFrame();
      } catch (thrown) {
        this.#host.failed(PliantFailure.of(thrown));
      }
    };
    this.canvas.addEventListener('webglcontextlost', lost);
    this.canvas.addEventListener('webglcontextrestored', restored);
    this.#undo.push(() => {
      this.canvas.removeEventListener('webglcontextlost', lost);
      this.canvas.removeEventListener('webglcontextrestored', restored);
    });
  }
}

/** The line between the halves of a divided picture: dragged by its handle, by itself, or with keys. */
import type { Viewer } from '../wasm.ts';

/** A mouse takes hold of the line this many CSS pixels from it, where nothing in the picture wants the press. */
const NEAR = 5;

/** What a key moves it by, as a share of the width. */
const STEP = 0.01;
const LARGE_STEP = 0.1;

export interface DividerHost {
  canvas(): HTMLCanvasElement;
  viewer(): Viewer | undefined;
  /** The user moved it. */
  moved(share: number): void;
}

export interface DividerParts {
  /** Holds all the others. */
  box: HTMLElement;
  line: HTMLElement;
  handle: HTMLElement;
  names: readonly [HTMLElement, HTMLElement];
}

export class Divider {
  readonly #parts: DividerParts;
  readonly #host: DividerHost;
  #share = 0.5;
  /** Where on the handle it was taken hold of, while it is dragged. */
  #grip: number | undefined;

  constructor(parts: DividerParts, host: DividerHost) {
    this.#parts = parts;
    this.#host = host;
    this.#listenToPointers();
    this.#listenToKeys();
  }

  set isShown(isShown: boolean) {
    this.#parts.box.hidden = !isShown;
  }

  get isShown(): boolean {
    return !this.#parts.box.hidden;
  }

  /** As a share of the width. */
  get share(): number {
    return this.#share;
  }

  place(share: number): void {
    const { box, line } = this.#parts;
    this.#share = share;
    box.style.setProperty('--_at', `${share * 100}%`);
    line.setAttribute('aria-valuenow', String(Math.round(share * 100)));
  }

  /** `isWaiting` while the right half has no weights yet. */
  name(names: readonly [string, string], isWaiting: boolean): void {
    const { names: boxes, line } = this.#parts;
    for (const [index, box] of boxes.entries()) box.textContent = names[index] ?? '';
    boxes[1].classList.toggle('waiting', isWaiting);
    line.setAttribute('aria-label', `Divider between ${names[0]} and ${names[1]}`);
  }

  #listenToPointers(): void {
    const { line, handle, box } = this.#parts;
    handle.addEventListener('pointerdown', (event) => event.button === 0 && this.#grab(event));
    // The line captures the pointer, and clicks go where that is captured.
    line.addEventListener('dblclick', () => this.#moveTo(0.5));
    line.addEventListener('pointermove', (event) => {
      if (this.#grip !== undefined) this.#moveTo(this.#shareAt(event.clientX - this.#grip));
    });
    for (const end of ['pointerup', 'pointercancel', 'lostpointercapture']) {
      line.addEventListener(end, () => {
        this.#grip = undefined;
      });
    }
    // The line lies under the picture's own pointers, which come first: joints and rings can be anywhere.
    const root = box.getRootNode();
    root.addEventListener(
      'pointerdown',
      (event) => {
        if (!(event instanceof PointerEvent) || event.buttons !== 1 || !this.#isFree(event)) return;
        event.stopPropagation();
        this.#grab(event);
      },
      { capture: true },
    );
    root.addEventListener('pointermove', (event) => {
      if (event instanceof PointerEvent && event.buttons === 0 && this.#isFree(event))
        this.#host.canvas().style.cursor = 'ew-resize';
    });
  }

  /** Whether a pointer is on the line and on nothing else. */
  #isFree(event: PointerEvent): boolean {
    const canvas = this.#host.canvas();
    const isOnLine =
      this.isShown &&
      event.target === canvas &&
      event.pointerType !== 'touch' &&
      Math.abs(event.offsetX - this.#share * canvas.clientWidth) <= NEAR;
    return isOnLine && this.#host.viewer()?.cursor() === 'default';
  }

  #grab(event: PointerEvent): void {
    event.preventDefault();
    const { box, line } = this.#parts;
    const { left, width } = box.getBoundingClientRect();
    this.#grip = event.clientX - left - this.#share * width;
    line.setPointerCapture(event.pointerId);
    line.focus({ preventScroll: true });
  }

  #shareAt(clientX: number): number {
    const { left, width } = this.#parts.box.getBoundingClientRect();
    return width > 0 ? (clientX - left) / width : this.#share;
  }

  #listenToKeys(): void {
    this.#parts.line.addEventListener('keydown', (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const to = this.#shareFor(event);
      if (to === undefined) return;
      event.preventDefault();
      this.#moveTo(to);
    });
  }

  #shareFor({ key, shiftKey }: KeyboardEvent): number | undefined {
    const step = shiftKey ? LARGE_STEP : STEP;
    switch (key) {
      case 'ArrowLeft':
      case 'ArrowDown':
        return this.#share - step;
      case 'ArrowRight':
      case 'ArrowUp':
        return this.#share + step;
      case 'PageDown':
        return this.#share - LARGE_STEP;
      case 'PageUp':
        return this.#share + LARGE_STEP;
      case 'Home':
        return 0;
      case 'End':
        return 1;
      default:
        return undefined;
    }
  }

  #moveTo(share: number): void {
    this.#host.moved(Math.min(Math.max(share, 0), 1));
  }
}

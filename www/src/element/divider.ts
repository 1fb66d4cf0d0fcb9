/** The line between the two views: dragged by its handle, by the line itself, or moved by keys. */
import type { Viewer } from '../wasm.ts';

/**
 * Distance from the line at which a mouse drags it, in CSS pixels. Larger: clicks beside the line
 * are lost for the picture.
 */
const DRAG_DISTANCE = 5;

/** Distance that a key moves the line, as a share of the width. */
const STEP = 0.01;
const LARGE_STEP = 0.1;

export interface DividerHost {
  canvas(): HTMLCanvasElement;
  viewer(): Viewer | undefined;
  /** The user moved the line. */
  moved(share: number): void;
}

export interface DividerParts {
  /** Contains all other parts. */
  box: HTMLElement;
  line: HTMLElement;
  handle: HTMLElement;
  names: readonly [HTMLElement, HTMLElement];
}

export class Divider {
  readonly #parts: DividerParts;
  readonly #host: DividerHost;
  #share = 0.5;
  /** Offset of the pointer from the line while it is dragged, in CSS pixels. */
  #dragOffset: number | undefined;

  constructor(parts: DividerParts, host: DividerHost) {
    this.#parts = parts;
    this.#host = host;
    this.#listenToPointers();
    this.#listenToKeys();
  }

  set isVisible(isVisible: boolean) {
    this.#parts.box.hidden = !isVisible;
  }

  get isVisible(): boolean {
    return !this.#parts.box.hidden;
  }

  /** Position as a share of the width, 0 to 1. */
  get share(): number {
    return this.#share;
  }

  place(share: number): void {
    const { box, line } = this.#parts;
    this.#share = share;
    box.style.setProperty('--_at', `${share * 100}%`);
    line.setAttribute('aria-valuenow', String(Math.round(share * 100)));
  }

  /** `isWaiting` while the second view has no weights yet. */
  setNames(names: readonly [string, string], isWaiting: boolean): void {
    const { names: boxes, line } = this.#parts;
    for (const [index, box] of boxes.entries()) box.textContent = names[index] ?? '';
    boxes[1].classList.toggle('waiting', isWaiting);
    line.setAttribute('aria-label', `Divider between ${names[0]} and ${names[1]}`);
  }

  #listenToPointers(): void {
    const { line, handle, box } = this.#parts;
    handle.addEventListener('pointerdown', (event) => event.button === 0 && this.#grab(event));
    // The line captures the pointer, so it gets the double clicks on the handle.
    line.addEventListener('dblclick', () => this.#moveTo(0.5));
    line.addEventListener('pointermove', (event) => {
      if (this.#dragOffset !== undefined) this.#moveTo(this.#shareAt(event.clientX - this.#dragOffset));
    });
    for (const end of ['pointerup', 'pointercancel', 'lostpointercapture']) {
      line.addEventListener(end, () => {
        this.#dragOffset = undefined;
      });
    }
    // The canvas gets the pointer events. Joints and rings of the gizmo may lie on the line; they
    // go first.
    const root = box.getRootNode();
    root.addEventListener(
      'pointerdown',
      (event) => {
        if (!(event instanceof PointerEvent) || event.buttons !== 1 || !this.#isOnLine(event)) return;
        event.stopPropagation();
        this.#grab(event);
      },
      { capture: true },
    );
    root.addEventListener('pointermove', (event) => {
      if (event instanceof PointerEvent && event.buttons === 0 && this.#isOnLine(event))
        this.#host.canvas().style.cursor = 'ew-resize';
    });
  }

  /** Whether a pointer is on the line, and on nothing in the picture that can be dragged. */
  #isOnLine(event: PointerEvent): boolean {
    const canvas = this.#host.canvas();
    const isNear =
      this.isVisible &&
      event.target === canvas &&
      event.pointerType !== 'touch' &&
      Math.abs(event.offsetX - this.#share * canvas.clientWidth) <= DRAG_DISTANCE;
    return isNear && this.#host.viewer()?.cursor() === 'default';
  }

  #grab(event: PointerEvent): void {
    event.preventDefault();
    const { box, line } = this.#parts;
    const { left, width } = box.getBoundingClientRect();
    this.#dragOffset = event.clientX - left - this.#share * width;
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

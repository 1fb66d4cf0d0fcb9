/** The browser's pointers, wheel and keys as the viewer's plain calls. */
import type { Viewer } from '../wasm.ts';

export interface InputHost {
  viewer(): Viewer | undefined;
  /** Something was done: draw, and tell what happened. */
  done(): void;
  /** A key that the host answers itself; whether it did. */
  key(event: KeyboardEvent): boolean;
  doubleClick(x: number, y: number): void;
}

/** CSS pixels per line and per page of a wheel that counts in those. */
const LINE = 16;
const PAGE = 400;

type ViewerKey = Parameters<Viewer['key']>[0];

const KEYS: Readonly<Record<string, ViewerKey>> = {
  ArrowLeft: 'left',
  ArrowRight: 'right',
  ArrowUp: 'up',
  ArrowDown: 'down',
  '+': 'nearer',
  '=': 'nearer',
  '-': 'farther',
  f: 'frame',
  Home: 'frame-all',
  Escape: 'escape',
};

/** Listens until the returned function is called. */
export function listen(canvas: HTMLCanvasElement, host: InputHost): () => void {
  const stop = new AbortController();
  const on = <K extends keyof HTMLElementEventMap>(
    type: K,
    act: (viewer: Viewer, event: HTMLElementEventMap[K]) => void,
    passive = true,
  ) => {
    const listener = (event: HTMLElementEventMap[K]) => {
      const viewer = host.viewer();
      if (!viewer) return;
      act(viewer, event);
      host.done();
    };
    canvas.addEventListener(type, listener, { passive, signal: stop.signal });
  };

  on('pointerdown', (viewer, event) => {
    // Capturing fails for pointers that are already gone.
    if (event.isPrimary || event.pointerType === 'touch') tryCapture(canvas, event.pointerId);
    // Who pressed it knows where the keys go; a ring at the first of them would startle.
    canvas.setAttribute('data-pressed', '');
    viewer.pointerDown(...pointer(event));
  });
  canvas.addEventListener('blur', () => canvas.removeAttribute('data-pressed'), { signal: stop.signal });
  on('pointermove', (viewer, event) => viewer.pointerMove(...pointer(event)));
  on('pointerup', (viewer, event) => viewer.pointerUp(...pointer(event)));
  on('pointercancel', (viewer, event) => viewer.pointerCancel(event.pointerId));
  on('pointerleave', (viewer) => viewer.pointerLeave());
  on('dblclick', (_, event) => host.doubleClick(event.offsetX, event.offsetY));
  on('contextmenu', (_, event) => event.preventDefault(), false);
  on(
    'wheel',
    (viewer, event) => {
      event.preventDefault();
      const unit = [1, LINE, PAGE][event.deltaMode] ?? 1;
      // Browsers report a pinch on a trackpad as a wheel with Control held.
      const isPinch = event.ctrlKey && event.deltaMode === WheelEvent.DOM_DELTA_PIXEL;
      const { offsetX, offsetY } = event;
      viewer.wheel(event.deltaX * unit, event.deltaY * unit, offsetX, offsetY, modifiers(event), isPinch);
    },
    false,
  );
  on(
    'keydown',
    (viewer, event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const key = KEYS[event.key.length === 1 ? event.key.toLowerCase() : event.key];
      const isAnswered = host.key(event) || (key !== undefined && viewer.key(key));
      if (isAnswered) event.preventDefault();
    },
    false,
  );
  return () => stop.abort();
}

function tryCapture(canvas: HTMLCanvasElement, id: number): void {
  try {
    canvas.setPointerCapture(id);
  } catch {
    // The pointer went up before we heard of it.
  }
}

function pointer(event: PointerEvent): Parameters<Viewer['pointerDown']> {
  const isTouch = event.pointerType === 'touch';
  return [event.pointerId, event.offsetX, event.offsetY, event.buttons, modifiers(event), isTouch];
}

function modifiers(event: MouseEvent): number {
  return (event.shiftKey ? 1 : 0) | (event.ctrlKey || event.metaKey ? 2 : 0) | (event.altKey ? 4 : 0);
}

/** Converts pointer, wheel and key events of the browser into calls of the viewer. */
import type { Viewer } from '../wasm.ts';

export interface InputHost {
  viewer(): Viewer | undefined;
  viewerChanged(): void;
  /** True if the key was handled and is not passed to the viewer. */
  keyPressed(event: KeyboardEvent): boolean;
  /** In CSS pixels of the canvas. */
  doubleClicked(x: number, y: number): void;
}

/** CSS pixels per line and per page, for wheels that report lines or pages. */
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

/** Adds the listeners. Returns a function that removes them. */
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
      host.viewerChanged();
    };
    canvas.addEventListener(type, listener, { passive, signal: stop.signal });
  };

  on('pointerdown', (viewer, event) => {
    if (event.isPrimary || event.pointerType === 'touch') tryCapture(canvas, event.pointerId);
    // After a press, the first key must not show a focus ring.
    canvas.setAttribute('data-pressed', '');
    viewer.pointerDown(...pointer(event));
  });
  canvas.addEventListener('blur', () => canvas.removeAttribute('data-pressed'), { signal: stop.signal });
  on('pointermove', (viewer, event) => viewer.pointerMove(...pointer(event)));
  on('pointerup', (viewer, event) => viewer.pointerUp(...pointer(event)));
  on('pointercancel', (viewer, event) => viewer.pointerCancel(event.pointerId));
  on('pointerleave', (viewer) => viewer.pointerLeave());
  on('dblclick', (_, event) => host.doubleClicked(event.offsetX, event.offsetY));
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
      const isHandled = host.keyPressed(event) || (key !== undefined && viewer.key(key));
      if (isHandled) event.preventDefault();
    },
    false,
  );
  return () => stop.abort();
}

function tryCapture(canvas: HTMLCanvasElement, id: number): void {
  try {
    canvas.setPointerCapture(id);
  } catch {
    // The pointer is gone already.
  }
}

function pointer(event: PointerEvent): Parameters<Viewer['pointerDown']> {
  const isTouch = event.pointerType === 'touch';
  return [event.pointerId, event.offsetX, event.offsetY, event.buttons, modifiers(event), isTouch];
}

function modifiers(event: MouseEvent): number {
  return (event.shiftKey ? 1 : 0) | (event.ctrlKey || event.metaKey ? 2 : 0) | (event.altKey ? 4 : 0);
}

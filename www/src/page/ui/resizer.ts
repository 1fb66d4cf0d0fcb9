/** The edge between the left panels and the stage: dragged, or moved by arrow keys. */
import { h } from '../dom.ts';

const KEY = 'pliant-left-width';

/** In CSS pixels. Narrower: names are cut off. Wider: the stage becomes too small. */
const MIN = 160;
const MAX = 480;

/** One press of an arrow key, in CSS pixels. */
const STEP = 16;

/** Sets `--left`, the width of the left column, on `target`. Double-click restores the default. */
export function resizer(target: HTMLElement): HTMLElement {
  const element = h('div', {
    class: 'resizer',
    role: 'separator',
    tabindex: 0,
    'aria-orientation': 'vertical',
    'aria-label': 'Width of the joint list',
    'aria-valuemin': MIN,
    'aria-valuemax': MAX,
    'data-tip': 'Drag to resize, double-click to reset',
  });
  const current = (): number => element.parentElement?.offsetWidth ?? MIN;
  const set = (width: number | null): void => {
    const clamped = width === null ? null : Math.round(Math.min(MAX, Math.max(MIN, width)));
    if (clamped === null) target.style.removeProperty('--left');
    else target.style.setProperty('--left', `${clamped}px`);
    element.setAttribute('aria-valuenow', String(clamped ?? current()));
    store(clamped);
  };
  element.addEventListener('pointerdown', (event) => {
    element.setPointerCapture(event.pointerId);
    event.preventDefault();
  });
  element.addEventListener('pointermove', (event) => {
    if (element.hasPointerCapture(event.pointerId)) set(event.clientX);
  });
  element.addEventListener('dblclick', () => set(null));
  element.addEventListener('keydown', (event) => {
    const direction = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (direction === undefined) return;
    event.preventDefault();
    set(current() + direction * STEP);
  });
  const stored = storedWidth();
  if (stored !== null) target.style.setProperty('--left', `${stored}px`);
  element.setAttribute('aria-valuenow', String(stored ?? MIN));
  return element;
}

function storedWidth(): number | null {
  try {
    const width = Number(localStorage.getItem(KEY));
    return width >= MIN && width <= MAX ? width : null;
  } catch {
    return null;
  }
}

function store(width: number | null): void {
  try {
    if (width === null) localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, String(width));
  } catch {
    // Without storage, the width is lost with the page.
  }
}

/** An editor for a custom curve: two points that are dragged, or moved by arrow keys. */
import type { CurvePoint } from '../../transition.ts';
import { h } from '../dom.ts';
import { pathOf, svg } from './curve.ts';

type Points = readonly [CurvePoint, CurvePoint];

export interface CurveEditorOptions {
  readonly fallback: Points;
  /** Heights of the curve through these points, evenly spaced. */
  heights(points: Points): readonly number[];
  /** `settled` is false while a point is dragged or keys follow each other. */
  onchange(points: Points, settled: boolean): void;
}

export interface CurveEditor {
  readonly element: HTMLElement;
  set(points: readonly CurvePoint[]): void;
}

const WIDTH = 200;
const HEIGHT = 100;

/** Smallest horizontal distance between points, and from the ends: the curve stays a function. */
const GAP = 0.02;

const STEP = 0.01;
const STRIDE = 0.1;

/** Key presses with a longer pause between them are separate steps in the history. */
const PAUSE_MS = 700;

const ARROWS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, 1],
  ArrowDown: [0, -1],
};

export function curveEditor(options: CurveEditorOptions): CurveEditor {
  let points = options.fallback;
  const line = svg('path', { class: 'curve-line' });
  const arms = [svg('path', { class: 'curve-arm' }), svg('path', { class: 'curve-arm' })];
  const picture = svg('svg', {
    viewBox: `-9 -9 ${WIDTH + 18} ${HEIGHT + 18}`,
    class: 'curve-editor-picture',
  });
  const handles = points.map((_, index) => handle(index));
  picture.append(
    svg('rect', { width: WIDTH, height: HEIGHT, rx: 3, class: 'curve-frame' }),
    ...arms,
    line,
    ...handles,
  );
  const hint = h(
    'p',
    { class: 'about' },
    'Drag the points, or move them with the arrow keys. Double-click to reset',
  );
  const element = h('div', { class: 'curve-editor', role: 'group', 'aria-label': 'Custom transition' });
  element.append(picture, hint);

  const draw = (): void => {
    line.setAttribute('d', pathOf(options.heights(points), WIDTH, HEIGHT));
    points.forEach(([x, y], index) => {
      const [cx, cy] = [x * WIDTH, (1 - y) * HEIGHT];
      handles[index]?.setAttribute('transform', `translate(${cx} ${cy})`);
      handles[index]?.setAttribute('aria-valuenow', String(Math.round(x * 100)));
      handles[index]?.setAttribute('aria-valuetext', `depth ${percent(x)}, weight ${percent(y)}`);
      arms[index]?.setAttribute('d', index === 0 ? `M0 ${HEIGHT}L${cx} ${cy}` : `M${WIDTH} 0L${cx} ${cy}`);
    });
  };
  const change = (next: Points, settled: boolean): void => {
    points = next;
    draw();
    options.onchange(points, settled);
  };
  const move = (index: number, to: CurvePoint, settled: boolean): void =>
    change(withPoint(points, index, to), settled);

  let pause = 0;
  const settle = (): void => {
    if (pause) options.onchange(points, true);
    clearTimeout(pause);
    pause = 0;
  };
  handles.forEach((each, index) => {
    each.addEventListener('pointerdown', (event) => {
      each.setPointerCapture(event.pointerId);
      each.focus();
      event.preventDefault();
    });
    each.addEventListener('pointermove', (event) => {
      if (each.hasPointerCapture(event.pointerId)) move(index, placeOf(picture, event), false);
    });
    each.addEventListener('pointerup', () => options.onchange(points, true));
    each.addEventListener('keydown', (event) => {
      const [right, up] = ARROWS[event.key] ?? [0, 0];
      const [x, y] = points[index] ?? [0, 0];
      if (right === 0 && up === 0) return;
      event.preventDefault();
      const step = event.shiftKey ? STRIDE : STEP;
      move(index, [x + right * step, y + up * step], false);
      clearTimeout(pause);
      pause = window.setTimeout(settle, PAUSE_MS);
    });
    each.addEventListener('blur', settle);
  });
  picture.addEventListener('dblclick', () => change(options.fallback, true));
  draw();
  return {
    element,
    set: ([first, second]) => {
      if (first && second) points = [first, second];
      draw();
    },
  };
}

function handle(index: number): SVGGElement {
  const group = svg('g', {
    class: 'curve-handle',
    role: 'slider',
    tabindex: 0,
    'aria-label': index === 0 ? 'First point' : 'Second point',
    'aria-valuemin': 0,
    'aria-valuemax': 100,
    'aria-valuenow': 0,
  });
  // The ring is an invisible, larger target for fingers.
  group.append(svg('circle', { r: 14, class: 'curve-reach' }), svg('circle', { r: 6, class: 'curve-dot' }));
  return group;
}

/** The position of the pointer in the frame, both coordinates from 0 to 1. */
function placeOf(picture: SVGSVGElement, event: PointerEvent): CurvePoint {
  const matrix = picture.getScreenCTM()?.inverse();
  const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix);
  return [x / WIDTH, 1 - y / HEIGHT];
}

function withPoint([first, second]: Points, index: number, [x, y]: CurvePoint): Points {
  const within = (value: number, low: number, high: number): number =>
    Number(Math.min(high, Math.max(low, value)).toFixed(2));
  return index === 0
    ? [[within(x, GAP, second[0] - GAP), within(y, 0, second[1])], second]
    : [first, [within(x, first[0] + GAP, 1 - GAP), within(y, first[1], 1)]];
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

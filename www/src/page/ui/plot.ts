/** Two curves over time: before and after a correction, with labelled axes and a time cursor. */
import { h } from '../dom.ts';
import { svg } from './curve.ts';

const WIDTH = 272;
const HEIGHT = 64;

/** Smallest range of the vertical axis, in percent. Smaller: noise fills the plot. */
const MIN_RANGE = 0.5;

export interface Plot {
  readonly element: HTMLElement;
  /** Evenly spaced values of both curves, in percent, over so many seconds. */
  set(before: readonly number[], after: readonly number[], seconds: number): void;
  /** Moves the cursor, from 0 to 1; null hides it. */
  at(share: number | null): void;
}

/** `value` is the label of the vertical axis. */
export function plot(value: string): Plot {
  const [zero, before, after, cursor] = [
    svg('line', { class: 'plot-zero', x1: 0, x2: WIDTH }),
    svg('path', { class: 'plot-before' }),
    svg('path', { class: 'plot-after' }),
    svg('line', { class: 'plot-cursor', y1: 0, y2: HEIGHT }),
  ];
  const picture = svg('svg', {
    viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
    preserveAspectRatio: 'none',
    class: 'plot-picture',
    role: 'img',
  });
  picture.append(zero, before, after, cursor);
  const axes = plotAxes(picture as unknown as HTMLElement, { vertical: value });
  const path = (values: readonly number[], low: number, high: number): string => {
    const last = Math.max(1, values.length - 1);
    const points = values.map(
      (each, i) => `${((i / last) * WIDTH).toFixed(1)} ${heightOf(each, low, high).toFixed(1)}`,
    );
    return points.length ? `M${points.join('L')}` : '';
  };
  return {
    element: axes.element,
    set: (befores, afters, seconds) => {
      const all = [...befores, ...afters];
      const low = Math.min(0, ...all);
      const high = Math.max(0, ...all, low + MIN_RANGE);
      before.setAttribute('d', path(befores, low, high));
      after.setAttribute('d', path(afters, low, high));
      for (const end of ['y1', 'y2']) zero.setAttribute(end, String(heightOf(0, low, high)));
      axes.set({ top: percent(high), bottom: percent(low), left: '0 s', right: `${seconds.toFixed(1)} s` });
      const most = (values: readonly number[]): string => Math.max(0, ...values.map(Math.abs)).toFixed(2);
      picture.setAttribute(
        'aria-label',
        `${value}: at most ${most(befores)} percent skinned, ${most(afters)} percent corrected`,
      );
    },
    at: (share) => {
      cursor.style.display = share === null ? 'none' : '';
      if (share !== null) cursor.style.transform = `translateX(${(share * WIDTH).toFixed(1)}px)`;
    },
  };
}

export interface PlotAxes {
  readonly element: HTMLElement;
  /** Labels at the ends of both axes. */
  set(ends: { top: string; bottom: string; left: string; right: string }): void;
}

/** Puts a name and end labels on both axes of a picture, outside the area of the curves. */
export function plotAxes(picture: HTMLElement, names: { vertical: string; horizontal?: string }): PlotAxes {
  const end = (): HTMLElement => h('span', { class: 'plot-end' });
  const [top, bottom, left, right] = [end(), end(), end(), end()];
  const element = h(
    'div',
    { class: 'plot-axes' },
    h('span', { class: 'plot-axis-name' }, names.vertical),
    h('div', { class: 'plot' }, picture),
    h('div', { class: 'plot-ends' }, top, bottom),
    h(
      'div',
      { class: 'plot-times' },
      left,
      h('span', { class: 'plot-axis-name' }, names.horizontal ?? 'Time'),
      right,
    ),
  );
  return {
    element,
    set: (ends) => {
      top.textContent = ends.top;
      bottom.textContent = ends.bottom;
      left.textContent = ends.left;
      right.textContent = ends.right;
    },
  };
}

/** Lines stay away from the edges, where half of their width would be cut off. */
function heightOf(value: number, low: number, high: number): number {
  return 3 + (1 - (value - low) / (high - low)) * (HEIGHT - 6);
}

function percent(value: number): string {
  const rounded = Number(value.toFixed(1));
  return rounded === 0 ? '0' : `${rounded < 0 ? '−' : '+'}${Math.abs(rounded)} %`;
}

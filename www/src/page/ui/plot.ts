/** Two lines over time in a small picture: what was, and what became of it; and where we are. */
import { h } from '../dom.ts';
import { svg } from './curve.ts';

const WIDTH = 272;
const HEIGHT = 56;

/** Differences below this are not worth filling the picture with. */
const LEAST = 0.5;

export interface Plot {
  readonly element: HTMLElement;
  /** Evenly spaced values of both, in percent. */
  set(before: readonly number[], after: readonly number[]): void;
  /** Where in time, from 0 to 1; null for nowhere. */
  at(share: number | null): void;
}

export function plot(): Plot {
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
  const [top, bottom] = [h('span', { class: 'plot-end' }), h('span', { class: 'plot-end' })];
  const path = (values: readonly number[], low: number, high: number): string => {
    const last = Math.max(1, values.length - 1);
    const points = values.map(
      (value, i) => `${((i / last) * WIDTH).toFixed(1)} ${heightOf(value, low, high).toFixed(1)}`,
    );
    return points.length ? `M${points.join('L')}` : '';
  };
  return {
    element: h(
      'div',
      { class: 'plot-beside' },
      h('div', { class: 'plot' }, picture as unknown as HTMLElement),
      // Beside the lines, never on them.
      h('div', { class: 'plot-ends' }, top, bottom),
    ),
    set: (befores, afters) => {
      const all = [...befores, ...afters];
      const low = Math.min(0, ...all);
      const high = Math.max(0, ...all, low + LEAST);
      before.setAttribute('d', path(befores, low, high));
      after.setAttribute('d', path(afters, low, high));
      for (const end of ['y1', 'y2']) zero.setAttribute(end, String(heightOf(0, low, high)));
      top.textContent = label(high);
      bottom.textContent = label(low);
      const worst = (values: readonly number[]): string => Math.max(0, ...values.map(Math.abs)).toFixed(2);
      picture.setAttribute(
        'aria-label',
        `Off by up to ${worst(befores)} percent as skinned, ${worst(afters)} percent as kept`,
      );
    },
    at: (share) => {
      cursor.style.display = share === null ? 'none' : '';
      if (share !== null) cursor.style.transform = `translateX(${(share * WIDTH).toFixed(1)}px)`;
    },
  };
}

/** Lines keep off the edges, where half of them would be cut off. */
function heightOf(value: number, low: number, high: number): number {
  return 3 + (1 - (value - low) / (high - low)) * (HEIGHT - 6);
}

function label(value: number): string {
  const rounded = Number(value.toFixed(1));
  return rounded === 0 ? '0' : `${rounded < 0 ? '−' : '+'}${Math.abs(rounded)} %`;
}

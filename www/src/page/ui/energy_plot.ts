/** How the energy and its terms fall, iteration by iteration, over powers of ten. */
import type { Energy } from '../../wasm.ts';
import { h } from '../dom.ts';
import { svg } from './curve.ts';

const WIDTH = 272;
const HEIGHT = 96;

/** Lines keep off the edges, where half of them would be cut off. */
const MARGIN = 4;

/** What is this much smaller than the rest is drawn at the bottom: it matters to nobody. */
const POWERS = 5;

const TERMS: readonly (readonly [keyof Energy, string])[] = [
  ['arap', 'Rigidity'],
  ['sparsity', 'Sparsity'],
  ['data', 'Distance'],
  ['total', 'All'],
];

export interface EnergyPlot {
  readonly element: HTMLElement;
  set(energy: readonly Energy[]): void;
}

export function energyPlot(): EnergyPlot {
  const lines = TERMS.map(([term]) => ({ term, path: svg('path', { class: `energy-line energy-${term}` }) }));
  const picture = svg('svg', {
    viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
    class: 'energy-picture',
    preserveAspectRatio: 'none',
    role: 'img',
  });
  picture.append(...lines.map(({ path }) => path));
  const [top, bottom] = [h('span', { class: 'plot-end' }), h('span', { class: 'plot-end' })];
  const now = h('span', { class: 'energy-now' });
  const words = TERMS.toReversed().map(([term, label]) =>
    h('span', { class: `energy-word energy-${term}` }, label),
  );
  return {
    element: h(
      'figure',
      { class: 'energy' },
      h(
        'div',
        { class: 'plot-beside energy-plot' },
        h('div', { class: 'plot' }, picture as unknown as HTMLElement, now),
        // Beside the lines, never on them.
        h('div', { class: 'plot-ends' }, top, bottom),
      ),
      h('figcaption', { class: 'energy-words' }, ...words),
    ),
    set: (energy) => {
      const all = energy.flatMap((each) => TERMS.map(([term]) => each[term])).filter((value) => value > 0);
      const high = Math.max(Number.MIN_VALUE, ...all);
      const low = Math.max(Math.min(high / 2, ...all), high / 10 ** POWERS);
      const place = (value: number): number => {
        const share = Math.log(Math.max(value, low) / low) / Math.log(high / low);
        return MARGIN + (1 - share) * (HEIGHT - 2 * MARGIN);
      };
      const last = Math.max(1, energy.length - 1);
      const across = (i: number): string => ((i / last) * WIDTH).toFixed(1);
      for (const { term, path } of lines) {
        const points = energy.map((each, i) => `${across(i)} ${place(each[term]).toFixed(1)}`);
        path.setAttribute('d', points.length ? `M${points.join('L')}` : '');
      }
      const [first, latest] = [energy[0]?.total ?? 0, energy.at(-1)?.total ?? 0];
      const height = place(latest);
      now.style.top = `${((100 * height) / HEIGHT).toFixed(1)}%`;
      now.hidden = energy.length === 0;
      top.textContent = energy.length ? short(high) : '';
      bottom.textContent = energy.length ? short(low) : '';
      const fall = first > 0 ? Math.round(100 * (1 - latest / first)) : 0;
      picture.setAttribute(
        'aria-label',
        energy.length
          ? `Energy after ${energy.length - 1} iterations: ${short(latest)}, ${fall} percent less than at first`
          : 'Energy: nothing was learned yet',
      );
    },
  };
}

/** As people write small numbers: 2.1 · 10⁻⁵. */
function short(value: number): string {
  const [digits = '', power = '0'] = value.toExponential(1).split('e');
  const raised = [...String(Number(power))]
    .map((sign) => '⁻⁰¹²³⁴⁵⁶⁷⁸⁹'['-0123456789'.indexOf(sign)])
    .join('');
  return `${digits} · 10${raised}`;
}

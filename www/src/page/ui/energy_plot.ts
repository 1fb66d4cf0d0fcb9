/** The energy of a fit and its terms per iteration, on a logarithmic axis. */
import type { Energy } from '../../wasm.ts';
import { h } from '../dom.ts';
import { svg } from './curve.ts';
import { plotAxes } from './plot.ts';

const WIDTH = 272;
const HEIGHT = 96;

/** Lines stay away from the edges, where half of their width would be cut off. */
const MARGIN = 4;

/** Range of the axis in powers of ten. Terms that are smaller are drawn at the bottom. */
const POWERS = 5;

const TERMS: readonly (readonly [keyof Energy, string])[] = [
  ['arap', 'Rigidity'],
  ['sparsity', 'Sparsity'],
  ['data', 'Data term'],
  ['total', 'Total'],
];

export interface EnergyPlot {
  readonly element: HTMLElement;
  set(energy: readonly Energy[]): void;
}

export function energyPlot(): EnergyPlot {
  const lines = TERMS.map(([term]) => ({
    term,
    path: svg('path', { class: `energy-line energy-${term}` }),
  }));
  const picture = svg('svg', {
    viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
    class: 'energy-picture',
    preserveAspectRatio: 'none',
    role: 'img',
  });
  picture.append(...lines.map(({ path }) => path));
  const axes = plotAxes(picture as unknown as HTMLElement, {
    vertical: 'Energy, log scale',
    horizontal: 'Iteration',
  });
  const now = h('span', { class: 'energy-now' });
  axes.element.querySelector('.plot')?.append(now);
  const words = TERMS.toReversed().map(([term, label]) =>
    h('span', { class: `energy-word energy-${term}` }, label),
  );
  return {
    element: h(
      'figure',
      { class: 'energy' },
      axes.element,
      h('figcaption', { class: 'energy-words' }, ...words),
    ),
    set: (energy) => {
      const all = energy.flatMap((each) => TERMS.map(([term]) => each[term])).filter((value) => value > 0);
      const high = Math.max(Number.MIN_VALUE, ...all);
      const low = Math.max(Math.min(high / 2, ...all), high / 10 ** POWERS);
      const heightOf = (value: number): number => {
        const share = Math.log(Math.max(value, low) / low) / Math.log(high / low);
        return MARGIN + (1 - share) * (HEIGHT - 2 * MARGIN);
      };
      const last = Math.max(1, energy.length - 1);
      const across = (i: number): string => ((i / last) * WIDTH).toFixed(1);
      for (const { term, path } of lines) {
        const points = energy.map((each, i) => `${across(i)} ${heightOf(each[term]).toFixed(1)}`);
        path.setAttribute('d', points.length ? `M${points.join('L')}` : '');
      }
      const [first, latest] = [energy[0]?.total ?? 0, energy.at(-1)?.total ?? 0];
      now.style.top = `${((100 * heightOf(latest)) / HEIGHT).toFixed(1)}%`;
      now.hidden = energy.length === 0;
      const hasValues = energy.length > 0;
      axes.set({
        top: hasValues ? short(high) : '',
        bottom: hasValues ? short(low) : '',
        left: hasValues ? '0' : '',
        right: hasValues ? String(energy.length - 1) : '',
      });
      const fall = first > 0 ? Math.round(100 * (1 - latest / first)) : 0;
      picture.setAttribute(
        'aria-label',
        hasValues
          ? `Energy after ${energy.length - 1} iterations: ${short(latest)}, ${fall} percent lower`
          : 'Energy: no fit yet',
      );
    },
  };
}

/** Scientific notation, such as 2.1 · 10⁻⁵. */
function short(value: number): string {
  const [digits = '', power = '0'] = value.toExponential(1).split('e');
  const raised = [...String(Number(power))]
    .map((sign) => '⁻⁰¹²³⁴⁵⁶⁷⁸⁹'['-0123456789'.indexOf(sign)])
    .join('');
  return `${digits} · 10${raised}`;
}

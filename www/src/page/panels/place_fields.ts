/** The position of a joint or a handle as three number fields. */
import type { Point } from '../../element/api.ts';
import { h } from '../dom.ts';

/** One press of an arrow key moves by this share of the size of the skeleton. */
const STEP_SHARE = 1 / 200;

/** Every move computes weights again, so presses of a key are collected for this long. */
const PAUSE_MS = 400;

export interface PlaceFields {
  readonly element: HTMLElement;
  set(point: Point, size: number): void;
}

/** `of` and `verb` are words of the labels: "Place of the joint", "Place along X". */
export function placeFields(
  onchange: (point: Point) => void,
  { of = 'the joint', verb = 'Place' } = {},
): PlaceFields {
  const inputs = ['X', 'Y', 'Z'].map((axis) =>
    h('input', {
      type: 'number',
      class: 'number',
      'aria-label': `${verb} along ${axis}`,
      inputmode: 'decimal',
    }),
  );
  let waiting = 0;
  const tell = (): void => {
    clearTimeout(waiting);
    if (!waiting) return;
    waiting = 0;
    const values = inputs.map((input) => Number(input.value));
    const [x = 0, y = 0, z = 0] = values;
    if (values.every(Number.isFinite)) onchange([x, y, z]);
  };
  for (const input of inputs) {
    input.addEventListener('input', () => {
      clearTimeout(waiting);
      waiting = window.setTimeout(tell, PAUSE_MS);
    });
    input.addEventListener('blur', tell);
  }
  const boxes = inputs.map((input, index) => {
    const axis = 'xyz'.charAt(index);
    const letter = h('span', { class: 'axis-letter', 'aria-hidden': 'true' }, axis.toUpperCase());
    letter.style.color = `var(--axis-${axis})`;
    return h('span', { class: 'number-field' }, letter, input);
  });
  return {
    element: h('div', { class: 'place-fields', role: 'group', 'aria-label': `Position of ${of}` }, ...boxes),
    set: (point, size) => {
      const step = 10 ** Math.floor(Math.log10(size * STEP_SHARE));
      const decimals = Math.max(0, -Math.log10(step));
      inputs.forEach((input, index) => {
        input.step = String(step);
        if (document.activeElement !== input)
          input.value = (point[index] ?? 0).toFixed(Math.min(6, decimals));
      });
    },
  };
}

/** A field for a small whole number. */
import { h } from '../dom.ts';

export interface CountField {
  readonly element: HTMLElement;
  set(count: number): void;
}

export interface CountOptions {
  readonly label: string;
  readonly least: number;
  readonly most: number;
  onchange(count: number): void;
}

export function countField({ label, least, most, onchange }: CountOptions): CountField {
  const input = h('input', {
    type: 'number',
    class: 'number',
    min: least,
    max: most,
    step: 1,
    inputmode: 'numeric',
  });
  let last = least;
  input.addEventListener('change', () => {
    const count = Math.min(most, Math.max(least, Math.round(Number(input.value)) || last));
    input.value = String(count);
    if (count !== last) onchange(count);
    last = count;
  });
  return {
    element: h('label', { class: 'count-field' }, h('span', {}, label), input),
    set: (count) => {
      last = count;
      if (document.activeElement !== input) input.value = String(count);
    },
  };
}

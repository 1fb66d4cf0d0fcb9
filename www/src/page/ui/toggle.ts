/** A switch. */
import { h } from '../dom.ts';

export interface Toggle {
  readonly element: HTMLElement;
  set(on: boolean): void;
  disable(disabled: boolean): void;
}

export function toggle(label: string, onchange: (on: boolean) => void): Toggle {
  const input = h('input', { type: 'checkbox', role: 'switch', class: 'switch' });
  input.addEventListener('change', () => onchange(input.checked));
  return {
    element: h('label', { class: 'toggle' }, h('span', {}, label), input),
    set: (on) => {
      input.checked = on;
    },
    disable: (disabled) => {
      input.disabled = disabled;
    },
  };
}

/** Buttons with an icon, a label, or both. */
import { h } from '../dom.ts';
import { type IconName, icon } from '../icons.ts';

export interface ButtonOptions {
  readonly label: string;
  readonly icon?: IconName;
  /** Shows only the icon; the label is the tooltip and the accessible name. */
  readonly bare?: boolean;
  readonly kind?: 'plain' | 'quiet' | 'primary';
  /** The shortcut, as it is printed. */
  readonly keys?: string;
  readonly class?: string;
  onclick(event: MouseEvent): void;
}

export function button(options: ButtonOptions): HTMLButtonElement {
  const { label, bare, kind = bare ? 'quiet' : 'plain', keys } = options;
  const classes = ['button', kind, bare && 'bare', options.class].filter(Boolean).join(' ');
  return h(
    'button',
    {
      type: 'button',
      class: classes,
      'aria-label': bare ? label : null,
      'data-tip': bare || keys ? label : null,
      'data-keys': keys,
      onclick: options.onclick,
    },
    options.icon ? icon(options.icon) : null,
    bare ? null : h('span', { class: 'button-label' }, label),
  );
}

/** Changes the label of a button that shows only its icon. */
export function rename(target: HTMLButtonElement, label: string): void {
  target.setAttribute('aria-label', label);
  target.dataset['tip'] = label;
}

/** The prefix of shortcuts: "⌘" on Apple systems, "Ctrl+" elsewhere. */
export const COMMAND = /Mac|iPhone|iPad/.test(navigator.platform) ? '⌘' : 'Ctrl+';

/** Buttons: with an icon, a word, or both. */
import { h } from '../dom.ts';
import { type IconName, icon } from '../icons.ts';

export interface ButtonOptions {
  readonly label: string;
  readonly icon?: IconName;
  /** Show only the icon; the label is its tooltip and its name. */
  readonly bare?: boolean;
  readonly kind?: 'plain' | 'quiet' | 'primary';
  /** The keys that do the same, as people write them. */
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

/** Another name for a button that shows only its icon. */
export function rename(target: HTMLButtonElement, label: string): void {
  target.setAttribute('aria-label', label);
  target.dataset['tip'] = label;
}

/** "Ctrl" or "⌘", as this machine's people expect. */
export const COMMAND = /Mac|iPhone|iPad/.test(navigator.platform) ? '⌘' : 'Ctrl+';

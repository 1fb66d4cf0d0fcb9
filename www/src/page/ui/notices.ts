/** Messages over the stage: notices for a few seconds, errors until they are dismissed. */
import type { PliantError } from '../../wasm.ts';
import { h } from '../dom.ts';
import { icon } from '../icons.ts';
import { sentence } from '../model.ts';
import { button } from './button.ts';

export interface Action {
  readonly label: string;
  onclick(): void;
}

/** How long a notice is shown. */
const SHOWN_MS = 5000;

export class Notices {
  /** Notices that do not interrupt. */
  readonly toasts = h('div', { class: 'toasts', role: 'status', 'aria-live': 'polite' });
  /** Errors that stopped the work of the user. */
  readonly errors = h('div', { class: 'errors', role: 'alert' });

  say(text: string, options: { icon?: 'check' | 'info' | 'warning'; detail?: string } = {}): void {
    const close = (): void => leave(toast);
    const toast = h(
      'div',
      { class: 'toast' },
      icon(options.icon ?? 'check'),
      h(
        'span',
        { class: 'toast-text' },
        text,
        options.detail ? h('span', { class: 'toast-detail' }, options.detail) : null,
      ),
      button({ label: 'Dismiss', icon: 'close', bare: true, class: 'mini', onclick: close }),
    );
    this.toasts.append(toast);
    while (this.toasts.children.length > 3) this.toasts.firstElementChild?.remove();
    let timer = setTimeout(close, SHOWN_MS);
    // Not while the pointer or the focus is on it.
    const hold = (): void => clearTimeout(timer);
    const release = (): void => {
      clearTimeout(timer);
      timer = setTimeout(close, SHOWN_MS / 2);
    };
    toast.addEventListener('pointerenter', hold);
    toast.addEventListener('focusin', hold);
    toast.addEventListener('pointerleave', release);
    toast.addEventListener('focusout', release);
  }

  fail(error: Pick<PliantError, 'message' | 'hint'>, actions: readonly Action[] = []): void {
    const card = h(
      'div',
      { class: 'error-card' },
      icon('error'),
      h(
        'div',
        { class: 'error-text' },
        h('p', { class: 'error-message' }, sentence(error.message)),
        error.hint ? h('p', { class: 'error-hint' }, sentence(error.hint)) : null,
        h(
          'div',
          { class: 'error-actions' },
          ...actions.map(({ label, onclick }) => button({ label, onclick })),
        ),
      ),
      button({
        label: 'Dismiss',
        icon: 'close',
        bare: true,
        class: 'mini',
        onclick: () => this.clearErrors(),
      }),
    );
    this.errors.replaceChildren(card);
  }

  clearErrors(): void {
    this.errors.replaceChildren();
  }
}

function leave(toast: HTMLElement): void {
  toast.classList.add('leaving');
  const gone = toast.getAnimations().map((animation) => animation.finished);
  void Promise.allSettled(gone).then(() => toast.remove());
}

/** A button that opens a menu, with the usual keys of menus. */
import { h, uniqueId } from '../dom.ts';
import { type IconName, icon } from '../icons.ts';

export interface MenuItem {
  readonly label: string;
  readonly about?: string;
  readonly icon?: IconName;
  readonly keys?: string;
  /** Ticked, as one of several alternatives. */
  readonly checked?: boolean;
  /** Ticked or not, independently of others. */
  readonly on?: boolean;
  onclick(): void;
}

/** A heading starts a group. */
export type MenuEntry = MenuItem | { readonly heading: string };

/** Opens a menu below `opener` with the entries that `entries` returns at that moment. */
export function menu(opener: HTMLButtonElement, label: string, entries: () => readonly MenuEntry[]): void {
  const id = uniqueId('menu');
  const box = h('div', { id, class: 'menu', role: 'menu', popover: 'auto', 'aria-label': label });
  opener.setAttribute('aria-haspopup', 'menu');
  opener.setAttribute('aria-expanded', 'false');
  opener.setAttribute('aria-controls', id);
  opener.after(box);

  const items = (): HTMLButtonElement[] => [...box.querySelectorAll<HTMLButtonElement>('.menu-item')];
  const close = (): void => {
    box.hidePopover();
    opener.focus();
  };
  const open = (): void => {
    box.replaceChildren(...entries().map((entry) => row(entry, close)));
    box.showPopover();
    place(box, opener);
    (items().find((item) => item.getAttribute('aria-checked') === 'true') ?? items()[0])?.focus();
  };

  opener.addEventListener('click', () => (box.matches(':popover-open') ? close() : open()));
  opener.addEventListener('keydown', (event) => {
    if (event.key === 'ArrowDown') {
      event.preventDefault();
      open();
    }
  });
  box.addEventListener('toggle', () =>
    opener.setAttribute('aria-expanded', String(box.matches(':popover-open'))),
  );
  box.addEventListener('keydown', (event) => {
    const all = items();
    const at = all.indexOf(document.activeElement as HTMLButtonElement);
    const to = target(event.key, at, all);
    if (event.key === 'Tab') box.hidePopover();
    if (event.key === 'Escape') {
      event.stopPropagation();
      close();
    }
    if (to === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    all[to]?.focus();
  });
}

function target(key: string, at: number, all: readonly HTMLElement[]): number | undefined {
  if (key === 'ArrowDown') return (at + 1) % all.length;
  if (key === 'ArrowUp') return (at - 1 + all.length) % all.length;
  if (key === 'Home') return 0;
  if (key === 'End') return all.length - 1;
  if (key.length !== 1 || key === ' ') return undefined;
  const order = [...all.slice(at + 1), ...all.slice(0, at + 1)];
  const found = order.find((item) => item.textContent?.trim().toLowerCase().startsWith(key.toLowerCase()));
  return found && all.indexOf(found);
}

function row(entry: MenuEntry, close: () => void): HTMLElement {
  if ('heading' in entry) return h('div', { class: 'menu-heading', role: 'presentation' }, entry.heading);
  const ticked = entry.checked ?? entry.on;
  const role = entry.on === undefined ? 'menuitemradio' : 'menuitemcheckbox';
  return h(
    'button',
    {
      type: 'button',
      class: 'menu-item',
      role: ticked === undefined ? 'menuitem' : role,
      'aria-checked': ticked === undefined ? null : String(ticked),
      tabindex: -1,
      onclick: () => {
        close();
        entry.onclick();
      },
    },
    entry.icon ? icon(entry.icon) : null,
    h(
      'span',
      { class: 'menu-text' },
      entry.label,
      entry.about ? h('span', { class: 'menu-about' }, entry.about) : null,
    ),
    entry.keys ? h('kbd', {}, entry.keys) : null,
    ticked ? icon('check') : null,
  );
}

/** Below the opener, inside the window. */
function place(box: HTMLElement, opener: HTMLElement): void {
  const from = opener.getBoundingClientRect();
  const left = Math.min(from.left, innerWidth - box.offsetWidth - 8);
  box.style.left = `${Math.max(8, left)}px`;
  box.style.top = `${from.bottom + 6}px`;
  box.style.maxHeight = `${innerHeight - from.bottom - 14}px`;
}

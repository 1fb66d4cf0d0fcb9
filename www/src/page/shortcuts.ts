/** Keys that work everywhere on the page, and the sheet that lists them. */
import { h, isTyping } from './dom.ts';
import { button, COMMAND } from './ui/button.ts';

export interface Shortcut {
  /** As `event.key`, lower case. */
  readonly key: string;
  /** With Ctrl, or ⌘. */
  readonly command?: boolean;
  readonly shift?: boolean;
  /** As people read it; none keeps it off the sheet. */
  readonly shown?: string;
  readonly label: string;
  /** False lets the key go on to whoever else wants it. */
  run(): unknown;
}

/** What the picture itself understands. */
const IN_PICTURE: readonly (readonly [string, string])[] = [
  ['Drag', 'Orbit'],
  ['Right-drag', 'Pan'],
  ['Scroll', 'Zoom'],
  ['Click', 'Select a joint'],
  ['Drag a ring', 'Turn it, with Shift in steps'],
  ['Drag a handle', 'Pull the skin'],
  ['Double-click it', 'Let it go'],
  ['Del', 'Remove the selected handle'],
  ['[ ]', 'Previous and next joint'],
  ['Arrows', 'Orbit'],
  ['+ −', 'Zoom'],
];

export function shortcuts(all: readonly Shortcut[]): void {
  window.addEventListener('keydown', (event) => {
    if (event.defaultPrevented || event.altKey || event.isComposing || document.querySelector('dialog[open]'))
      return;
    const command = event.ctrlKey || event.metaKey;
    const typing = isTyping(event.target);
    const onControl =
      event.target instanceof Element && event.target.matches('button, a, summary, select, [role=switch]');
    const found = all.find(
      (each) =>
        each.key === event.key.toLowerCase() &&
        Boolean(each.command) === command &&
        (each.shift === undefined || each.shift === event.shiftKey),
    );
    // Letters belong to the field that is being typed in; Space presses what has the focus.
    if (!found || (typing && !command && found.key !== 'escape') || (onControl && found.key === ' ')) return;
    // A text field has an undo of its own.
    if (typing && command && found.key === 'z') return;
    if (found.run() !== false) event.preventDefault();
  });
}

export function shortcutSheet(all: readonly Shortcut[]): HTMLDialogElement {
  const shown = new Map<string, string[]>();
  for (const { label, shown: keys } of all) if (keys) shown.set(label, [...(shown.get(label) ?? []), keys]);
  const dialog = h(
    'dialog',
    { class: 'sheet-dialog', 'aria-labelledby': 'shortcuts-title' },
    h(
      'header',
      { class: 'dialog-head' },
      h('h2', { id: 'shortcuts-title' }, 'Keyboard and mouse'),
      button({ label: 'Close', icon: 'close', bare: true, onclick: () => dialog.close() }),
    ),
    h(
      'div',
      { class: 'key-columns' },
      table('Everywhere', [...shown]),
      table(
        'In the picture',
        IN_PICTURE.map(([keys, label]) => [label, [keys]]),
      ),
    ),
  );
  // A click on the backdrop is a click on the dialog itself.
  dialog.addEventListener('click', (event) => event.target === dialog && dialog.close());
  return dialog;
}

function table(title: string, rows: readonly (readonly [string, readonly string[]])[]): HTMLElement {
  return h(
    'section',
    {},
    h('h3', {}, title),
    h(
      'dl',
      { class: 'keys' },
      ...rows.map(([label, keys]) =>
        h('div', {}, h('dt', {}, label), h('dd', {}, ...keys.map((each) => h('kbd', {}, each)))),
      ),
    ),
  );
}

export const withCommand = (key: string): string => `${COMMAND}${key}`;

/** The bar on top: the character, the history, links, help, export. */
import type { SampleCharacter } from '../wasm.ts';
import { h } from './dom.ts';
import { icon } from './icons.ts';
import type { Studio } from './studio.ts';
import { toggleTheme, watchTheme } from './theme.ts';
import { button, COMMAND, rename } from './ui/button.ts';
import { type MenuEntry, type MenuItem, menu } from './ui/menu.ts';
import { follow } from './viewer.ts';
import { SAMPLES } from './words.ts';

export interface HeaderActions {
  openFiles(): void;
  openFolder(): void;
  openSample(member: SampleCharacter): void;
  copyLink(): void;
  showHelp(): void;
  exportFrom(opener: HTMLButtonElement): void;
}

export function header(
  root: HTMLElement,
  studio: Studio,
  actions: HeaderActions,
): { exporter: HTMLButtonElement } {
  const { history } = studio;
  const undo = button({
    label: 'Undo',
    icon: 'undo',
    bare: true,
    keys: `${COMMAND}Z`,
    onclick: () => history.undo(),
  });
  const redo = button({
    label: 'Redo',
    icon: 'redo',
    bare: true,
    keys: `Shift+${COMMAND}Z`,
    onclick: () => history.redo(),
  });
  const syncHistory = (): void => {
    // Not `disabled`: a disabled button loses the focus, and pressing it repeatedly would end.
    undo.setAttribute('aria-disabled', String(!history.canUndo));
    redo.setAttribute('aria-disabled', String(!history.canRedo));
    rename(undo, history.undoLabel ? `Undo ${history.undoLabel}` : 'Undo');
    rename(redo, history.redoLabel ? `Redo ${history.redoLabel}` : 'Redo');
  };
  history.watch(syncHistory);
  syncHistory();

  const theme = button({ label: 'Theme', icon: 'sun', bare: true, class: 'wide-only', onclick: toggleTheme });
  watchTheme((now) => {
    theme.replaceChildren(icon(now === 'dark' ? 'sun' : 'moon'));
    rename(theme, now === 'dark' ? 'Light theme' : 'Dark theme');
  });
  const help = button({
    label: 'Help',
    icon: 'help',
    bare: true,
    keys: '?',
    class: 'wide-only',
    onclick: actions.showHelp,
  });
  const link = button({
    label: 'Copy link',
    icon: 'link',
    kind: 'quiet',
    class: 'wide-only',
    onclick: actions.copyLink,
  });
  const more = button({ label: 'More', icon: 'more', bare: true, class: 'narrow-only', onclick: () => {} });
  const exporter = button({
    label: 'Export GLB',
    icon: 'download',
    kind: 'primary',
    keys: `${COMMAND}S`,
    class: 'export',
    onclick: () => actions.exportFrom(exporter),
  });
  const exportOptions = button({
    label: 'Export options',
    icon: 'chevron',
    bare: true,
    class: 'wide-only',
    onclick: () => {},
  });
  const compression = (): MenuItem => ({
    label: 'Compress (meshopt)',
    about: 'Smaller, without loss; for software that knows EXT_meshopt_compression',
    on: studio.state.now.compresses,
    onclick: () => studio.state.set({ compresses: !studio.state.now.compresses }),
  });
  studio.state.follow(['report'], ({ report }) =>
    exporter.setAttribute('aria-disabled', String(report === null)),
  );
  const open = button({
    label: 'Open…',
    icon: 'folder',
    kind: 'quiet',
    keys: `${COMMAND}O`,
    class: 'wide-only',
    onclick: actions.openFiles,
  });

  root.append(
    h(
      'a',
      { class: 'brand', href: './', 'aria-label': 'Pliant, start again' },
      logo(),
      h('span', { class: 'brand-name' }, 'Pliant'),
    ),
    h('nav', { class: 'head-group', 'aria-label': 'Character' }, characterMenu(studio, actions), open),
    h('div', { class: 'spacer' }),
    h('div', { class: 'head-group', role: 'group', 'aria-label': 'History' }, undo, redo),
    h('div', { class: 'head-group', role: 'group', 'aria-label': 'Page' }, theme, help, link, more),
    exporter,
    exportOptions,
  );
  menu(more, 'More', () => [
    { label: 'Open files…', icon: 'folder', onclick: actions.openFiles },
    { label: 'Copy link', icon: 'link', onclick: actions.copyLink },
    { label: 'Switch theme', icon: 'moon', onclick: toggleTheme },
    { label: 'Help', icon: 'help', onclick: actions.showHelp },
    { heading: 'Export' },
    compression(),
  ]);
  menu(exportOptions, 'Export options', () => [compression()]);
  return { exporter };
}

function characterMenu(studio: Studio, actions: HeaderActions): HTMLElement {
  const name = h('span', { class: 'character-name' });
  const opener = h('button', { type: 'button', class: 'button quiet character' }, name, icon('chevron'));
  const sync = (): void => {
    name.textContent = studio.source.name;
    opener.setAttribute('aria-label', `Character: ${studio.source.name}`);
    document.title = `${studio.source.name} – Pliant`;
  };
  follow(studio.viewer, ['load', 'rig-complete', 'skeleton-needed', 'error'], sync);
  const box = h('div', { class: 'character-box' }, opener);
  menu(opener, 'Character', (): MenuEntry[] => [
    { heading: 'Examples' },
    ...SAMPLES.map(({ value, label, about }) => ({
      label,
      about,
      icon: value as 'mannequin',
      checked: studio.source.member === value,
      onclick: () => actions.openSample(value),
    })),
    { heading: 'Your own files (they stay on this machine)' },
    { label: 'Open files…', icon: 'file', keys: `${COMMAND}O`, onclick: actions.openFiles },
    { label: 'Open a folder…', icon: 'folder', onclick: actions.openFolder },
  ]);
  return box;
}

/** A bent limb of constant thickness. */
function logo(): HTMLElement {
  const box = h('span', { class: 'logo' });
  box.innerHTML =
    '<svg viewBox="0 0 24 24" aria-hidden="true"><path d="M7 20V12a5 5 0 0 1 5-5h7" fill="none" stroke="currentColor" stroke-width="7" stroke-linecap="round"/><circle cx="8.6" cy="8.6" r="1.7" class="logo-joint"/></svg>';
  return box;
}

/** The help: keys, methods with their papers, file formats, and where files go. */
import { h } from './dom.ts';
import { LABELS } from './formats.ts';
import { PICTURE_KEYS, type Shortcut } from './keys.ts';
import { methodUses } from './parameters.ts';
import { button } from './ui/button.ts';

const CORRECTION_PAPERS: readonly (readonly [string, string, string])[] = [
  ['Preserve volume', 'Volume correction after skinning', 'Rohmer, Hahmann, Cani 2008'],
  ['Prevent self-intersection', 'Contacts in bent joints', 'Rohmer, Hahmann, Cani 2008, section 5.4'],
  ['Dual quaternion', 'Dual quaternion skinning (DQS)', 'Kavan, Collins, Žára, O’Sullivan 2007'],
  ['Handles', 'Fast automatic skinning transformations', 'Jacobson et al. 2012'],
];

export function helpDialog(keys: readonly Shortcut[]): HTMLDialogElement {
  const dialog = h(
    'dialog',
    { class: 'help', 'aria-labelledby': 'help-title' },
    h(
      'header',
      { class: 'dialog-head' },
      h('h2', { id: 'help-title' }, 'Help'),
      button({ label: 'Close', icon: 'close', bare: true, onclick: () => dialog.close() }),
    ),
    h(
      'div',
      { class: 'help-body' },
      h(
        'p',
        { class: 'help-lead' },
        'Pliant computes skin weights for a mesh and a skeleton, shows how it bends, and exports a ',
        'GLB. Everything runs in your browser; your files never leave this machine.',
      ),
      h('div', { class: 'help-columns' }, everywhere(keys), inPicture()),
      methods(),
      corrections(),
      formats(),
    ),
  );
  // A click on the backdrop is a click on the dialog itself.
  dialog.addEventListener('click', (event) => event.target === dialog && dialog.close());
  return dialog;
}

function everywhere(keys: readonly Shortcut[]): HTMLElement {
  const byLabel = new Map<string, string[]>();
  for (const { label, shown } of keys) if (shown) byLabel.set(label, [...(byLabel.get(label) ?? []), shown]);
  return section('Keys', keyList([...byLabel]));
}

function inPicture(): HTMLElement {
  const rows = PICTURE_KEYS.map(([keys, label]) => [label, [keys]] as const);
  return section('In the picture', keyList(rows));
}

function methods(): HTMLElement {
  return section('Methods for weights', table(['Method', 'Use it for', 'Name and paper'], methodUses()));
}

function corrections(): HTMLElement {
  return section('After skinning', table(['Setting', 'Method', 'Paper'], CORRECTION_PAPERS));
}

function formats(): HTMLElement {
  const rows = [
    ['Character', LABELS.meshes, 'With textures and buffers beside it, in a folder or in a ZIP'],
    ['Skeleton', LABELS.skeletons, 'For a mesh without one, with the motions in the file'],
    ['Examples', LABELS.meshes, 'Poses of the same mesh, morph targets, frames of a clip'],
    ['Export', 'GLB, VRM', 'The source document with a new skin; everything else stays as it was'],
  ] as const;
  return section('Files', table(['File', 'Formats', 'Notes'], rows));
}

function section(title: string, content: HTMLElement): HTMLElement {
  return h('section', {}, h('h3', {}, title), content);
}

function keyList(rows: readonly (readonly [string, readonly string[]])[]): HTMLElement {
  return h(
    'dl',
    { class: 'keys' },
    ...rows.map(([label, keys]) =>
      h('div', {}, h('dt', {}, label), h('dd', {}, ...keys.map((each) => h('kbd', {}, each)))),
    ),
  );
}

function table(heads: readonly string[], rows: readonly (readonly string[])[]): HTMLElement {
  return h(
    'table',
    { class: 'help-table' },
    h('thead', {}, h('tr', {}, ...heads.map((text) => h('th', { scope: 'col' }, text)))),
    h(
      'tbody',
      {},
      ...rows.map(([first = '', ...rest]) =>
        h('tr', {}, h('th', { scope: 'row' }, first), ...rest.map((text) => h('td', {}, text))),
      ),
    ),
  );
}

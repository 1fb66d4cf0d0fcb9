/** The joints as a tree that the keyboard can walk, with a search. */
import { h } from '../dom.ts';
import { icon } from '../icons.ts';
import { type JointRow, jointRows } from '../model.ts';
import type { Placing } from '../stage/joint_placement.ts';
import type { Studio } from '../studio.ts';
import { button } from '../ui/button.ts';
import { isLong, longName } from '../ui/long_name.ts';
import { follow, listen } from '../viewer.ts';
import { panel } from './panel.ts';
import { treeKeys } from './tree_keys.ts';

/** How far a child stands to the right of its parent, in pixels. */
const STEP = 12;

/** How far the deepest may stand to the right. Larger: steeper trees. Smaller: more room for long names. */
const LEANING = 108;

export function joints({ viewer, history, halves }: Studio, placing: Placing): HTMLElement {
  const search = h('input', {
    type: 'search',
    class: 'search-input',
    placeholder: 'Search joints',
    'aria-label': 'Search joints',
    autocomplete: 'off',
    spellcheck: 'false',
  });
  const tree = h('div', { class: 'tree', role: 'tree', 'aria-label': 'Joints' });
  const empty = h('p', { class: 'empty' });
  const count = h('span', { class: 'count' });
  const closed = new Set<string>();
  let rows: readonly JointRow[] = [];
  let drawnAs = '';

  const draw = (): void => {
    const shown = visible(rows, closed, search.value.trim().toLowerCase());
    const selected = viewer.selectedJoint;
    const stop = shown.find((row) => row.name === selected)?.name ?? shown[0]?.name;
    const searching = search.value.trim() !== '';
    const { method, atlas } = halves.recipe;
    const softness = method === 'atlas' ? atlas.k_joints : {};
    // Deep trees lean less, or their leaves would have no room for a name.
    const deepest = searching ? 0 : Math.max(0, ...shown.map((row) => row.depth));
    tree.style.setProperty('--step', `${Math.min(STEP, LEANING / Math.max(1, deepest)).toFixed(1)}px`);
    tree.replaceChildren(
      ...shown.map((row) =>
        item(row, {
          selected: row.name === selected,
          stop: row.name === stop,
          open: !closed.has(row.name),
          flat: searching,
          softness: softness[row.name],
        }),
      ),
    );
    tree.hidden = shown.length === 0;
    empty.hidden = shown.length > 0;
    empty.textContent = searching ? 'No joint of that name' : viewer.loaded ? 'No joints yet' : '';
    count.textContent = rows.length ? String(rows.length) : '';
  };
  const reload = (): void => {
    rows = jointRows(viewer.model, viewer.report);
    const { method, atlas } = halves.recipe;
    // A slider finds new weights many times a second; the joints are seldom others.
    const drawing = JSON.stringify([rows, method, atlas.k_joints, viewer.loaded]);
    if (drawing === drawnAs) return;
    drawnAs = drawing;
    draw();
  };
  const mark = (): void => {
    const selected = viewer.selectedJoint;
    // The chosen joint must be there to be seen.
    for (let row = find(rows, selected); row; row = find(rows, row.parent)) {
      if (row.parent !== null && closed.delete(row.parent)) draw();
    }
    for (const each of tree.querySelectorAll<HTMLElement>('[role=treeitem]')) {
      const on = each.dataset['joint'] === selected;
      each.setAttribute('aria-selected', String(on));
      if (on) {
        treeKeys.stopAt(tree, each);
        each.scrollIntoView({ block: 'nearest' });
      }
    }
  };
  const fold = (name: string, shut: boolean): void => {
    if (shut) closed.add(name);
    else closed.delete(name);
    draw();
    tree.querySelector<HTMLElement>(`[data-joint="${CSS.escape(name)}"]`)?.focus();
  };

  search.addEventListener('input', draw);
  search.addEventListener('keydown', (event) => {
    if (event.key === 'ArrowDown' || event.key === 'Enter') {
      event.preventDefault();
      tree.querySelector<HTMLElement>('[role=treeitem]')?.focus();
    } else if (event.key === 'Escape' && search.value) {
      event.stopPropagation();
      search.value = '';
      draw();
    }
  });
  tree.addEventListener('click', (event) => {
    const target = event.target as Element;
    const row = target.closest<HTMLElement>('[role=treeitem]');
    const name = row?.dataset['joint'];
    if (!row || name === undefined) return;
    if (target.closest('.twist')) fold(name, !closed.has(name));
    else {
      viewer.selectedJoint = name;
      mark();
    }
  });
  treeKeys.attach(tree, {
    choose: (name) => {
      viewer.selectedJoint = name;
      mark();
    },
    fold,
    isClosed: (name) => closed.has(name),
  });
  follow(viewer, ['load', 'rig-complete', 'skeleton-needed'], reload);
  history.watch(reload);
  halves.watch(reload);
  listen(viewer, 'select', mark);

  const place = button({
    label: 'Place joints',
    icon: 'move',
    bare: true,
    onclick: () => (placing.active ? placing.stop() : placing.start()),
  });
  follow(viewer, ['load', 'rig-complete', 'skeleton-needed'], () => {
    place.disabled = !viewer.model?.joints.length;
  });
  placing.watch(() => place.setAttribute('aria-pressed', String(placing.active)));
  place.setAttribute('aria-pressed', 'false');
  const box = h('div', { class: 'search' }, icon('search'), search, h('kbd', { 'aria-hidden': 'true' }, '/'));
  return panel('joints', 'Joints', [box, tree, empty], [count, place]);
}

function find(rows: readonly JointRow[], name: string | null): JointRow | undefined {
  return name === null ? undefined : rows.find((row) => row.name === name);
}

/** Those that match, or all that no closed ancestor hides. */
function visible(
  rows: readonly JointRow[],
  closed: ReadonlySet<string>,
  wanted: string,
): readonly JointRow[] {
  if (wanted) return rows.filter((row) => row.name.toLowerCase().includes(wanted));
  const hidden = new Set<string>();
  return rows.filter((row) => {
    const isHidden = row.parent !== null && (hidden.has(row.parent) || closed.has(row.parent));
    if (isHidden) hidden.add(row.name);
    return !isHidden;
  });
}

function item(
  row: JointRow,
  state: { selected: boolean; stop: boolean; open: boolean; flat: boolean; softness: number | undefined },
): HTMLElement {
  const parent = row.hasChildren && !state.flat;
  const element = h(
    'div',
    {
      class: row.because === null ? 'joint' : 'joint off',
      role: 'treeitem',
      'data-joint': row.name,
      'data-parent': row.parent,
      'aria-level': state.flat ? 1 : row.depth + 1,
      'aria-expanded': parent ? String(state.open) : null,
      'aria-selected': String(state.selected),
      tabindex: state.stop ? 0 : -1,
      'data-tip':
        [isLong(row.name) && row.name, row.because && `Not in the skin: ${row.because}`]
          .filter(Boolean)
          .join('. ') || null,
    },
    h('span', { class: 'twist' }, parent ? icon('chevron') : null),
    h('span', { class: 'joint-name long-name' }, ...longName(row.name)),
    state.softness === undefined
      ? null
      : h(
          'span',
          { class: 'joint-k' },
          h('span', { class: 'visually-hidden' }, 'softness '),
          String(Number(state.softness.toFixed(2))),
        ),
    row.because === null
      ? null
      : h(
          'span',
          { class: 'joint-off' },
          icon('off'),
          h('span', { class: 'visually-hidden' }, 'not in the skin'),
        ),
  );
  element.style.setProperty('--depth', String(state.flat ? 0 : row.depth));
  return element;
}

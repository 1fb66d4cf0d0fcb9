/** The joints as a tree with keyboard navigation and a search. */
import { h } from '../dom.ts';
import { icon } from '../icons.ts';
import { type JointRow, jointRows } from '../model.ts';
import { SIDE_KEYS, type StudioState, sideRecipe } from '../state.ts';
import type { Studio } from '../studio.ts';
import { button } from '../ui/button.ts';
import { isLong, longName } from '../ui/long_name.ts';
import { panel } from './panel.ts';
import { treeKeys } from './tree_keys.ts';

/** Indentation per level, in pixels. */
const STEP = 8;

/** Largest indentation, in pixels. Larger: less room for names. Smaller: levels look alike. */
const MAX_INDENT = 80;

export function joints({ viewer, state, tools }: Studio): HTMLElement {
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
    const selected = state.now.selectedJoint;
    const stop = shown.find((row) => row.name === selected)?.name ?? shown[0]?.name;
    const searching = search.value.trim() !== '';
    const { method, atlas } = sideRecipe(state.now);
    const softness = method === 'atlas' ? atlas.k_joints : {};
    // Deep trees are indented less, so that there is room for the names of leaves.
    const deepest = searching ? 0 : Math.max(0, ...shown.map((row) => row.depth));
    tree.style.setProperty('--step', `${Math.min(STEP, MAX_INDENT / Math.max(1, deepest)).toFixed(1)}px`);
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
    empty.textContent = searching ? 'No joint has this name' : state.now.model ? 'No joints yet' : '';
    count.textContent = rows.length ? String(rows.length) : '';
  };
  const reload = (now: StudioState): void => {
    rows = jointRows(now.model, now.report);
    const { method, atlas } = sideRecipe(now);
    // A slider computes weights many times a second, but the joints rarely change.
    const drawing = JSON.stringify([rows, method, atlas.k_joints, now.model !== null]);
    if (drawing === drawnAs) return;
    drawnAs = drawing;
    draw();
  };
  const mark = ({ selectedJoint: selected }: StudioState): void => {
    // Closed ancestors are opened, so that the selected joint is visible.
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
    else viewer.selectedJoint = name;
  });
  treeKeys.attach(tree, {
    choose: (name) => {
      viewer.selectedJoint = name;
    },
    fold,
  });
  state.follow(['model', ...SIDE_KEYS], reload);
  state.follow(['selectedJoint'], mark);

  const place = button({
    label: 'Place joints',
    icon: 'move',
    bare: true,
    keys: 'J',
    onclick: () => tools.toggle('place-joints'),
  });
  state.follow(['model', 'tool'], ({ model, tool }) => {
    place.disabled = !model?.joints.length;
    place.setAttribute('aria-pressed', String(tool === 'place-joints'));
  });
  const box = h('div', { class: 'search' }, icon('search'), search, h('kbd', { 'aria-hidden': 'true' }, '/'));
  return panel('joints', 'Joints', [box, tree, empty], [count, place]);
}

function find(rows: readonly JointRow[], name: string | null): JointRow | undefined {
  return name === null ? undefined : rows.find((row) => row.name === name);
}

/** The rows that match the search, or all rows without a closed ancestor. */
function visible(
  rows: readonly JointRow[],
  closed: ReadonlySet<string>,
  wanted: string,
): readonly JointRow[] {
  if (wanted) {
    const isFound = (name: string | null): boolean => name?.toLowerCase().includes(wanted) ?? false;
    return rows.filter((row) => isFound(row.name) || isFound(row.humanBone));
  }
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
        [
          (row.label !== row.name || isLong(row.label)) && row.name,
          row.humanBone && `Standard bone ${row.humanBone}`,
          row.because && `Has no weights: ${row.because}`,
          row.isSecondary && 'Moved by a simulation or a constraint in other programs',
        ]
          .filter(Boolean)
          .join('. ') || null,
    },
    h('span', { class: 'twist' }, parent ? icon('chevron') : null),
    h('span', { class: 'joint-name long-name' }, ...longName(row.label)),
    row.humanBone === null || row.humanBone === row.label.toLowerCase()
      ? null
      : h('span', { class: 'joint-human' }, row.humanBone),
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
          h('span', { class: 'visually-hidden' }, 'has no weights'),
        ),
  );
  element.style.setProperty('--depth', String(state.flat ? 0 : row.depth));
  return element;
}

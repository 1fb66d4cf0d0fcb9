/** The handles on the skin: names, positions, reset and removal. */
import type { PlacedHandle } from '../../wasm.ts';
import { h } from '../dom.ts';
import { methodLabel } from '../parameters.ts';
import type { Studio } from '../studio.ts';
import { button } from '../ui/button.ts';
import { panel } from './panel.ts';
import { placeFields } from './place_fields.ts';

/** What the panel shows. */
const KEYS = [
  'handles',
  'handleTargets',
  'handlePositions',
  'selectedHandle',
  'recipe',
  'model',
  'tool',
] as const;

export function handlesPanel(studio: Studio): HTMLElement {
  const { viewer, state, handles, tools } = studio;
  const list = h('ul', { class: 'handles', 'aria-label': 'Handles' });
  const count = h('span', { class: 'count' });
  const unused = h('p', { class: 'about' });
  const use = button({ label: 'Include', onclick: () => handles.include() });
  const ignored = h('div', { class: 'handles-ignored' }, unused, use);
  const place = placeFields(
    (point) => {
      if (viewer.selectedHandle !== null) handles.move(viewer.selectedHandle, point);
    },
    { of: 'the handle', verb: 'Handle' },
  );
  const empty = h(
    'div',
    { class: 'handles-empty' },
    h(
      'p',
      { class: 'empty' },
      'Points on the skin that can be dragged, in addition to bones or instead of them',
    ),
    button({ label: 'Place handles', icon: 'handle', onclick: () => tools.use('handles') }),
  );
  const add = button({
    label: 'Place handles',
    icon: 'handle',
    bare: true,
    keys: 'H',
    onclick: () => tools.toggle('handles'),
  });
  const reset = button({
    label: 'Reset all handles',
    icon: 'reset',
    bare: true,
    onclick: () => handles.reset(),
  });

  let drawnAs = '';
  state.follow(KEYS, (now) => {
    const { handles: all, recipe, model, selectedHandle, handleTargets, tool } = now;
    const drawing = JSON.stringify(all.map(({ name }) => name));
    if (drawing !== drawnAs) {
      drawnAs = drawing;
      list.replaceChildren(...all.map((handle) => row(handle, studio)));
    }
    for (const each of list.querySelectorAll<HTMLElement>('.handle')) {
      const name = each.dataset['handle'] ?? '';
      each.classList.toggle('chosen', name === selectedHandle);
      each.querySelector('.handle-disc')?.setAttribute('aria-pressed', String(name === selectedHandle));
      each.classList.toggle('moved', name in handleTargets);
      const back = each.querySelector<HTMLButtonElement>('.handle-back');
      if (back) back.hidden = !(name in handleTargets);
    }
    reset.hidden = Object.keys(handleTargets).length === 0;
    place.element.hidden = selectedHandle === null;
    const at = selectedHandle === null ? undefined : now.handlePositions[selectedHandle];
    if (at) place.set(at, Math.max(...(model?.size ?? [1])));
    list.hidden = all.length === 0;
    empty.hidden = all.length > 0;
    count.textContent = all.length ? String(all.length) : '';
    ignored.hidden = all.length === 0 || handles.areUsed;
    unused.textContent = `${methodLabel(recipe.method)} computes weights for bones only; handles are not included`;
    add.disabled = reset.disabled = model === null;
    add.setAttribute('aria-pressed', String(tool === 'handles'));
  });
  return panel('handles', 'Handles', [empty, list, place.element, ignored], [count, reset, add]);
}

function row({ name }: PlacedHandle, { viewer, handles }: Studio): HTMLElement {
  const called = h('input', {
    class: 'handle-name',
    value: name,
    'aria-label': `Name of ${name}`,
    spellcheck: 'false',
    autocomplete: 'off',
  });
  const settle = (): void => {
    const to = called.value.trim();
    if (to === name) return;
    if (!handles.rename(name, to)) called.value = name;
  };
  called.addEventListener('change', settle);
  called.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') called.value = name;
    if (event.key === 'Escape' || event.key === 'Enter') called.blur();
  });
  called.addEventListener('focus', () => {
    viewer.selectedHandle = name;
  });
  const disc = h(
    'button',
    {
      type: 'button',
      class: 'handle-disc',
      'aria-label': `Select ${name}`,
      onclick: () => {
        viewer.selectedHandle = viewer.selectedHandle === name ? null : name;
      },
    },
    h('span', { class: 'disc' }),
  );
  const back = button({
    label: `Reset ${name}`,
    icon: 'reset',
    bare: true,
    class: 'mini handle-back',
    onclick: () => handles.move(name, null),
  });
  const remove = button({
    label: `Remove ${name}`,
    icon: 'close',
    bare: true,
    class: 'mini',
    onclick: () => handles.remove(name),
  });
  return h('li', { class: 'handle', 'data-handle': name }, disc, called, back, remove);
}

/** The handles on the skin: what they are called, where they are pulled to, and away with them. */
import type { PlacedHandle } from '../../wasm.ts';
import { h, oncePerFrame } from '../dom.ts';
import { METHODS } from '../parameters.ts';
import type { Handling } from '../stage/handle_placement.ts';
import type { Studio } from '../studio.ts';
import { button } from '../ui/button.ts';
import { follow, listen } from '../viewer.ts';
import { panel } from './panel.ts';
import { placeFields } from './place_fields.ts';

export function handlesPanel(studio: Studio, handling: Handling): HTMLElement {
  const { viewer, handles, history } = studio;
  const list = h('ul', { class: 'handles', 'aria-label': 'Handles' });
  const count = h('span', { class: 'count' });
  const unused = h('p', { class: 'about' });
  const use = button({ label: 'Weigh them', onclick: () => handles.use() });
  const ignored = h('div', { class: 'handles-ignored' }, unused, use);
  const place = placeFields(
    (point) => {
      if (viewer.selectedHandle !== null) handles.move(viewer.selectedHandle, point);
    },
    { of: 'the handle', verb: 'Pull' },
  );
  const empty = h(
    'div',
    { class: 'handles-empty' },
    h('p', { class: 'empty' }, 'Points on the skin to drag the body by, beside the bones or without any'),
    button({ label: 'Place handles', icon: 'handle', onclick: () => handling.start() }),
  );
  const add = button({
    label: 'Place handles',
    icon: 'handle',
    bare: true,
    keys: 'H',
    onclick: () => handling.toggle(),
  });
  const free = button({
    label: 'Let all handles go',
    icon: 'reset',
    bare: true,
    onclick: () => handles.letGo(),
  });

  let drawnAs = '';
  const draw = (): void => {
    const all = viewer.handles;
    const drawing = JSON.stringify(all.map(({ name }) => name));
    if (drawing !== drawnAs) {
      drawnAs = drawing;
      list.replaceChildren(...all.map((handle) => row(handle, studio)));
    }
    mark();
    list.hidden = all.length === 0;
    empty.hidden = all.length > 0;
    count.textContent = all.length ? String(all.length) : '';
    const method = METHODS.find(({ value }) => value === viewer.method)?.label ?? viewer.method;
    ignored.hidden = all.length === 0 || handles.areUsed;
    unused.textContent = `${method} weighs bones only and leaves them out`;
    add.disabled = free.disabled = !viewer.loaded;
  };
  const mark = (): void => {
    const { selectedHandle, handleTargets } = viewer;
    for (const each of list.querySelectorAll<HTMLElement>('.handle')) {
      const name = each.dataset['handle'] ?? '';
      each.classList.toggle('chosen', name === selectedHandle);
      each.querySelector('.handle-disc')?.setAttribute('aria-pressed', String(name === selectedHandle));
      each.classList.toggle('pulled', name in handleTargets);
      const back = each.querySelector<HTMLButtonElement>('.handle-back');
      if (back) back.hidden = !(name in handleTargets);
    }
    free.hidden = Object.keys(handleTargets).length === 0;
    place.element.hidden = selectedHandle === null;
    const at = selectedHandle === null ? undefined : viewer.handlePositions[selectedHandle];
    if (at) place.set(at, Math.max(...(viewer.model?.size ?? [1])));
  };
  const later = oncePerFrame(draw);
  follow(viewer, ['load', 'rig-complete', 'skeleton-needed'], draw);
  for (const name of ['select', 'pose-change', 'handle-change'] as const) listen(viewer, name, later);
  history.watch(later);
  handling.watch(() => add.setAttribute('aria-pressed', String(handling.active)));
  add.setAttribute('aria-pressed', 'false');
  return panel('handles', 'Handles', [empty, list, place.element, ignored], [count, free, add]);
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
    label: `Let ${name} go`,
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

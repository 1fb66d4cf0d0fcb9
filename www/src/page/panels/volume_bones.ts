/** Bones that do not count for the distance in the correction map, such as legs below a belly. */
import { h } from '../dom.ts';
import { icon } from '../icons.ts';
import { jointLabel } from '../model.ts';
import type { Studio } from '../studio.ts';
import { toggle } from '../ui/toggle.ts';

export function excludedBones({ viewer, state, postSkinning }: Studio): { readonly element: HTMLElement } {
  const counts = toggle('Measure from this bone', (on) => {
    if (viewer.selectedJoint !== null) postSkinning.setExcluded(viewer.selectedJoint, !on);
  });
  const name = counts.element.querySelector('span');
  const chips = h('ul', { class: 'chips', 'aria-label': 'Excluded bones' });
  let shown = '';
  state.follow(['postSkinning', 'selectedJoint', 'model'], (now) => {
    const { volumeExcluded: excluded } = now.postSkinning;
    const { selectedJoint: joint, model } = now;
    counts.element.hidden = joint === null;
    if (joint !== null) {
      if (name) name.textContent = `Measure from ${jointLabel(model, joint)}`;
      counts.set(!excluded.includes(joint));
    }
    chips.hidden = excluded.length === 0;
    if (shown === excluded.join('\n')) return;
    shown = excluded.join('\n');
    chips.replaceChildren(...excluded.map((each) => chip(each, () => postSkinning.setExcluded(each, false))));
  });
  const element = h('div', { class: 'stack tight excluded' }, counts.element, chips);
  return { element };
}

function chip(joint: string, onclick: () => void): HTMLElement {
  return h(
    'li',
    { class: 'chip' },
    h('span', {}, `not ${joint}`),
    h(
      'button',
      { type: 'button', class: 'chip-remove', 'aria-label': `Measure from ${joint} again`, onclick },
      icon('close'),
    ),
  );
}

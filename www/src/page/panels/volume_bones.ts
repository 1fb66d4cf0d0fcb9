/** The bones that flesh is not measured from: a belly hangs from the spine, whatever the legs do. */
import { h } from '../dom.ts';
import { icon } from '../icons.ts';
import type { Studio } from '../studio.ts';
import { toggle } from '../ui/toggle.ts';

export interface ExcludedBones {
  readonly element: HTMLElement;
  sync(): void;
}

export function excludedBones({ viewer, postSkinning }: Studio): ExcludedBones {
  const counts = toggle('Measure from this bone', (on) => {
    if (viewer.selectedJoint !== null) postSkinning.setExcluded(viewer.selectedJoint, !on);
  });
  const name = counts.element.querySelector('span');
  const chips = h('ul', { class: 'chips', 'aria-label': 'Bones that do not count' });
  let shown = '';
  const sync = (): void => {
    const { volumeExcluded: excluded } = postSkinning.state;
    const joint = viewer.selectedJoint;
    counts.element.hidden = joint === null;
    if (joint !== null) {
      if (name) name.textContent = `Measure from ${joint}`;
      counts.set(!excluded.includes(joint));
    }
    chips.hidden = excluded.length === 0;
    if (shown === excluded.join('\n')) return;
    shown = excluded.join('\n');
    chips.replaceChildren(...excluded.map((each) => chip(each, () => postSkinning.setExcluded(each, false))));
  };
  const element = h('div', { class: 'stack tight excluded' }, counts.element, chips);
  return { element, sync };
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

/** The bar above the picture: what the colours show, the tools, bones, the second view, framing. */
import type { Show } from '../../wasm.ts';
import { h } from '../dom.ts';
import { isCorrecting } from '../state.ts';
import type { Studio } from '../studio.ts';
import { button } from '../ui/button.ts';
import { list, segmented } from '../ui/choice.ts';
import { FIRST_VIEW_SHOWS, POST_SKINNING_SHOWS } from '../words.ts';
import { toolButtons } from './tool_bar.ts';

export function viewbar(studio: Studio): HTMLElement {
  const { viewer, state, split, examples } = studio;
  const options = {
    label: 'View',
    bare: true,
    choices: FIRST_VIEW_SHOWS,
    onchange: (value: Show) => examples.setShow(value),
  };
  // As buttons where there is room, as a list where there is not.
  const wide = segmented(options);
  const narrow = list(options);
  wide.element.classList.add('shows-wide');
  narrow.element.classList.add('shows-narrow');
  state.follow(['show', 'postSkinning', 'report'], (now) => {
    const { show, report } = now;
    const isHidden = (each: Show): boolean => {
      if (each === show) return false;
      if (each === 'fit') return !report?.exampleFit;
      // Empty while nothing is corrected.
      return POST_SKINNING_SHOWS.includes(each) && !isCorrecting(now);
    };
    narrow.fill(FIRST_VIEW_SHOWS.filter(({ value }) => !isHidden(value)));
    narrow.set(show);
    wide.set(show);
    for (const { value } of FIRST_VIEW_SHOWS) wide.hide(value, isHidden(value));
  });
  const bones = button({
    label: 'Bones',
    icon: 'bone',
    bare: true,
    keys: 'B',
    onclick: () => toggleBones(studio),
  });
  const compare = button({
    label: 'Compare two methods',
    icon: 'compare',
    bare: true,
    keys: 'C',
    onclick: () => split.toggle(),
  });
  const frame = button({
    label: 'Frame character',
    icon: 'frame',
    bare: true,
    keys: 'F',
    onclick: () => viewer.frame(),
  });
  state.follow(['bones', 'secondView'], (now) => {
    bones.setAttribute('aria-pressed', String(now.bones === 'shown'));
    compare.setAttribute('aria-pressed', String(now.secondView !== null));
  });
  return h(
    'div',
    { class: 'viewbar' },
    h('div', { class: 'floating shows' }, wide.element, narrow.element),
    h('div', { class: 'floating' }, toolButtons(studio)),
    h('div', { class: 'floating' }, bones, compare, frame),
  );
}

export function toggleBones({ viewer }: Studio): void {
  viewer.bones = viewer.bones === 'shown' ? 'hidden' : 'shown';
}

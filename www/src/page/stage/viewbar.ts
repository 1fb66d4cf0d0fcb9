/** What the picture shows, one method beside another, and the whole character back in it. */
import { h } from '../dom.ts';
import { POST_SKINNING_SHOWS, SHOWS } from '../parameters.ts';
import type { Studio } from '../studio.ts';
import { button } from '../ui/button.ts';
import { segmented } from '../ui/choice.ts';
import { follow } from '../viewer.ts';
import type { Handling } from './handle_placement.ts';

export function viewbar({ viewer, halves, postSkinning, examples }: Studio, handling: Handling): HTMLElement {
  const show = segmented({
    label: 'View',
    bare: true,
    choices: SHOWS,
    onchange: (value) => examples.setShow(value),
  });
  const sync = (): void => {
    show.set(viewer.show);
    // On a phone the bar may be scrolled.
    show.element
      .querySelector(':checked')
      ?.parentElement?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    // Views of the flesh are of no use while nothing is done to it.
    const { volume, foldGuard: guard } = postSkinning.state;
    for (const each of POST_SKINNING_SHOWS)
      show.hide(each, volume === 'off' && !guard && viewer.show !== each);
    show.hide('fit', !viewer.report?.learning && viewer.show !== 'fit');
  };
  postSkinning.watch(sync);
  follow(viewer, ['load', 'rig-complete'], sync);
  // Keys and links set the attribute; the buttons must follow.
  new MutationObserver(sync).observe(viewer, { attributes: true, attributeFilter: ['show'] });
  const compare = button({
    label: 'Compare two methods',
    icon: 'compare',
    bare: true,
    keys: 'C',
    onclick: () => halves.toggle(),
  });
  const press = (): void => compare.setAttribute('aria-pressed', String(halves.isDivided));
  halves.watch(press);
  new MutationObserver(press).observe(viewer, { attributes: true, attributeFilter: ['compare'] });
  press();
  const handles = button({
    label: 'Place handles',
    icon: 'handle',
    bare: true,
    keys: 'H',
    onclick: () => handling.toggle(),
  });
  const hold = (): void => handles.setAttribute('aria-pressed', String(handling.active));
  handling.watch(hold);
  hold();
  const frame = button({
    label: 'Frame character',
    icon: 'frame',
    bare: true,
    keys: 'F',
    onclick: () => viewer.frame(),
  });
  return h(
    'div',
    { class: 'viewbar' },
    h('div', { class: 'floating' }, show.element),
    h('div', { class: 'floating' }, handles, compare, frame),
  );
}

/** The weights of the joints at the point of the skin under the pointer. */
import type { Influence } from '../../element/api.ts';
import type { Show } from '../../wasm.ts';
import { h, oncePerFrame } from '../dom.ts';
import { jointLabel } from '../model.ts';
import type { Studio } from '../studio.ts';
import { placeBeside } from './beside_pointer.ts';

/** Shows that are about weights. In the others, numbers at the pointer would be in the way. */
const SHOWS: readonly Show[] = ['weights', 'regions', 'overlaps', 'difference'];

/** Smaller weights are not listed: they round to zero. */
const MIN_WEIGHT = 0.005;

export function influences({ viewer, state }: Studio): HTMLElement {
  const element = h('ul', { class: 'influences', 'aria-hidden': 'true', hidden: true });
  let pointer: { readonly x: number; readonly y: number } | null = null;

  const show = oncePerFrame(() => {
    const { show, secondView, model, tool } = state.now;
    const isShown = SHOWS.includes(show) || SHOWS.includes(secondView?.show ?? show);
    const isOn = pointer !== null && isShown && tool === 'rotate';
    const found = isOn && pointer ? viewer.influencesAt(pointer.x, pointer.y) : [];
    const listed = found.filter(({ weight }) => weight >= MIN_WEIGHT);
    element.hidden = listed.length === 0;
    if (element.hidden || !pointer) return;
    const row = ({ joint, weight }: Influence): HTMLElement =>
      h('li', {}, h('span', {}, jointLabel(model, joint)), h('span', {}, weight.toFixed(2)));
    element.replaceChildren(...listed.map(row));
    placeBeside(element, viewer, pointer);
  });
  viewer.addEventListener('pointermove', (event) => {
    // A finger covers the point that it touches, and a pressed button drags something.
    const isHover = event.pointerType === 'mouse' && event.buttons === 0;
    const { left, top } = viewer.getBoundingClientRect();
    pointer = isHover ? { x: event.clientX - left, y: event.clientY - top } : null;
    show();
  });
  viewer.addEventListener('pointerleave', () => {
    pointer = null;
    show();
  });
  // The skin moves under a pointer that rests.
  state.follow(['pose', 'report', 'show', 'tool', 'secondView'], show);
  return element;
}

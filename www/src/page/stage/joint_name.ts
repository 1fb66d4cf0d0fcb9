/** The name of the joint under the pointer, beside it, and what is doubtful about its place. */
import { h } from '../dom.ts';
import { jointLabel } from '../model.ts';
import { jointWords } from '../skeleton_words.ts';
import type { StudioState } from '../state.ts';
import type { Studio } from '../studio.ts';
import { listen } from '../viewer.ts';
import { placeBeside } from './beside_pointer.ts';

export function jointName({ viewer, state }: Studio): HTMLElement {
  const name = h('span', {});
  const about = h('span', { class: 'hovered-joint-about' });
  const element = h('div', { class: 'hovered-joint', 'aria-hidden': 'true', hidden: true }, name, about);
  let hovered: { readonly joint: string; readonly tail: boolean } | null = null;
  let pointer = { x: 0, y: 0 };

  const show = (): void => {
    element.hidden = hovered === null;
    if (!hovered) return;
    const { joint, tail } = hovered;
    const label = jointLabel(state.now.model, joint);
    name.textContent = tail ? `${label}, end of the bone` : label;
    about.textContent = tail ? '' : aboutJoint(joint, state.now);
    // Weights are listed below the pointer.
    placeBeside(element, viewer, pointer, 'above');
  };
  listen(viewer, 'hover', ({ joint, tail }) => {
    hovered = joint === null ? null : { joint, tail };
    show();
  });
  viewer.addEventListener('pointermove', ({ clientX, clientY, buttons }) => {
    const { left, top } = viewer.getBoundingClientRect();
    pointer = { x: clientX - left, y: clientY - top };
    // What is dragged is known, and the name would cover what it is dragged to.
    if (buttons !== 0) element.hidden = true;
    else if (hovered) show();
  });
  const hide = (): void => {
    hovered = null;
    show();
  };
  viewer.addEventListener('pointerleave', hide);
  state.follow(['model', 'tool'], hide);
  return element;
}

/** "Left elbow, uncertain", as far as it says more than the name. */
function aboutJoint(joint: string, { skeletonFit, markers, tool }: StudioState): string {
  const bone = skeletonFit?.bones.find(({ name }) => name === joint);
  if (!skeletonFit || !bone || tool !== 'place-joints') return '';
  const { what } = jointWords(bone.label);
  const { outside, uncertain } = skeletonFit;
  if (outside.includes(bone.label)) return `${what}, outside of the body`;
  if (bone.label in markers) return `${what}, placed by you`;
  return uncertain.includes(bone.label) ? `${what}, uncertain` : what;
}

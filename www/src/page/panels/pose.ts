/** The selected joint: rotation, rest position, softness, and whether it deforms the skin. */
import type { Point } from '../../element/api.ts';
import { parameterAt } from '../../parameters.ts';
import type { Angles } from '../angles.ts';
import { h } from '../dom.ts';
import { jointLabel, jointRows, sentence } from '../model.ts';
import { SIDE_KEYS, sideRecipe } from '../state.ts';
import type { Studio } from '../studio.ts';
import { button } from '../ui/button.ts';
import { slider } from '../ui/slider.ts';
import { toggle } from '../ui/toggle.ts';
import { numberSlider } from './control.ts';
import { panel } from './panel.ts';
import { placeFields } from './place_fields.ts';

const AXES = ['X', 'Y', 'Z'] as const;

/** What the panel shows besides the recipe. */
const KEYS = ['model', 'selectedJoint', 'selectedHandle', 'tool', 'pose', 'jointPositions'] as const;

export function pose(studio: Studio): HTMLElement {
  const { viewer, state } = studio;
  const name = h('p', { class: 'joint-title' });
  const reason = h('p', { class: 'about' });
  const angles = (): Angles => studio.pose.anglesOf(viewer.selectedJoint ?? '');
  const sliders = AXES.map((axis, index) =>
    slider({
      label: axis,
      spoken: `Rotation about ${axis}`,
      min: -180,
      max: 180,
      step: 1,
      fallback: 0,
      origin: 0,
      unit: '°',
      compact: true,
      color: `var(--axis-${axis.toLowerCase()})`,
      onchange: (value, settled) => {
        const joint = viewer.selectedJoint;
        if (joint === null) return;
        const now = angles();
        if (now[index] === value && settled) return studio.history.seal();
        const [x, y, z] = now.map((each, at) => (at === index ? value : each)) as [number, number, number];
        studio.pose.rotate(joint, [x, y, z], settled);
      },
    }),
  );
  const softness = slider({
    ...numberSlider(parameterAt('atlas.k_joints')),
    label: 'Softness here (K)',
    spoken: 'Softness of this joint',
    about: 'Overlap size of this joint. Double-click sets it to the common softness',
    hero: false,
    fallback: viewer.recipe.atlas.k,
    onchange: (value, settled) => {
      if (viewer.selectedJoint !== null) studio.setSoftness(viewer.selectedJoint, value, settled);
    },
    onreset: () => {
      if (viewer.selectedJoint !== null) studio.setSoftness(viewer.selectedJoint, null, true);
    },
  });
  const deforms = toggle('Deforms the skin', (on) => {
    if (viewer.selectedJoint !== null) studio.setDeforms(viewer.selectedJoint, on);
  });
  const place = placeFields((point: Point) => {
    if (viewer.selectedJoint !== null) studio.joints.move(viewer.selectedJoint, point);
  });
  const following = h('div', { class: 'stack tight' }, deforms.element, reason);
  const none = h('p', { class: 'empty' }, 'Select a joint in the picture or in the list to rotate it');
  const turns = h('div', { class: 'stack tight' }, ...sliders.map((each) => each.element));
  const chosen = h('div', { class: 'stack' }, name, turns, place.element, softness.element, following);

  state.follow([...SIDE_KEYS, ...KEYS], (now) => {
    const { selectedJoint: joint, model, report, selectedHandle, jointPositions } = now;
    const isPlacing = now.tool === 'place-joints';
    chosen.hidden = joint === null;
    none.hidden = joint !== null;
    if (joint === null) return;
    name.textContent = jointLabel(model, joint);
    name.dataset['tip'] = joint;
    const row = jointRows(model, report).find((each) => each.name === joint);
    // A handle always deforms the skin.
    following.hidden = joint === selectedHandle;
    deforms.set(row?.because === null);
    deforms.disable(!row);
    reason.textContent = row?.because ? sentence(row.because) : '';
    const { method, atlas } = sideRecipe(now);
    const own = atlas.k_joints[joint];
    softness.element.hidden = method !== 'atlas' || row?.because !== null || isPlacing || following.hidden;
    softness.set(own ?? atlas.k, { fallback: atlas.k, isOwn: own !== undefined });
    turns.hidden = isPlacing;
    place.element.hidden = !isPlacing;
    place.set(jointPositions[joint] ?? [0, 0, 0], sizeOf(Object.values(jointPositions)));
    const current = angles();
    for (const [index, each] of sliders.entries()) each.set(current[index] ?? 0);
  });

  const reset = button({
    label: 'Reset pose',
    icon: 'reset',
    bare: true,
    keys: 'R',
    onclick: () => studio.pose.reset(),
  });
  return panel('pose', 'Pose', [chosen, none], [reset]);
}

/** The longest side of the box around the joints. */
function sizeOf(points: readonly Point[]): number {
  const spans = [0, 1, 2].map((axis) => {
    const along = points.map((point) => point[axis] ?? 0);
    return Math.max(...along) - Math.min(...along);
  });
  return Math.max(...spans, 1e-6);
}

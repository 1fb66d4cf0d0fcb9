/** The selected joint: its turn, its place while joints are placed, how soft it is, and whether the skin follows it. */
import type { Point } from '../../element/api.ts';
import { parameterAt } from '../../parameters.ts';
import type { Angles } from '../angles.ts';
import { h, oncePerFrame } from '../dom.ts';
import { jointRows, sentence } from '../model.ts';
import type { Placing } from '../stage/joint_placement.ts';
import type { Studio } from '../studio.ts';
import { button } from '../ui/button.ts';
import { slider } from '../ui/slider.ts';
import { toggle } from '../ui/toggle.ts';
import { follow, listen } from '../viewer.ts';
import { numberSlider } from './control.ts';
import { panel } from './panel.ts';
import { placeFields } from './place_fields.ts';

const AXES = ['X', 'Y', 'Z'] as const;

export function pose(studio: Studio, placing: Placing): HTMLElement {
  const { viewer } = studio;
  const name = h('p', { class: 'joint-title' });
  const reason = h('p', { class: 'about' });
  const angles = (): Angles => studio.anglesOf(viewer.selectedJoint ?? '');
  const sliders = AXES.map((axis, index) =>
    slider({
      label: axis,
      spoken: `Turn about ${axis}`,
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
        const [x, y, z] = now.map((turn, at) => (at === index ? value : turn)) as [number, number, number];
        studio.turn(joint, [x, y, z], settled);
      },
    }),
  );
  const softness = slider({
    ...numberSlider(parameterAt('atlas.k_joints')),
    label: 'Softness here',
    spoken: 'Softness of this joint',
    about: 'Overlap size of this joint. Double-click sets it to the common softness',
    fallback: viewer.recipe.atlas.k,
    onchange: (value, settled) => {
      if (viewer.selectedJoint !== null) studio.setSoftness(viewer.selectedJoint, value, settled);
    },
    onreset: () => {
      if (viewer.selectedJoint !== null) studio.setSoftness(viewer.selectedJoint, null, true);
    },
  });
  const deforms = toggle('Skin follows this joint', (on) => {
    if (viewer.selectedJoint !== null) studio.setDeforms(viewer.selectedJoint, on);
  });
  const place = placeFields((point: Point) => {
    if (viewer.selectedJoint !== null) studio.place(viewer.selectedJoint, point);
  });
  const following = h('div', { class: 'stack tight' }, deforms.element, reason);
  const none = h('p', { class: 'empty' }, 'Select a joint in the picture or in the list to turn it');
  const turns = h('div', { class: 'stack tight' }, ...sliders.map((each) => each.element));
  const chosen = h('div', { class: 'stack' }, name, turns, place.element, softness.element, following);

  const sync = (): void => {
    const joint = viewer.selectedJoint;
    chosen.hidden = joint === null;
    none.hidden = joint !== null;
    if (joint === null) return;
    name.textContent = joint;
    const row = jointRows(viewer.model, viewer.report).find((each) => each.name === joint);
    // Skin follows a handle; that is all there is to it.
    following.hidden = joint === viewer.selectedHandle;
    deforms.set(row?.because === null);
    deforms.disable(!row);
    reason.textContent = row?.because ? sentence(row.because) : '';
    const { method, atlas } = studio.halves.recipe;
    const own = atlas.k_joints[joint];
    softness.element.hidden =
      method !== 'atlas' || row?.because !== null || placing.active || following.hidden;
    softness.set(own ?? atlas.k, { fallback: atlas.k, isOwn: own !== undefined });
    turns.hidden = placing.active;
    place.element.hidden = !placing.active;
    place.set(viewer.jointPositions[joint] ?? [0, 0, 0], sizeOf(Object.values(viewer.jointPositions)));
    const now = angles();
    for (const [index, each] of sliders.entries()) each.set(now[index] ?? 0);
  };
  const later = oncePerFrame(sync);
  follow(viewer, ['load', 'rig-complete', 'compare-complete', 'select'], sync);
  studio.halves.watch(sync);
  listen(viewer, 'pose-change', later);
  listen(viewer, 'joint-change', later);
  studio.history.watch(later);
  placing.watch(sync);

  const reset = button({
    label: 'Reset pose',
    icon: 'reset',
    bare: true,
    keys: 'R',
    onclick: () => studio.resetPose(),
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

/** Words for body plans, names of joints, and joints, and a picture of where a joint is. */
import type { SkeletonChoice } from '../element/api.ts';
import type { Names } from '../wasm.ts';
import { named } from './words.ts';

export const PLANS = named<Exclude<SkeletonChoice, 'none'>>({
  auto: ['Detected', 'The body plan that the mesh looks like most'],
  humanoid: ['Humanoid', 'Two arms and two legs, upright'],
  quadruped: ['Quadruped', 'Four legs, a neck and a tail'],
  bird: ['Bird', 'Two legs and two wings'],
  fish: ['Fish', 'A spine with fins'],
  snake: ['Snake', 'A single chain of joints'],
  spider: ['Spider', 'Six or more legs around a body'],
  generic: ['Generic', 'A joint at every branch and bend'],
});

export const CONVENTIONS = named<Names>({
  plain: ['Plain', 'upper_arm.L, as in Blender'],
  mixamo: ['Mixamo', 'mixamorig:LeftArm'],
  vrm: ['VRM, Unity', 'leftUpperArm'],
  unreal: ['Unreal', 'upperarm_l'],
  rigify: ['Rigify', 'DEF-upper_arm.L'],
});

/** What people call a joint, and where it is. The label is without its side. */
const JOINTS: Readonly<Record<string, readonly [what: string, where: string]>> = {
  hips: ['pelvis', 'the middle of the pelvis'],
  spine: ['lower back', 'the middle of the waist'],
  chest: ['chest', 'the middle of the chest'],
  upper_chest: ['upper chest', 'between the shoulder blades'],
  neck: ['neck', 'the base of the neck'],
  head: ['head', 'where the head meets the neck'],
  shoulder: ['collar bone', 'the inner end of the collar bone'],
  upper_arm: ['shoulder', 'the middle of the shoulder, where the arm turns'],
  forearm: ['elbow', 'the middle of the elbow'],
  hand: ['wrist', 'the middle of the wrist'],
  thigh: ['hip', 'where the leg turns, at the height of the groin'],
  shin: ['knee', 'the middle of the knee'],
  foot: ['ankle', 'the middle of the ankle'],
  toe: ['toes', 'the ball of the foot'],
};

const SIDES: Readonly<Record<string, string>> = { L: 'left ', R: 'right ' };

/** "Left elbow", and "the middle of the elbow". */
export function jointWords(label: string): { what: string; where: string } {
  const [part = label, side = ''] = label.split(/\.([LR])$/);
  const [what, where] = JOINTS[part] ?? [
    part.replaceAll('_', ' '),
    `the middle of the ${part.replaceAll('_', ' ')}`,
  ];
  const whole = `${SIDES[side] ?? ''}${what}`;
  return { what: whole.charAt(0).toUpperCase() + whole.slice(1), where };
}

/** Where joints are in the picture of a person who looks at the viewer. Right sides mirror left ones. */
const SPOTS: Readonly<Record<string, readonly [x: number, y: number]>> = {
  hips: [24, 34],
  spine: [24, 30],
  chest: [24, 25],
  upper_chest: [24, 20],
  neck: [24, 15],
  head: [24, 12],
  shoulder: [26.5, 16.5],
  upper_arm: [31, 18],
  forearm: [36.5, 27],
  hand: [40.5, 35],
  thigh: [27.5, 37],
  shin: [29, 48],
  foot: [30, 58],
  toe: [31.5, 61],
};

const WIDTH = 48;

const FIGURE =
  '<circle cx="24" cy="7.5" r="5.5"/><path d="M24 13v4M24 17.5 20 34.5h8zM24 17.5 31 18l5.5 9 4.5 9M24 17.5 17 18l-5.5 9-4.5 9M27 35l2 13 1 10 3 3M21 35l-2 13-1 10-3 3"/>';

/** A small figure with a spot where the joint is; null if there is no picture of it. */
export function jointPicture(label: string): SVGSVGElement | null {
  const [part = label, side = ''] = label.split(/\.([LR])$/);
  const spot = SPOTS[part];
  if (!spot) return null;
  const x = side === 'R' ? WIDTH - spot[0] : spot[0];
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  svg.setAttribute('viewBox', `0 0 ${WIDTH} 64`);
  svg.setAttribute('class', 'joint-picture');
  svg.setAttribute('aria-hidden', 'true');
  svg.innerHTML = `<g class="figure">${FIGURE}</g><circle class="spot" cx="${x}" cy="${spot[1]}" r="5"/>`;
  return svg;
}

/** Words for body plans, names of joints, and joints, and a picture of where a joint is. */
import type { SkeletonChoice } from '../element/api.ts';
import type { BodyPlan, Names } from '../wasm.ts';
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
  vrm: ['VRM', 'leftUpperArm'],
  unity: ['Unity', 'LeftUpperArm'],
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
  head_tip: ['snout', 'the tip of the snout or the beak'],
  nose: ['nose', 'the tip of the nose'],
  tail_base: ['base of the tail', 'where the tail begins'],
  tail_tip: ['tip of the tail', 'where the tail ends'],
  front_leg_top: ['front shoulder', 'where the front leg turns'],
  front_elbow: ['front elbow', 'the middle of the front elbow'],
  front_wrist: ['front wrist', 'the middle of the front wrist'],
  front_foot: ['front foot', 'where the front foot begins'],
  front_toe: ['front toes', 'the ball of the front foot'],
  hind_leg_top: ['hind hip', 'where the hind leg turns'],
  hind_knee: ['hind knee', 'the middle of the hind knee'],
  hind_ankle: ['hind ankle', 'the middle of the hock'],
  hind_foot: ['hind foot', 'where the hind foot begins'],
  hind_toe: ['hind toes', 'the ball of the hind foot'],
  wing_root: ['wing', 'where the wing begins'],
  wing_elbow: ['elbow of the wing', 'the first bend of the wing'],
  wing_wrist: ['wrist of the wing', 'the second bend of the wing'],
  wing_tip: ['tip of the wing', 'where the wing ends'],
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

/** A picture of a body, and where its joints are in it. */
interface Figure {
  readonly width: number;
  readonly height: number;
  readonly strokes: string;
  readonly spots: Readonly<Record<string, readonly [x: number, y: number]>>;
  /** Whether the right side is the mirror image of the left one. Else both are at one place. */
  readonly isFrontal: boolean;
}

/** Bodies that there is a picture of. */
const FIGURES: Partial<Record<BodyPlan, Figure>> = {
  // A person who looks at the viewer.
  humanoid: {
    width: 48,
    height: 64,
    isFrontal: true,
    strokes:
      '<circle cx="24" cy="7.5" r="5.5"/><path d="M24 13v4M24 17.5 20 34.5h8zM24 17.5 31 18l5.5 9 4.5 9M24 17.5 17 18l-5.5 9-4.5 9M27 35l2 13 1 10 3 3M21 35l-2 13-1 10-3 3"/>',
    spots: {
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
    },
  },
  // An animal from its right side, of which both sides look alike.
  quadruped: {
    width: 64,
    height: 52,
    isFrontal: false,
    strokes:
      '<path d="M6 29c5-1 8-4 12-7 8-3 16-3 24 0l8-10 9 4M42 22l-1 9 1 8-1 7h4M18 22l5 9-6 8 1 7h4M38 24l-3 8 1 7-1 7h3M23 24l3 7-5 8 1 6"/>',
    spots: {
      hips: [19, 21.5],
      spine: [30, 20],
      chest: [41, 21.5],
      neck: [44, 18],
      head: [50, 12],
      head_tip: [59, 16],
      tail_base: [15, 23.5],
      tail_tip: [6, 29],
      front_leg_top: [42, 23],
      front_elbow: [41, 31],
      front_wrist: [42, 39],
      front_foot: [41, 45],
      front_toe: [45, 46],
      hind_leg_top: [18.5, 23],
      hind_knee: [23, 31],
      hind_ankle: [17, 39],
      hind_foot: [18, 45],
      hind_toe: [22, 46],
    },
  },
};

/** A small figure with a spot where the joint is; null if there is no picture of it. */
export function jointPicture(plan: BodyPlan, label: string): SVGSVGElement | null {
  const [part = label, side = ''] = label.split(/\.([LR])$/);
  const figure = FIGURES[plan];
  const spot = figure?.spots[part];
  if (!figure || !spot) return null;
  const { width, height, strokes, isFrontal } = figure;
  const x = side === 'R' && isFrontal ? width - spot[0] : spot[0];
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  svg.setAttribute('viewBox', `0 0 ${width} ${height}`);
  svg.setAttribute('class', 'joint-picture');
  svg.setAttribute('aria-hidden', 'true');
  svg.innerHTML = `<g class="figure">${strokes}</g><circle class="spot" cx="${x}" cy="${spot[1]}" r="5"/>`;
  return svg;
}

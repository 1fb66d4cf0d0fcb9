/** Words for body plans, names of joints, and joints, and a picture of where a joint is. */
import type { SkeletonChoice } from '../element/api.ts';
import type { BodyPlan, Names } from '../wasm.ts';
import { named } from './words.ts';

/** How many joints a chain can have. */
export const CHAIN_JOINTS = { least: 1, most: 32 };

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
  tail_joint: ['joint of the tail', 'where the tail fin begins'],
  fin_root: ['base of the fin', 'where the fin begins'],
  fin_tip: ['tip of the fin', 'where the fin ends'],
  abdomen: ['abdomen', 'where the front and the rear of the body meet'],
  abdomen_tip: ['end of the abdomen', 'where the body ends'],
  root: ['root', 'the middle of the body'],
};

const SIDES: Readonly<Record<string, string>> = { L: 'left ', R: 'right ' };

/** Joints that are counted: what people call them, and where they are. */
const COUNTED: readonly (readonly [RegExp, what: string, where: string])[] = [
  [/^(thumb)_(\d)$/, '$1, joint $2', 'this joint of the thumb, counted from the palm'],
  [
    /^(index|middle|ring|little)_(\d)$/,
    '$1 finger, joint $2',
    'this joint of the finger, counted from the palm',
  ],
  [/^leg_(\d+)_top$/, 'base of leg $1', 'where this leg meets the body; legs are counted from the front'],
  [/^leg_(\d+)_j(\d)$/, 'bend $2 of leg $1', 'where this leg bends; legs are counted from the front'],
  [/^leg_(\d+)_tip$/, 'tip of leg $1', 'where this leg ends; legs are counted from the front'],
  [/^spine_(\d+)$/, 'spine, joint $1', 'the middle of the body, between its neighbours'],
  [/^tail_(\d+)$/, 'tail, joint $1', 'the middle of the tail, between its neighbours'],
  [/^branch_(\d+)_(\d+)$/, 'branch $1, joint $2', 'where this branch bends'],
];

/** "Left elbow", and "the middle of the elbow". */
export function jointWords(label: string): { what: string; where: string } {
  const [part = label, side = ''] = label.split(/\.([LR])$/);
  const [pattern, counted = '', place = ''] = COUNTED.find(([pattern]) => pattern.test(part)) ?? [];
  const plain = part.replaceAll('_', ' ');
  const [what, where] = pattern
    ? [part.replace(pattern, counted), place]
    : (JOINTS[part] ?? [plain, 'the place of this joint']);
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

/** The joints of a spider's left legs, seen from above, from the front. */
const LEGS = [
  ['M20 17l-6-6-2-8', 20, 17, 14, 11, 12, 3],
  ['M19 20l-10-4-6-8', 19, 20, 9, 16, 3, 8],
  ['M19 23l-10 4-6 9', 19, 23, 9, 27, 3, 36],
  ['M20 26l-7 8-3 11', 20, 26, 13, 34, 10, 45],
] as const;

const legSpots = LEGS.flatMap(([, x, y, bentX, bentY, tipX, tipY], leg): [string, [number, number]][] => [
  [`leg_${leg + 1}_top`, [x, y]],
  [`leg_${leg + 1}_j1`, [bentX, bentY]],
  [`leg_${leg + 1}_j2`, [(bentX + tipX) / 2, (bentY + tipY) / 2]],
  [`leg_${leg + 1}_tip`, [tipX, tipY]],
]);

const legStrokes = LEGS.map(([path]) => `<path d="${path}"/>`).join('');

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
  // A bird with its wings spread, which looks at the viewer.
  bird: {
    width: 64,
    height: 48,
    isFrontal: true,
    strokes:
      '<circle cx="32" cy="7" r="4.5"/><path d="M32 12c-6 4-6 14 0 18 6-4 6-14 0-18zM36 17l10-6 8 4 8 9M28 17l-10-6-8 4-8 9M35 29l2 5-1 5 1 4 3 2M29 29l-2 5 1 5-1 4-3 2"/>',
    spots: {
      hips: [32, 26],
      chest: [32, 19],
      neck: [32, 13],
      head: [32, 8],
      head_tip: [32, 10],
      tail_base: [32, 30],
      wing_root: [36, 17],
      wing_elbow: [46, 11],
      wing_wrist: [54, 15],
      wing_tip: [61, 23],
      hind_leg_top: [35, 28],
      hind_knee: [37, 34],
      hind_ankle: [36, 39],
      hind_foot: [37, 43],
      hind_toe: [40, 45],
    },
  },
  // A fish from its right side.
  fish: {
    width: 64,
    height: 48,
    isFrontal: false,
    strokes: '<path d="M59 24c-8-11-29-11-41 0 12 11 33 11 41 0zM18 24 6 13v22zM40 29l-7 10 11-7"/>',
    spots: {
      nose: [59, 24],
      head: [51, 24],
      spine_1: [45, 24],
      spine_2: [38, 24],
      spine_3: [31, 24],
      spine_4: [25, 24],
      tail_joint: [18, 24],
      tail_tip: [7, 24],
      fin_root: [40, 29],
      fin_tip: [34, 38],
    },
  },
  // A spider from above, with its head upwards.
  spider: {
    width: 48,
    height: 48,
    isFrontal: true,
    strokes: `<circle cx="24" cy="17" r="5"/><ellipse cx="24" cy="30" rx="6" ry="8"/>${legStrokes}<g transform="matrix(-1 0 0 1 48 0)">${legStrokes}</g>`,
    spots: {
      head: [24, 17],
      abdomen: [24, 23],
      abdomen_tip: [24, 37],
      ...Object.fromEntries(legSpots),
    },
  },
};

/** A small figure with a spot where the joint is; null if there is no picture of it. */
export function jointPicture(plan: BodyPlan, label: string): SVGSVGElement | null {
  const [part = label, side = ''] = label.split(/\.([LR])$/);
  const figure = FIGURES[plan];
  const isFinger = /^(thumb|index|middle|ring|little)_\d$/.test(part);
  const spot = figure?.spots[isFinger ? 'hand' : part];
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

/**
 * Bodies of round cones, without skeletons, for the pictures of fitted ones. They look along +Z,
 * and their left is +X.
 */

/** A cone from `a` to `b`, and its mirror image. */
const pair = (a, b, ra, rb = ra) => [
  [a, b, ra, rb],
  [[-a[0], a[1], a[2]], [-b[0], b[1], b[2]], ra, rb],
];

/** Cones along points with radii. */
const line = (...points) => points.slice(1).map(([x, y, z, r], i) => [points[i].slice(0, 3), [x, y, z], points[i][3], r]);

/** The same on both sides. */
const lines = (...points) => line(...points).flatMap(([a, b, ra, rb]) => pair(a, b, ra, rb));

/** A point at a distance from another, in degrees below the horizontal, to the left. */
const beside = ([x, y, z], length, degrees, forward = 0) => {
  const angle = (degrees * Math.PI) / 180;
  return [x + length * Math.cos(angle), y - length * Math.sin(angle), z + forward];
};

/** A person of so many proportions, with arms so many degrees below the horizontal. */
function person({ legs = 0.86, torso = 0.56, head = 0.12, arm = 0.29, width = 0.17, girth = 1, down = 0, apart = 0.1, elbow = 0 }) {
  const hips = legs + 0.06;
  const shoulders = hips + torso;
  const top = shoulders + 0.1 + head;
  const shoulder = [width, shoulders - 0.05, 0];
  const bend = beside(shoulder, arm, down);
  const wrist = beside(bend, arm * 0.9, down - elbow, 0.02);
  const tip = beside(wrist, arm * 0.45, down - elbow, 0.02);
  const knee = [0.09 + apart * 0.5, legs * 0.53, 0.015];
  const ankle = [0.09 + apart, 0.08, -0.02];
  const r = (x) => x * girth;
  return [
    ...line([0, hips, 0, r(0.12)], [0, hips + torso * 0.4, 0, r(0.105)], [0, shoulders - 0.08, 0, r(0.125)]),
    ...line([0, shoulders - 0.04, 0, 0.06], [0, shoulders + 0.08, 0.005, 0.055]),
    [[0, top, 0.02], [0, top + head * 0.5, 0.015], head * 0.85, head * 0.8],
    [[0, top - head * 0.25, head * 0.8], [0, top - head * 0.25, head * 0.95], head * 0.16, head * 0.12],
    ...pair([0.05, shoulders - 0.06, 0], shoulder, r(0.07), r(0.062)),
    ...pair(shoulder, bend, r(0.058), r(0.045)),
    ...pair(bend, wrist, r(0.045), r(0.033)),
    ...pair(wrist, tip, r(0.038), r(0.022)),
    ...pair([0.09, hips - 0.02, 0], knee, r(0.088), r(0.06)),
    ...pair(knee, ankle, r(0.06), r(0.042)),
    ...pair(ankle, [ankle[0] + 0.01, 0.035, 0.15], r(0.045), r(0.032)),
  ];
}

const dog = [
  ...line([0, 0.62, -0.42, 0.13], [0, 0.6, 0, 0.13], [0, 0.6, 0.35, 0.16]),
  ...line([0, 0.66, 0.42, 0.12], [0, 0.86, 0.6, 0.085], [0, 0.94, 0.7, 0.1]),
  ...line([0, 0.91, 0.74, 0.075], [0, 0.87, 0.95, 0.045]),
  ...lines([0.06, 1.0, 0.66, 0.035], [0.09, 1.12, 0.63, 0.012]),
  ...lines([0.11, 0.55, 0.38, 0.085], [0.12, 0.34, 0.3, 0.055], [0.12, 0.08, 0.36, 0.04], [0.12, 0.035, 0.46, 0.035]),
  ...lines([0.11, 0.55, -0.42, 0.1], [0.12, 0.36, -0.32, 0.065], [0.12, 0.2, -0.5, 0.04], [0.12, 0.06, -0.45, 0.036], [0.12, 0.035, -0.36, 0.035]),
  ...line([0, 0.68, -0.5, 0.045], [0, 0.78, -0.68, 0.035], [0, 0.98, -0.82, 0.02]),
];

const bird = [
  ...line([0, 0.5, -0.22, 0.1], [0, 0.54, 0.08, 0.16], [0, 0.62, 0.22, 0.1]),
  ...line([0, 0.68, 0.27, 0.065], [0, 0.82, 0.36, 0.055], [0, 0.86, 0.42, 0.075]),
  ...line([0, 0.85, 0.48, 0.04], [0, 0.82, 0.62, 0.012]),
  ...lines([0.1, 0.62, 0.1, 0.05], [0.42, 0.72, 0.12, 0.04], [0.78, 0.7, 0.06, 0.035], [1.25, 0.62, -0.12, 0.015]),
  ...lines([0.3, 0.66, 0.02, 0.028], [0.8, 0.67, -0.06, 0.024], [1.15, 0.61, -0.18, 0.014]),
  ...lines([0.3, 0.65, -0.08, 0.024], [0.75, 0.64, -0.18, 0.02]),
  ...line([0, 0.48, -0.3, 0.06], [0, 0.46, -0.62, 0.03]),
  ...lines([0.03, 0.48, -0.32, 0.04], [0.12, 0.45, -0.62, 0.02]),
  ...lines([0.08, 0.44, 0, 0.06], [0.09, 0.28, 0.06, 0.035], [0.09, 0.1, -0.03, 0.02], [0.09, 0.03, 0, 0.022], [0.1, 0.022, 0.13, 0.018]),
];

const fish = [
  ...line([0, 0.5, 0.95, 0.05], [0, 0.5, 0.7, 0.16], [0, 0.5, 0.3, 0.22], [0, 0.5, -0.2, 0.17], [0, 0.5, -0.65, 0.06], [0, 0.5, -0.8, 0.045]),
  ...line([0, 0.5, -0.8, 0.04], [0, 0.76, -1.05, 0.025]),
  ...line([0, 0.5, -0.8, 0.04], [0, 0.24, -1.05, 0.025]),
  ...line([0, 0.7, 0.25, 0.05], [0, 0.9, 0.02, 0.02]),
  ...lines([0.17, 0.42, 0.45, 0.045], [0.5, 0.32, 0.2, 0.02]),
];

const snake = line(
  ...Array.from({ length: 25 }, (_, i) => {
    const share = i / 24;
    const z = 1.1 - 2.2 * share;
    return [0.28 * Math.sin(share * 9), 0.09, z, i === 0 ? 0.05 : i < 3 ? 0.085 : 0.075 * (1 - share) + 0.018];
  }),
);

const spider = [
  [[0, 0.4, 0.2], [0, 0.4, 0.05], 0.13, 0.14],
  [[0, 0.44, -0.22], [0, 0.46, -0.42], 0.16, 0.19],
  ...[35, 12, -14, -40].flatMap((degrees) => {
    const [x, z] = [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)];
    const at = (reach, y, r) => [reach * x, y, 0.1 + reach * z, r];
    return lines(at(0.12, 0.4, 0.04), at(0.5, 0.72, 0.035), at(0.82, 0.36, 0.028), at(1.02, 0.03, 0.015));
  }),
];

/** Cones, the cell of the lattice, and how far parts blend into each other. */
export const BODIES = {
  't-pose': { cones: person({}), cell: 0.02, blend: 0.05 },
  child: { cones: person({ legs: 0.5, torso: 0.42, head: 0.2, arm: 0.19, width: 0.14, down: 25 }), cell: 0.018, blend: 0.05 },
  tall: { cones: person({ legs: 1.12, torso: 0.52, head: 0.1, arm: 0.36, width: 0.15, girth: 0.8, down: 50, apart: 0.05 }), cell: 0.022, blend: 0.04 },
  giant: { cones: person({ legs: 0.62, torso: 0.66, head: 0.13, arm: 0.36, width: 0.28, girth: 1.55, down: 35, apart: 0.14, elbow: 30 }), cell: 0.024, blend: 0.07 },
  dog: { cones: dog, cell: 0.018, blend: 0.05 },
  bird: { cones: bird, cell: 0.016, blend: 0.04 },
  fish: { cones: fish, cell: 0.02, blend: 0.05 },
  snake: { cones: snake, cell: 0.02, blend: 0.03 },
  spider: { cones: spider, cell: 0.018, blend: 0.04 },
};

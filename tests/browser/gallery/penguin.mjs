/**
 * A body like a penguin, after Figure 4 of Wareham and Lasenby 2008: a thick trunk on short legs,
 * with flippers close to its sides. It looks along +Z, and its left is +X.
 */

const side = (x, cones) => cones.map(([a, b, ra, rb]) => [[x * a[0], a[1], a[2]], [x * b[0], b[1], b[2]], ra, rb]);
const both = (...cones) => [...side(1, cones), ...side(-1, cones)];

/** Cones, the cell of the lattice, and how far parts blend into each other. */
export const PENGUIN = {
  cones: [
    [[0, 0.2, 0], [0, 0.42, 0.01], 0.2, 0.245],
    [[0, 0.42, 0.01], [0, 0.66, 0], 0.245, 0.18],
    [[0, 0.66, 0], [0, 0.84, 0.01], 0.18, 0.11],
    [[0, 0.9, 0.02], [0, 0.93, 0.03], 0.125, 0.12],
    [[0, 0.9, 0.12], [0, 0.88, 0.27], 0.04, 0.012],
    [[0, 0.14, -0.16], [0, 0.07, -0.32], 0.07, 0.025],
    ...both(
      [[0.15, 0.7, 0], [0.28, 0.55, 0], 0.06, 0.05],
      [[0.28, 0.55, 0], [0.35, 0.28, 0.01], 0.05, 0.022],
      [[0.1, 0.16, 0.02], [0.11, 0.04, 0.03], 0.08, 0.05],
      [[0.11, 0.035, 0.05], [0.14, 0.03, 0.2], 0.05, 0.04],
    ),
  ],
  cell: 0.018,
  blend: 0.035,
};

const bone = (name, parent, head, tail) => ({ name, parent, head, tail });
const limbs = (name, x) => [
  bone(`flipper.${name}`, 'chest', [0.16 * x, 0.69, 0], [0.28 * x, 0.53, 0]),
  bone(`flipper_tip.${name}`, `flipper.${name}`, [0.28 * x, 0.53, 0], [0.35 * x, 0.27, 0.01]),
  bone(`leg.${name}`, 'hips', [0.1 * x, 0.18, 0.01], [0.11 * x, 0.05, 0.03]),
  bone(`foot.${name}`, `leg.${name}`, [0.11 * x, 0.05, 0.03], [0.14 * x, 0.03, 0.2]),
];

/** Its skeleton, as `rig --skeleton` and `loadSkeleton` read it. */
export const PENGUIN_SKELETON = {
  bones: [
    bone('hips', null, [0, 0.2, 0], [0, 0.4, 0.01]),
    bone('belly', 'hips', [0, 0.4, 0.01], [0, 0.6, 0]),
    bone('chest', 'belly', [0, 0.6, 0], [0, 0.78, 0.01]),
    bone('head', 'chest', [0, 0.78, 0.01], [0, 1, 0.03]),
    ...limbs('L', 1),
    ...limbs('R', -1),
  ],
};

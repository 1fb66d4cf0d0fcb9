/** Settings of the figure in docs/methods.md: one bone's weights by every method, and a pose. */

const FRONT = { target: [0.22, 1.12, 0], yaw: 20, pitch: 6, distance: 2.5 };
const ARM_UP = { 'upper_arm.L': [0, 0, 45], 'forearm.L': [0, -70, 0], spine: [0, 0, -10] };

export const METHOD_FIGURES = [
  {
    file: 'methods.jpg',
    size: [168, 260],
    cell: { member: 'mannequin', vertices: 8000, deformer: 'lbs', camera: FRONT },
    rows: [
      { name: 'Weights of upper_arm.L', show: 'weights', joint: 'upper_arm.L' },
      { name: 'Arm raised', pose: ARM_UP },
    ],
    columns: [
      { name: 'Atlas', method: 'atlas' },
      { name: 'Bone heat', method: 'heat' },
      { name: 'Bone glow', method: 'glow' },
      { name: 'Biharmonic', method: 'bbw' },
      { name: 'Inverse distance', method: 'distance' },
    ],
  },
];

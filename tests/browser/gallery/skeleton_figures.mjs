/**
 * Settings of the pictures of fitted skeletons: bare meshes of the sample characters and of
 * `bodies.mjs`. The note of each cell is the body plan that was detected, and the number of joints.
 */

const column = (name, setting) => ({ name, ...setting });
const body = (name) => ({ bare: { body: name } });
const sample = (member, vertices) => ({ bare: { member, vertices } });

const CELL = { bones: 'shown', hasSkeletonNote: true };

export const SKELETON_FIGURES = [
  {
    file: 'skeletons-1.jpg',
    size: [212, 250],
    cell: { ...CELL, yaw: 20 },
    rows: [{ name: '' }],
    columns: [
      column('Mannequin', sample('mannequin', 4000)),
      column('In a T-pose', body('t-pose')),
      column('Child', body('child')),
      column('Tall', body('tall')),
    ],
  },
  {
    file: 'skeletons-2.jpg',
    size: [212, 230],
    cell: { ...CELL, yaw: 60 },
    rows: [{ name: '' }],
    columns: [
      column('Giant', { ...body('giant'), yaw: 20 }),
      column('Elephant', sample('elephant', 4000)),
      column('Giraffe', sample('giraffe', 4000)),
      column('Dog', body('dog')),
    ],
  },
  {
    file: 'skeletons-3.jpg',
    size: [212, 190],
    cell: { ...CELL, yaw: 50 },
    rows: [{ name: '' }],
    columns: [
      column('Bird', { ...body('bird'), yaw: 30, pitch: 20 }),
      column('Fish', body('fish')),
      column('Snake', { ...body('snake'), pitch: 30 }),
      column('Spider', { ...body('spider'), yaw: 25, pitch: 30 }),
    ],
  },
];

/**
 * Settings of the figures of Hétroy et al. 2009 with the sample characters. The settings of a cell
 * are those of its figure, column and row, merged in this order. `shot.mjs` lists the settings.
 */

/** Turns the upper arm so that the elbow bends in the plane of the picture. */
const elbow = (degrees) => ({ upper_arm: [-90, 0, 0], forearm: [0, -degrees, 0] });
const ELBOW = { target: [3.1, 0.1, 0], yaw: 0, pitch: 6, distance: 8.4 };
const BENT = { target: [2.3, 1.0, 0], yaw: 0, pitch: 6, distance: 8.4 };
const BODY = { target: [0, 0.89, 0], yaw: 24, pitch: 6, distance: 3.7 };
const HIPS = { target: [0, 0.92, 0], yaw: 18, pitch: 4, distance: 1.75 };
const HAND = { target: [0, 0.78, 0], yaw: 0, pitch: 8, distance: 5.7 };

const STRIDE = { 'thigh.L': [-55, 0, 0], 'shin.L': [60, 0, 0], 'thigh.R': [25, 0, 0], 'upper_arm.L': [0, 0, 12], 'forearm.R': [0, -70, 0] };

/** A curled trunk with two regions: three of its joints do not deform. */
const CURLED = {
  member: 'elephant',
  vertices: 12000,
  bound: Object.fromEntries([1, 2, 3, 4, 5, 6].map((joint) => [`trunk_${joint}`, [-46, 0, 0]])),
  deforms: Object.fromEntries([2, 3, 4].map((joint) => [`trunk_${joint}`, false])),
  joint: 'trunk_5',
  camera: { target: [0, 2.7, 2.9], yaw: 90, pitch: 4, distance: 5 },
};

const at = (k) => ({ name: `K = ${k}`, atlas: { k } });

export const FIGURES = [
  {
    file: 'figure-1.jpg',
    size: [286, 180],
    cell: { member: 'arm', vertices: 6000, atlas: { distance: 'dijkstra' } },
    rows: [0.1, 0.5, 1, 2].map(at),
    columns: [
      { name: 'Overlaps at rest', show: 'overlaps', pose: elbow(0), camera: ELBOW },
      { name: 'Bent by 60°', pose: elbow(60), camera: BENT },
      { name: 'Bent by 120°', pose: elbow(120), camera: BENT },
    ],
  },
  {
    file: 'figure-3.jpg',
    size: [212, 380],
    cell: { member: 'mannequin', vertices: 8000, show: 'regions', camera: BODY },
    rows: [{ name: '' }],
    columns: [
      { name: 'At rest' },
      { name: 'In another pose', bound: STRIDE },
      { name: 'Joints moved', moved: { 'upper_arm.L': 'forearm.L', 'thigh.R': 'shin.R' } },
      { name: 'Vertices moved', noise: 0.1 },
    ],
  },
  {
    file: 'figure-4.jpg',
    size: [286, 330],
    cell: { atlas: { distance: 'dijkstra' } },
    rows: [
      { name: 'Overlaps', show: 'overlaps' },
      { name: 'Deformed', isDeformed: true },
    ],
    columns: [
      { name: 'Mannequin', member: 'mannequin', vertices: 8000, atlas: { k: 0.5 }, camera: { ...BODY, distance: 4.3 }, deformation: { pose: STRIDE } },
      { name: 'Giraffe', member: 'giraffe', vertices: 8000, atlas: { k: 0.2 }, deformation: { clip: 'graze', share: 0.5 }, yaw: 60 },
      { name: 'Elephant', member: 'elephant', vertices: 8000, atlas: { k: 0.2 }, deformation: { clip: 'trunk', share: 0.3 }, yaw: 55 },
    ],
  },
  {
    file: 'figure-5.jpg',
    size: [286, 300],
    cell: { member: 'hand', vertices: 8000, atlas: { k: 0.6 }, camera: HAND },
    rows: [
      { name: 'Overlaps', show: 'overlaps' },
      { name: 'Index bent', atlas: { k: 1 }, pose: { index_1: [70, 0, 0], index_2: [60, 0, 0] }, camera: { target: [0.05, 1.0, 0], yaw: 30, pitch: 8, distance: 4 } },
    ],
    columns: [
      { name: 'Euclidean, no guard', atlas: { distance: 'euclidean', guard: null } },
      { name: 'Euclidean, with guard', atlas: { distance: 'euclidean', guard: 1 } },
      { name: 'Geodesic', atlas: { distance: 'smooth' } },
    ],
  },
  {
    file: 'figure-5b.jpg',
    size: [430, 300],
    cell: { ...CURLED, show: 'weights', atlas: { k: 3, overlap_distance: 'dijkstra' } },
    rows: [{ name: 'Weights of trunk_5' }],
    columns: [
      { name: 'Euclidean', atlas: { distance: 'euclidean' } },
      { name: 'Along the surface', atlas: { distance: 'dijkstra' } },
    ],
  },
  {
    file: 'figure-6.jpg',
    size: [286, 260],
    cell: { member: 'mannequin', vertices: 12000, camera: HIPS },
    rows: [
      { name: 'Overlaps', show: 'overlaps' },
      { name: 'Leg raised', pose: { 'thigh.R': [-75, 0, 0], 'shin.R': [40, 0, 0] } },
    ],
    columns: [
      { name: 'Euclidean', atlas: { k: 0.5, distance: 'euclidean' } },
      { name: 'Dijkstra', atlas: { k: 0.5, distance: 'dijkstra' } },
      { name: 'Harmonic', atlas: { k: 0.4, distance: 'harmonic' } },
    ],
  },
  {
    file: 'figure-7.jpg',
    size: [430, 230],
    cell: { member: 'arm', vertices: 12000, atlas: { distance: 'dijkstra' }, pose: elbow(100), camera: { ...BENT, distance: 7.6 } },
    rows: [at(0.5), at(2)],
    columns: [
      { name: 'Cubic', atlas: { transition: 'cubic' } },
      { name: 'Linear', atlas: { transition: 'linear' } },
    ],
  },
  {
    file: 'figure-7cd.jpg',
    size: [286, 230],
    cell: { member: 'arm', vertices: 12000, pose: elbow(100), camera: { ...BENT, distance: 7.6 } },
    rows: [{ name: '' }],
    columns: [
      { name: 'Cubic, K = 0.5', atlas: { distance: 'dijkstra' } },
      { name: 'Brush', brush: { upper: 'upper_arm', lower: 'forearm', joint: 3, radius: 0.5 }, method: 'source' },
      { name: 'Bone heat', method: 'heat', heat: { conductance: 1, nearness: 'plain' } },
    ],
  },
  {
    file: 'atlas-depth.jpg',
    size: [286, 300],
    cell: { member: 'mannequin', vertices: 8000, joint: 'neck', camera: { target: [0, 1.45, 0], yaw: 24, pitch: 6, distance: 1.5 } },
    rows: [
      { name: 'Weights of the neck', show: 'weights' },
      { name: 'Head turned', pose: { neck: [0, 35, 15], head: [0, 35, 15] } },
    ],
    columns: [
      { name: 'Depth in widths', atlas: { depth: 'widths' } },
      { name: 'Depth in lengths', atlas: { depth: 'lengths' } },
      { name: 'A curve over the overlap', atlas: { transition: { curve: [[0.4, 0.1], [0.6, 0.9]] } } },
    ],
  },
];

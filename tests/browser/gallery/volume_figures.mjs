/**
 * Settings of the figures of Rohmer, Hahmann and Cani 2008 with the sample characters, beside
 * linear blend skinning. The note of each cell is the change of the total volume.
 */

/** Post-skinning settings of a cell. */
const postSkinning = (volume, more = {}) => ({ postSkinning: { volume, ...more } });
const PLAIN = postSkinning('off');

const LINE = { target: [-1.3, 1.4, 0], yaw: 0, pitch: 8, distance: 17 };
const bent = (degrees) => ({ second: [0, 0, degrees] });

const trunk = (degrees) => Object.fromEntries([1, 2, 3, 4, 5, 6].map((joint) => [`trunk_${joint}`, [degrees, 0, 0]]));
/** Lowers the chest, which compresses the belly, and curls the trunk up. */
const ELEPHANT = {
  spine: [18, 0, 0],
  chest: [12, 0, 0],
  ...trunk(-30),
  'hind_upper.L': [-35, 0, 0],
  'hind_upper.R': [-35, 0, 0],
  'hind_lower.L': [55, 0, 0],
  'hind_lower.R': [55, 0, 0],
};
/** Joints whose bones do not count for the distance of the belly from the bones. */
const LEGS = ['fore_upper.L', 'fore_upper.R', 'fore_lower.L', 'fore_lower.R', 'hind_upper.L', 'hind_upper.R', 'hind_lower.L', 'hind_lower.R'];
const GIRAFFE = { neck_1: [35, 0, 0], neck_2: [45, 0, 0], neck_3: [45, 0, 0], head: [40, 0, 0] };
/** A bend of the neck that no giraffe could make. */
const TOY = { neck_1: [45, 0, 0], neck_2: [58, 0, 0], neck_3: [58, 0, 0], head: [52, 0, 0] };
/** Sits down, so that the thighs touch the belly. */
const SITTING = { 'thigh.L': [-100, 0, 0], 'thigh.R': [-100, 0, 0], 'shin.L': [110, 0, 0], 'shin.R': [110, 0, 0], spine: [25, 0, 0], 'forearm.L': [0, -100, 0] };

const CYLINDER = { member: 'cylinder', vertices: 4000, deformer: 'lbs', hasNote: true, atlas: { k: 2, distance: 'smooth' }, pose: bent(90), camera: LINE };

export const VOLUME_FIGURES = [
  {
    file: 'volume-2b.jpg',
    size: [430, 300],
    cell: CYLINDER,
    rows: [{ name: '' }],
    columns: [
      { name: 'Linear blend skinning', ...PLAIN },
      { name: 'Uniform', ...postSkinning('uniform') },
    ],
  },
  {
    file: 'volume-3.jpg',
    size: [286, 240],
    cell: CYLINDER,
    rows: [{ name: '' }],
    columns: [
      { name: 'Linear blend skinning', ...PLAIN },
      { name: 'Correction map', show: 'gamma', ...postSkinning('rubber') },
      { name: 'Rubber', ...postSkinning('rubber') },
    ],
  },
  {
    file: 'volume-4.jpg',
    size: [286, 240],
    cell: { ...CYLINDER, member: 'cylinder-off-centre' },
    rows: [{ name: '' }],
    columns: [
      { name: 'Linear blend skinning', ...PLAIN },
      { name: 'Correction map', show: 'gamma', ...postSkinning('organic', { beta: 2 }) },
      { name: 'Organic', ...postSkinning('organic', { beta: 2 }) },
    ],
  },
  {
    file: 'volume-8.jpg',
    size: [286, 300],
    cell: { deformer: 'lbs', influences: 8, hasNote: true },
    rows: [
      { name: 'Linear blend skinning', ...PLAIN },
      { name: 'Correction map', show: 'gamma', ...postSkinning('organic') },
      { name: 'Organic', ...postSkinning('organic') },
      { name: 'Local', ...postSkinning('local') },
    ],
    columns: [
      { name: 'Elephant', member: 'elephant', vertices: 12000, atlas: { k: 0.8 }, pose: ELEPHANT, postSkinning: { excluded: LEGS }, yaw: 66 },
      { name: 'Giraffe', member: 'giraffe', vertices: 12000, atlas: { k: 0.8 }, pose: GIRAFFE, yaw: 80 },
      { name: 'Mannequin', member: 'mannequin', vertices: 12000, atlas: { k: 0.8 }, pose: SITTING, camera: { target: [0, 1.08, 0.15], yaw: 50, pitch: 8, distance: 3.3 } },
    ],
  },
  {
    file: 'volume-local.jpg',
    size: [286, 240],
    cell: { member: 'arm', vertices: 12000, deformer: 'lbs', hasNote: true, atlas: { k: 0.8 }, pose: { upper_arm: [-90, 0, 0], forearm: [0, -110, 0] }, camera: { target: [2.1, 0.85, 0], yaw: 0, pitch: 6, distance: 8.4 } },
    rows: [{ name: '' }],
    columns: [
      { name: 'Linear blend skinning', ...PLAIN },
      { name: 'Local', ...postSkinning('local') },
      { name: 'Local, with contacts', ...postSkinning('local', { guard: true }) },
    ],
  },
  {
    file: 'volume-9.jpg',
    size: [286, 330],
    cell: { member: 'giraffe', vertices: 12000, influences: 8, atlas: { k: 2 }, deformer: 'lbs', hasNote: true, pose: TOY, camera: { target: [0, 2.3, 1.2], yaw: 80, pitch: 4, distance: 6.4 } },
    rows: [{ name: '' }],
    columns: [
      { name: 'Linear blend skinning', ...PLAIN },
      { name: 'Correction map', show: 'gamma', ...postSkinning('rubber') },
      { name: 'Rubber', ...postSkinning('rubber') },
    ],
  },
  {
    file: 'volume-10.jpg',
    size: [286, 300],
    cell: { member: 'hand', vertices: 16000, deformer: 'lbs', hasNote: true, atlas: { k: 1 }, pose: { index_2: [120, 0, 0] }, camera: { target: [0.36, 1.32, 0.1], yaw: 68, pitch: 10, distance: 1.9 } },
    rows: [
      { name: 'Shaded' },
      { name: 'Self-intersections', show: 'folds' },
    ],
    columns: [
      { name: 'Linear blend skinning', ...PLAIN },
      { name: 'Volume preserved', ...postSkinning('local') },
      { name: 'With contacts', ...postSkinning('local', { guard: true }) },
    ],
  },
  {
    file: 'volume-time.jpg',
    isPlot: true,
    size: [212, 170],
    cell: { vertices: 3000, deformer: 'lbs', yaw: 60 },
    rows: [
      { name: 'Volumes preserved', ...postSkinning('local') },
      { name: 'With contacts', ...postSkinning('local', { guard: true }) },
    ],
    columns: [
      { name: 'Arm', member: 'arm', pose: { forearm: [0, -110, 0] } },
      { name: 'Finger', member: 'hand', pose: { index_2: [120, 0, 0] } },
      { name: 'Elephant', member: 'elephant', pose: ELEPHANT },
      { name: 'Giraffe', member: 'giraffe', pose: GIRAFFE },
    ],
  },
];

/**
 * The figures of Rohmer, Hahmann and Cani 2008 with our characters, beside plain linear blending. Under every picture stands how much
 * of the whole's volume the pose has taken or given.
 */

/** As `pliant-viewer` is told. */
const postSkinning = (volume, more = {}) => ({ postSkinning: { volume, ...more } });
const PLAIN = postSkinning('off');

const LINE = { target: [-1.3, 1.4, 0], yaw: 0, pitch: 8, distance: 17 };
const bent = (degrees) => ({ second: [0, 0, degrees] });

const trunk = (degrees) => Object.fromEntries([1, 2, 3, 4, 5, 6].map((joint) => [`trunk_${joint}`, [degrees, 0, 0]]));
/** Lowers its chest, so that its belly is squeezed, and curls its trunk up. */
const ELEPHANT = {
  spine: [18, 0, 0],
  chest: [12, 0, 0],
  ...trunk(-30),
  'hind_upper.L': [-35, 0, 0],
  'hind_upper.R': [-35, 0, 0],
  'hind_lower.L': [55, 0, 0],
  'hind_lower.R': [55, 0, 0],
};
/** Its belly hangs from the spine, wherever the legs are. */
const LEGS = ['fore_upper.L', 'fore_upper.R', 'fore_lower.L', 'fore_lower.R', 'hind_upper.L', 'hind_upper.R', 'hind_lower.L', 'hind_lower.R'];
const GIRAFFE = { neck_1: [35, 0, 0], neck_2: [45, 0, 0], neck_3: [45, 0, 0], head: [40, 0, 0] };
/** The toy's. */
const TOY = { neck_1: [45, 0, 0], neck_2: [58, 0, 0], neck_3: [58, 0, 0], head: [52, 0, 0] };
/** Sitting down, so that thighs press against the belly. */
const SITTING = { 'thigh.L': [-100, 0, 0], 'thigh.R': [-100, 0, 0], 'shin.L': [110, 0, 0], 'shin.R': [110, 0, 0], spine: [25, 0, 0], 'forearm.L': [0, -100, 0] };

const CYLINDER = { member: 'cylinder', vertices: 4000, deformer: 'lbs', hasNote: true, atlas: { k: 2, distance: 'smooth' }, pose: bent(90), camera: LINE };

export const VOLUME_FIGURES = [
  {
    file: 'volume-2b.jpg',
    title: 'A correction that knows nothing',
    about: 'A cylinder bent by 90°. Giving the volume back everywhere alike inflates the ends, and the bend stays thin. (Figure 2 b of the paper)',
    size: [430, 300],
    cell: CYLINDER,
    rows: [{ name: '' }],
    columns: [
      { name: 'Linear blending', ...PLAIN },
      { name: 'Uniform', ...postSkinning('uniform') },
    ],
  },
  {
    file: 'volume-3.jpg',
    title: 'Rubber',
    about: 'Where both bones hold the skin, it gives: all around, as rubber does. (Figure 3)',
    size: [286, 240],
    cell: CYLINDER,
    rows: [{ name: '' }],
    columns: [
      { name: 'Linear blending', ...PLAIN },
      { name: 'Where it gives', show: 'gamma', ...postSkinning('rubber') },
      { name: 'Rubber', ...postSkinning('rubber') },
    ],
  },
  {
    file: 'volume-4.jpg',
    title: 'Flesh hangs on one side of the bone',
    about: 'The same with bones beside the axis: flesh bulges where it is far from them. (Figure 4)',
    size: [286, 240],
    cell: { ...CYLINDER, member: 'cylinder-off-centre' },
    rows: [{ name: '' }],
    columns: [
      { name: 'Linear blending', ...PLAIN },
      { name: 'Where it gives', show: 'gamma', ...postSkinning('organic', { beta: 2 }) },
      { name: 'Organic', ...postSkinning('organic', { beta: 2 }) },
    ],
  },
  {
    file: 'volume-8.jpg',
    title: 'Bellies, necks and laps',
    about:
      'Extreme poses by linear blending, with the volume of the whole kept by flesh far from bones, and with that of every segment: belly, trunk, neck and lap bulge where ' +
      'they are bent. The elephant is measured from its spine and trunk, not from its legs. (Figure 8)',
    size: [286, 300],
    cell: { deformer: 'lbs', influences: 8, hasNote: true },
    rows: [
      { name: 'Linear blending', ...PLAIN },
      { name: 'Where it gives', show: 'gamma', ...postSkinning('organic') },
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
    title: 'Every limb keeps its own',
    about:
      'An elbow bent by 110°: with local volumes upper arm and forearm each keep their own, so that nothing else moves; held back at the contact they do not ' +
      'pass through each other. (The method of section 5 of the paper, which shows it on whole characters)',
    size: [286, 240],
    cell: { member: 'arm', vertices: 12000, deformer: 'lbs', hasNote: true, atlas: { k: 0.8 }, pose: { upper_arm: [-90, 0, 0], forearm: [0, -110, 0] }, camera: { target: [2.1, 0.85, 0], yaw: 0, pitch: 6, distance: 8.4 } },
    rows: [{ name: '' }],
    columns: [
      { name: 'Linear blending', ...PLAIN },
      { name: 'Local', ...postSkinning('local') },
      { name: 'Local, folds held back', ...postSkinning('local', { guard: true }) },
    ],
  },
  {
    file: 'volume-9.jpg',
    title: 'A rubber giraffe',
    about:
      'Its neck bent further than any giraffe would, with weights as soft as a toy: thin by linear blending, and as thick as before by the rubber map. (Figure 9)',
    size: [286, 330],
    cell: { member: 'giraffe', vertices: 12000, influences: 8, atlas: { k: 2 }, deformer: 'lbs', hasNote: true, pose: TOY, camera: { target: [0, 2.3, 1.2], yaw: 80, pitch: 4, distance: 6.4 } },
    rows: [{ name: '' }],
    columns: [
      { name: 'Linear blending', ...PLAIN },
      { name: 'Where it gives', show: 'gamma', ...postSkinning('rubber') },
      { name: 'Rubber', ...postSkinning('rubber') },
    ],
  },
  {
    file: 'volume-10.jpg',
    title: 'Flesh does not pass through itself',
    about: 'A finger bent by 120°. Keeping its volume alone makes it cut through itself; held back at the contact, it bulges instead. Where the skin passes through itself is red. (Figure 10)',
    size: [286, 300],
    cell: { member: 'hand', vertices: 16000, deformer: 'lbs', hasNote: true, atlas: { k: 1 }, pose: { index_2: [120, 0, 0] }, camera: { target: [0.36, 1.32, 0.1], yaw: 68, pitch: 10, distance: 1.9 } },
    rows: [
      { name: 'As it looks' },
      { name: 'Folds', show: 'folds' },
    ],
    columns: [
      { name: 'Linear blending', ...PLAIN },
      { name: 'Volume kept', ...postSkinning('local') },
      { name: 'And folds held back', ...postSkinning('local', { guard: true }) },
    ],
  },
  {
    file: 'volume-time.jpg',
    title: 'Nothing pops',
    about:
      'Bent and straightened again in 300 frames: how far the correction moves any vertex, and how much that changes from frame to frame beyond what goes on evenly (the second ' +
      'difference), a thousand times as large. A pop would be a spike as high as the pop. In shares of the size. (Beyond the paper)',
    isPlot: true,
    size: [212, 170],
    cell: { vertices: 3000, deformer: 'lbs', yaw: 60 },
    rows: [
      { name: 'Volumes kept', ...postSkinning('local') },
      { name: 'And folds held back', ...postSkinning('local', { guard: true }) },
    ],
    columns: [
      { name: 'Arm', member: 'arm', pose: { forearm: [0, -110, 0] } },
      { name: 'Finger', member: 'hand', pose: { index_2: [120, 0, 0] } },
      { name: 'Elephant', member: 'elephant', pose: ELEPHANT },
      { name: 'Giraffe', member: 'giraffe', pose: GIRAFFE },
    ],
  },
];

/**
 * The figures of Rohmer, Hahmann and Cani 2008 with our characters, beside plain linear blending. Under every picture stands how much
 * of the whole's volume the pose has taken or given.
 */

/** As `pliant-viewer` is told. */
const flesh = (volume, more = {}) => ({ flesh: { volume, ...more } });
const PLAIN = flesh('off');

const LINE = { target: [-1.3, 1.4, 0], yaw: 0, pitch: 8, distance: 17 };
const bent = (degrees) => ({ second: [0, 0, degrees] });

/** Stretches up with its trunk curled in, a foreleg lifted and a hind leg bent. */
const ELEPHANT = {
  spine: [-35, 0, 0],
  chest: [-35, 0, 0],
  neck: [10, 0, 0],
  trunk_1: [45, 0, 0],
  trunk_2: [45, 0, 0],
  trunk_3: [45, 0, 0],
  'fore_upper.L': [-50, 0, 0],
  'hind_lower.R': [60, 0, 0],
};
const GIRAFFE = { neck_1: [35, 0, 0], neck_2: [45, 0, 0], neck_3: [45, 0, 0], head: [40, 0, 0] };
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
      { name: 'Uniform', ...flesh('uniform') },
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
      { name: 'Where it gives', show: 'gamma', ...flesh('rubber') },
      { name: 'Rubber', ...flesh('rubber') },
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
      { name: 'Where it gives', show: 'gamma', ...flesh('organic', { beta: 2 }) },
      { name: 'Organic', ...flesh('organic', { beta: 2 }) },
    ],
  },
  {
    file: 'volume-8.jpg',
    title: 'Every limb keeps its own',
    about: 'Extreme poses by linear blending, where flesh gives, and with local volumes kept and folds held back. The elephant is measured from its spine and trunk, not from its legs. (Figure 8)',
    size: [286, 300],
    cell: { deformer: 'lbs', hasNote: true },
    rows: [
      { name: 'Linear blending', ...PLAIN },
      { name: 'Where it gives', show: 'gamma', ...flesh('local', { guard: true }) },
      { name: 'Local', ...flesh('local', { guard: true }) },
    ],
    columns: [
      { name: 'Elephant', member: 'elephant', vertices: 12000, atlas: { k: 0.8 }, pose: ELEPHANT, yaw: 62 },
      { name: 'Giraffe', member: 'giraffe', vertices: 12000, atlas: { k: 0.8 }, pose: GIRAFFE, yaw: 80 },
      { name: 'Mannequin', member: 'mannequin', vertices: 12000, atlas: { k: 0.8 }, pose: SITTING, camera: { target: [0, 1.08, 0.15], yaw: 50, pitch: 8, distance: 3.3 } },
    ],
  },
  {
    file: 'volume-9.jpg',
    title: 'A rubber giraffe',
    about: 'Its neck bent further than any giraffe would: thin by linear blending, and as thick as a toy’s by the rubber map. (Figure 9)',
    size: [286, 330],
    cell: { member: 'giraffe', vertices: 12000, deformer: 'lbs', hasNote: true, atlas: { k: 1 }, pose: GIRAFFE, camera: { target: [0, 2.3, 1.2], yaw: 80, pitch: 4, distance: 6.4 } },
    rows: [{ name: '' }],
    columns: [
      { name: 'Linear blending', ...PLAIN },
      { name: 'Where it gives', show: 'gamma', ...flesh('rubber') },
      { name: 'Rubber', ...flesh('rubber') },
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
      { name: 'Volume kept', ...flesh('local') },
      { name: 'And folds held back', ...flesh('local', { guard: true }) },
    ],
  },
];

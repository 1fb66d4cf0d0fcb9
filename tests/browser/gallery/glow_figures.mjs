/**
 * Settings of the figures of Wareham and Lasenby 2008. Heat and glow have the same conductance: the
 * default of heat. Without diffusion, heat is the nearest bone: the largest conductance.
 */

const CHEST = { target: [0.12, 1.2, 0], yaw: 16, pitch: 6, distance: 1.9 };
const BODY = { target: [0, 0.89, 0], yaw: 20, pitch: 6, distance: 3.9 };
const PENGUIN = { target: [0, 0.5, 0.03], yaw: 25, pitch: 8, distance: 2.4 };
const ARM_UP = { 'upper_arm.L': [0, 0, 65], 'forearm.L': [0, -50, 0] };

const C = 4;
const METHODS = [
  { name: 'Heat, plain', method: 'heat', heat: { conductance: C, nearness: 'plain' }, glow: {} },
  { name: 'Heat, facing', method: 'heat', heat: { conductance: C, nearness: 'facing' }, glow: {} },
  { name: 'Glow', method: 'glow', glow: { conductance: C } },
];
const undiffused = ({ name, method, heat, glow }) => ({
  name,
  method,
  heat: { ...heat, conductance: 100 },
  glow: method === 'glow' ? { diffusion: 'off' } : glow,
});

const weightsOf = (joint) => ({ name: joint, show: 'weights', joint });

export const GLOW_FIGURES = [
  {
    file: 'glow-1.jpg',
    size: [286, 260],
    cell: { member: 'mannequin', vertices: 12000, deformer: 'dqs', pose: ARM_UP, camera: CHEST },
    rows: [{ name: 'Dual quaternions' }],
    columns: METHODS,
  },
  {
    file: 'glow-2.jpg',
    size: [286, 260],
    cell: { member: 'mannequin', vertices: 12000, deformer: 'lbs', camera: CHEST, show: 'weights', joint: 'upper_arm.L' },
    rows: [{ name: 'Linear blend skinning', pose: ARM_UP }, { name: 'At rest' }],
    columns: METHODS,
  },
  {
    file: 'glow-2-inset.jpg',
    size: [286, 200],
    cell: { member: 'mannequin', vertices: 12000, deformer: 'lbs', camera: CHEST, show: 'weights', joint: 'upper_arm.L' },
    rows: [{ name: 'Without diffusion', pose: ARM_UP }],
    columns: METHODS.map(undiffused),
  },
  {
    file: 'glow-3.jpg',
    size: [168, 260],
    cell: { member: 'mannequin', vertices: 8000, camera: BODY },
    rows: METHODS,
    columns: ['upper_arm.L', 'chest', 'spine', 'thigh.L', 'head'].map(weightsOf),
  },
  {
    file: 'glow-4.jpg',
    size: [168, 220],
    cell: { isPenguin: true, camera: PENGUIN },
    rows: METHODS,
    columns: ['flipper.L', 'chest', 'belly', 'leg.L', 'head'].map(weightsOf),
  },
];

/** Settings of a figure with bones and point handles, by bounded biharmonic weights. */

const FRONT = { target: [0.05, 0.86, 0.1], yaw: 28, pitch: 6, distance: 4 };

/** Displacements of the handles. */
const STEPS = { belly: [0.02, 0, 0.22], nose: [0, -0.02, 0.12], elbow: [-0.12, 0.05, -0.12] };
const ARMS = { 'upper_arm.L': [0, 0, 55], 'forearm.L': [0, -40, 0], 'thigh.R': [-35, 0, 0], 'shin.R': [45, 0, 0] };

export const HANDLE_FIGURES = [
  {
    file: 'handles-13.jpg',
    size: [215, 330],
    cell: {
      member: 'mannequin',
      vertices: 3000,
      deformer: 'lbs',
      method: 'bbw',
      handles: { belly: [0, 1.05, 0.3], nose: [0, 1.6, 0.3], elbow: [-0.45, 1.1, -0.2] },
      camera: FRONT,
    },
    rows: [{ name: '' }],
    columns: [
      { name: 'Bones and point handles', bones: 'shown' },
      { name: 'Weights of one handle', show: 'weights', selected: 'belly' },
      { name: 'Handles dragged', bones: 'shown', targets: STEPS },
      { name: 'Joints rotated as well', bones: 'shown', targets: STEPS, pose: ARMS },
    ],
  },
];

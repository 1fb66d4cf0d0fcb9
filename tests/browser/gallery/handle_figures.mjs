/** Bones and points mixed, as in Figure 13 of the paper on learned weights, by biharmonic weights alone. */

const FRONT = { target: [0.05, 0.86, 0.1], yaw: 28, pitch: 6, distance: 4 };

/** Steps from where they are. */
const PULLS = { belly: [0.02, 0, 0.22], nose: [0, -0.02, 0.12], elbow: [-0.12, 0.05, -0.12] };
const ARMS = { 'upper_arm.L': [0, 0, 55], 'forearm.L': [0, -40, 0], 'thigh.R': [-35, 0, 0], 'shin.R': [45, 0, 0] };

export const HANDLE_FIGURES = [
  {
    file: 'handles-13.jpg',
    title: 'Bones and points',
    about:
      'Three points on the skin of a figure with bones, weighed together. Pulled, they take the body along as stiffly as it can, and joints turn below them: the pulled points stay pinned. (As Figure 13 of *Data-Driven Weight Optimization for Real-Time Mesh Deformation*)',
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
      { name: 'Bones and points', bones: 'shown' },
      { name: 'What one holds', show: 'weights', selected: 'belly' },
      { name: 'Pulled', bones: 'shown', pulls: PULLS },
      { name: 'Joints turned below', bones: 'shown', pulls: PULLS, pose: ARMS },
    ],
  },
];

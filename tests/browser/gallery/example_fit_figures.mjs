/**
 * Settings of the figures on example fitting: a folded card, and a hand without each energy term.
 */
import { CARD_HANDLES, pulled } from './card.mjs';

const ABOVE = { target: [-0.05, 0.3, 0.5], yaw: 24, pitch: 24, distance: 3.6 };
/** For the flat card, which needs no room above it. */
const FLAT = { target: [0, 0, 0.5], yaw: 24, pitch: 32, distance: 3.2 };
const CARD = { card: true, deformer: 'lbs', method: 'bbw', handles: CARD_HANDLES, camera: ABOVE };
const FITTED = { method: 'examples', examples: { folds: [90] } };

export const EXAMPLE_FIT_FIGURES = [
  {
    file: 'learned-2.jpg',
    size: [430, 270],
    cell: CARD,
    rows: [{ name: '' }],
    columns: [
      { name: 'The card', bones: 'shown' },
      { name: 'The example', ...FITTED, show: 'fit', fit: { example: 0, stage: 'example' } },
    ],
  },
  {
    file: 'learned-3.jpg',
    size: [430, 240],
    cell: { ...CARD, show: 'weights', selected: 'right', camera: FLAT },
    rows: [{ name: '' }],
    columns: [{ name: 'Biharmonic' }, { name: 'Fitted', ...FITTED }],
  },
  {
    file: 'learned-4.jpg',
    size: [278, 250],
    cell: { ...CARD, camera: { target: [-0.22, 0.52, 0.5], yaw: 24, pitch: 20, distance: 4.7 } },
    rows: [{ name: 'Biharmonic' }, { name: 'Fitted', ...FITTED }],
    columns: [45, 90, 120].map((degrees) => ({ name: degrees === 90 ? '90°, the example' : `${degrees}°`, bones: 'shown', targets: pulled(degrees) })),
  },
  {
    file: 'learned-5.jpg',
    size: [430, 240],
    cell: { ...CARD, show: 'regions' },
    rows: [{ name: '' }],
    columns: [
      { name: 'At rest', ...FITTED },
      { name: 'Folded', ...FITTED, targets: pulled(90) },
    ],
  },
  {
    file: 'learned-21.jpg',
    size: [212, 230],
    cell: {
      member: 'hand',
      vertices: 2000,
      deformer: 'lbs',
      method: 'examples',
      influences: 8,
      examples: { frames: 8, noise: 0.01 },
      camera: { target: [0.1, 1.35, 0.1], yaw: 25, pitch: 8, distance: 3 },
    },
    rows: [
      { name: 'Weights of index_2', show: 'weights', joint: 'index_2' },
      { name: 'Bent', pose: { index_1: [50, 0, 0], index_2: [75, 0, 0], index_3: [40, 0, 0] } },
    ],
    columns: [
      { name: 'All terms' },
      { name: 'Without sparsity', exampleFit: { sparsity: 1e-30 } },
      { name: 'Without rigidity', exampleFit: { rigidity: 0, stiffness: 0 } },
      { name: 'Without examples', exampleFit: { data: 0 } },
    ],
  },
];

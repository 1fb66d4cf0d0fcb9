/** The figures of the paper on learned weights: a card that is shown one fold, and what each term of the energy is for. */
import { CARD_HANDLES, pulled } from './card.mjs';

const ABOVE = { target: [-0.05, 0.3, 0.5], yaw: 24, pitch: 24, distance: 3.6 };
/** Without what is above it. */
const FLAT = { target: [0, 0, 0.5], yaw: 24, pitch: 32, distance: 3.2 };
const CARD = { card: true, deformer: 'lbs', method: 'bbw', handles: CARD_HANDLES, camera: ABOVE };
const LEARNED = { method: 'examples', examples: { folds: [90] } };

export const LEARNED_FIGURES = [
  {
    file: 'learned-2.jpg',
    title: 'One example',
    about: 'A card of 2,500 vertices, held by a point on either side, and all that is known of how it bends: itself folded by 90°. (Figure 2)',
    size: [430, 270],
    cell: CARD,
    rows: [{ name: '' }],
    columns: [
      { name: 'The card', bones: 'shown' },
      { name: 'The example', ...LEARNED, show: 'fit', fit: { example: 0, stage: 'example' } },
    ],
  },
  {
    file: 'learned-3.jpg',
    title: 'A ramp becomes a fold',
    about:
      'What the right point holds. Biharmonic weights know nothing of the fold and fall evenly; learned ones hold one half and let the other go, and change where the card was folded. (Figure 3)',
    size: [430, 240],
    cell: { ...CARD, show: 'weights', selected: 'right', camera: FLAT },
    rows: [{ name: '' }],
    columns: [{ name: 'Biharmonic' }, { name: 'Learned', ...LEARNED }],
  },
  {
    file: 'learned-4.jpg',
    title: 'Folds that nobody has shown',
    about:
      'The right point is dragged to where folds by 45°, 90° and 120° would have it. Only 90° was shown; the others follow from it. (Figure 4)',
    size: [278, 250],
    cell: { ...CARD, camera: { target: [-0.22, 0.52, 0.5], yaw: 24, pitch: 20, distance: 4.7 } },
    rows: [{ name: 'Biharmonic' }, { name: 'Learned', ...LEARNED }],
    columns: [45, 90, 120].map((degrees) => ({ name: degrees === 90 ? '90°, as shown' : `${degrees}°`, bones: 'shown', pulls: pulled(degrees) })),
  },
  {
    file: 'learned-5.jpg',
    title: 'Patches that move as one',
    about: 'Vertices by whom they follow most: with two points, the clusters of weights that are kept stiff. (Figure 5)',
    size: [430, 240],
    cell: { ...CARD, show: 'regions' },
    rows: [{ name: '' }],
    columns: [
      { name: 'At rest', ...LEARNED },
      { name: 'Folded', ...LEARNED, pulls: pulled(90) },
    ],
  },
  {
    file: 'learned-21.jpg',
    title: 'What each term is for',
    about:
      'A hand, learned from eight frames of a grasp whose vertices are off by up to 1 %. Fingers move together in it, so without sparsity nothing says which bone holds what: index_2 holds a little of every finger and nothing wholly, and bending tears them; without the examples, weights stay as smooth as they began. Rigidity matters least here, for eight frames say nearly all there is to say. (As Figure 21, which shows a face)',
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
      { name: 'What index_2 holds', show: 'weights', joint: 'index_2' },
      { name: 'Bent', pose: { index_1: [50, 0, 0], index_2: [75, 0, 0], index_3: [40, 0, 0] } },
    ],
    columns: [
      { name: 'All terms' },
      { name: 'Without sparsity', learning: { sparsity: 1e-30 } },
      { name: 'Without rigidity', learning: { rigidity: 0, stiffness: 0 } },
      { name: 'Without examples', learning: { data: 0 } },
    ],
  },
];

/** The figures of the paper on learned weights: a card that is shown one fold, and what each term of the energy is for. */
import { CARD_HANDLES, pulled } from './card.mjs';

const ABOVE = { target: [-0.05, 0.3, 0.5], yaw: 24, pitch: 24, distance: 3.6 };
/** Without what is above it. */
const FLAT = { target: [0, 0, 0.5], yaw: 24, pitch: 32, distance: 3.2 };
const CARD = { card: true, deformer: 'lbs', method: 'bbw', handles: CARD_HANDLES, camera: ABOVE };
const LEARNED = { method: 'examples', folds: [90] };

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
];

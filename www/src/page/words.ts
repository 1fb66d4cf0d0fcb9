/**
 * Labels and one-sentence explanations of choices that are not parameters of a recipe. Those of
 * recipe parameters come from the schema in Rust.
 */
import type { FitChoice, VolumeChoice } from '../element/api.ts';
import type { BrushMode, CorrectionMode, Deformer, Method, SampleCharacter, Show } from '../wasm.ts';

export interface Choice<T extends string> {
  readonly value: T;
  readonly label: string;
  /** One sentence for the tooltip. */
  readonly about: string;
}

/** A record, so that the compiler reports a choice of the Rust side that has no label yet. */
export function named<T extends string>(
  words: Record<T, readonly [label: string, about: string]>,
): readonly Choice<T>[] {
  const entries = Object.entries(words) as [T, readonly [string, string]][];
  return entries.map(([value, [label, about]]) => ({ value, label, about }));
}

export const SAMPLES = named<SampleCharacter>({
  mannequin: ['Mannequin', 'A person, 1.75 units tall'],
  elephant: ['Elephant', 'Heavy body, long trunk'],
  giraffe: ['Giraffe', 'Long neck, thin legs'],
  hand: ['Hand', 'Five fingers close together'],
  arm: ['Arm', 'One elbow, one wrist'],
  cylinder: ['Cylinder', 'Two bones on the axis'],
  'cylinder-off-centre': ['Cylinder, off centre', 'Two bones beside the axis'],
});

export const DEFORMERS = named<Deformer>({
  lbs: ['Linear', 'Linear blend skinning (LBS), as in all engines; sharp bends lose volume'],
  dqs: ['Dual quaternion', 'Dual quaternion skinning (DQS, Kavan 2007); twisted limbs stay thick'],
});

export const SHOWS: readonly Choice<Show>[] = named<Exclude<Show, 'field'>>({
  shaded: ['Shaded', 'Materials and lighting'],
  weights: ['Weights', 'Weight of the selected joint'],
  regions: ['Regions', 'The regions of the atlas and their boundary curves'],
  overlaps: ['Overlaps', 'Vertices that belong to more than one grown region'],
  gamma: ['Correction', 'Correction map γ: how far each vertex moves to restore the volume'],
  folds: ['Intersections', 'Self-intersections of the posed skin, in red'],
  fit: ['Fit', 'An example as the fitted weights reproduce it, coloured by the error'],
});

/** What the first view can show. */
export const FIRST_VIEW_SHOWS = SHOWS;

/** Shows that are empty while nothing is corrected after skinning. */
export const POST_SKINNING_SHOWS: readonly Show[] = ['gamma', 'folds'];

export const FIT_STAGES = named<FitChoice['stage']>({
  before: ['Before', 'The closest that the initial smooth weights come to it'],
  after: ['After', 'The closest that the fitted weights come to it'],
  example: ['Example', 'The pose itself'],
});

export const VOLUMES = named<VolumeChoice>({
  off: ['Off', 'Skinning alone'],
  local: ['Per segment', 'Each segment keeps its volume and bulges where it bends'],
  organic: ['Organic', 'The body keeps its volume; most displacement is far from the bones'],
  rubber: ['Rubber', 'The body keeps its volume; joints swell evenly all around'],
  uniform: ['Uniform', 'The body keeps its volume; the whole surface moves alike'],
});

export const VOLUME_MODES = named<CorrectionMode>({
  exact: ['Exact', 'Repeats the step until the volume is restored up to rounding'],
  paper: ['Linearised (Rohmer 2008)', 'One linear step as published; part of the error remains'],
});

/** Range of the exponents α and β of the correction map. */
export const EXPONENT = { min: 0, max: 8, step: 0.05 };

export const BRUSH_MODES = named<BrushMode>({
  add: ['Add', 'More correction here'],
  erase: ['Erase', 'Less correction here, down to none'],
  smooth: ['Smooth', 'Averages the factors of neighbouring vertices'],
});

export const SPEEDS: readonly number[] = [0.25, 0.5, 1, 1.5, 2];

/** Name in the literature, paper and use of each method, for the help. */
export interface MethodNote {
  readonly field: string;
  readonly paper: string;
  readonly use: string;
}

export const METHOD_NOTES: Readonly<Record<Method, MethodNote>> = {
  atlas: {
    field: 'Flexible skinning atlas',
    paper: 'Hétroy, Gérot, Lu, Thibert 2009',
    use: 'A skeleton, and control over how soft joints are, with one slider',
  },
  heat: {
    field: 'Bone heat',
    paper: 'Baran, Popović 2007',
    use: 'A skeleton, and weights like those of Blender',
  },
  glow: {
    field: 'Bone glow',
    paper: 'Wareham, Lasenby 2008',
    use: 'Arms close to the torso',
  },
  bbw: {
    field: 'Bounded biharmonic weights (BBW)',
    paper: 'Jacobson, Baran, Popović, Sorkine 2011',
    use: 'Point handles on the skin, with or without bones',
  },
  examples: {
    field: 'Example fitting',
    paper: 'Data-Driven Weight Optimization for Real-Time Mesh Deformation',
    use: 'Poses of the same mesh that the skin should reproduce',
  },
  distance: {
    field: 'Inverse distance',
    paper: 'Rohmer, Hahmann, Cani 2008, section 5.1',
    use: 'A simple reference without a solver',
  },
};

/**
 * Labels and one-sentence explanations of choices that are not parameters. Those of parameters come
 * from the schema in Rust.
 */
import type { FitChoice } from '../element/api.ts';
import type { BrushMode, SampleCharacter, Show } from '../wasm.ts';

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

/** What the second view can show. */
export const SECOND_VIEW_SHOWS = SHOWS;

/** Shows that are empty while nothing is corrected after skinning. */
export const POST_SKINNING_SHOWS: readonly Show[] = ['gamma', 'folds'];

export const FIT_STAGES = named<FitChoice['stage']>({
  before: ['Before', 'The closest that the initial smooth weights come to it'],
  after: ['After', 'The closest that the fitted weights come to it'],
  example: ['Example', 'The pose itself'],
});

export const BRUSH_MODES = named<BrushMode>({
  add: ['Add', 'More correction here'],
  erase: ['Erase', 'Less correction here, down to none'],
  smooth: ['Smooth', 'Averages the factors of neighbouring vertices'],
});

export const SPEEDS: readonly number[] = [0.25, 0.5, 1, 1.5, 2];

/** Words for people: choices of the page that are no parameters. Those of parameters are in the schema. */
import type { FitChoice } from '../element/api.ts';
import { type Parameter, parameterAt } from '../parameters.ts';
import type { BrushMode, Method, SampleCharacter, Show } from '../wasm.ts';

export interface Choice<T extends string> {
  readonly value: T;
  readonly label: string;
  /** One sentence on what it is good for. */
  readonly about: string;
}

/** A record and not a list, so that the compiler requires words for every new value of the Rust side. */
function named<T extends string>(
  words: Record<T, readonly [label: string, about: string]>,
): readonly Choice<T>[] {
  const entries = Object.entries(words) as [T, readonly [string, string]][];
  return entries.map(([value, [label, about]]) => ({ value, label, about }));
}

/** The choices of a parameter, with the words of the schema. */
export function choicesOf<T extends string>({ kind }: Parameter): readonly Choice<T>[] {
  const choices = kind.type === 'choice' || kind.type === 'transition' ? kind.choices : [];
  return choices.map(({ value, label, help }) => ({ value: value as T, label, about: help }));
}

export const METHODS = choicesOf<Method>(parameterAt('method'));

export const SAMPLES = named<SampleCharacter>({
  mannequin: ['Mannequin', 'A person of 1.75 units'],
  elephant: ['Elephant', 'Heavy body, long trunk'],
  giraffe: ['Giraffe', 'Long neck, thin legs'],
  hand: ['Hand', 'Five fingers close together'],
  arm: ['Arm', 'One elbow, one wrist'],
  cylinder: ['Cylinder', 'Two bones on the axis'],
  'cylinder-off-centre': ['Cylinder, off centre', 'Two bones beside the axis'],
});

export const SHOWS: readonly Choice<Show>[] = named<Exclude<Show, 'field'>>({
  shaded: ['Shaded', 'The character as it looks'],
  weights: ['Weights', 'How much the skin follows the selected joint'],
  regions: ['Regions', 'Where the skin is cut between joints'],
  overlaps: ['Overlaps', 'Where the skin follows more than one joint'],
  gamma: ['Correction map', 'How far vertices move to preserve volume, γ'],
  folds: ['Self-intersections', 'Where the skin passes through itself, in red'],
  fit: ['Fit', 'An example as the fitted weights reproduce it, and its error'],
  difference: ['Difference', 'How much the weights of the two views differ'],
});

/** What the view of a fit shows: an example as weights reproduce it, or the example itself. */
export const FIT_STAGES = named<FitChoice['stage']>({
  before: ['Before', 'As the initial weights reproduce it'],
  after: ['After', 'As the fitted weights reproduce it'],
  example: ['Example', 'The example itself'],
});

/** Views of corrections after skinning. */
export const POST_SKINNING_SHOWS: readonly Show[] = ['gamma', 'folds'];

export const BRUSH_MODES = named<BrushMode>({
  add: ['Add', 'More correction'],
  erase: ['Erase', 'Less correction, down to none'],
  smooth: ['Smooth', 'Averages with the neighbours'],
});

export const SPEEDS: readonly number[] = [0.25, 0.5, 1, 1.5, 2];

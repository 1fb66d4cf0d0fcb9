/**
 * What can be set, for people: names, ranges and a sentence each. The panels are drawn from this, and
 * links are checked against it.
 */
import type { CastMember, Deformer, Method, Show } from '../wasm.ts';

export interface Choice<T extends string> {
  readonly value: T;
  readonly label: string;
  /** One sentence on what it is good for. */
  readonly about: string;
}

/** A record and not a list, so that the compiler asks for words when the Rust side offers something new. */
function named<T extends string>(
  words: Record<T, readonly [label: string, about: string]>,
): readonly Choice<T>[] {
  const entries = Object.entries(words) as [T, readonly [string, string]][];
  return entries.map(([value, [label, about]]) => ({ value, label, about }));
}

export const CAST = named<CastMember>({
  mannequin: ['Mannequin', 'A person of 1.75 units'],
  elephant: ['Elephant', 'Heavy body, long trunk'],
  giraffe: ['Giraffe', 'Long neck, thin legs'],
  hand: ['Hand', 'Five fingers close together'],
  arm: ['Arm', 'One elbow, one wrist'],
  cylinder: ['Cylinder', 'Two bones on the axis'],
  'cylinder-off-centre': ['Cylinder, off centre', 'Two bones beside the axis'],
});

export const METHODS = named<Method>({
  atlas: ['Atlas', 'Cut at the joints and blended: one slider from rigid to soft'],
  distance: ['Distance', 'Nearest bones pull hardest, as far as the flesh can see them'],
  heat: ['Heat', 'Spreads from the nearest bone over the skin; what Blender calls automatic'],
  glow: ['Glow', 'Bones light the skin from inside; limbs keep off the torso'],
});

export const DEFORMERS = named<Deformer>({
  lbs: ['Linear', 'What every engine does; thin at sharp bends'],
  dqs: ['Dual quaternion', 'Keeps twisting limbs thick'],
});

export const SHOWS: readonly Choice<Show>[] = named<Exclude<Show, 'field'>>({
  shaded: ['Shaded', 'The character as it looks'],
  weights: ['Weights', 'How much the skin follows the selected joint'],
  regions: ['Regions', 'Which joint each part follows most'],
});

interface Setting {
  /** Where it lies in the recipe. */
  readonly path: string;
  readonly label: string;
  /** The method it belongs to; without one it belongs to all. */
  readonly method?: Method;
}

/** A number of the recipe, with a slider. */
export interface NumberSetting extends Setting {
  readonly kind: 'number';
  readonly about: string;
  readonly min: number;
  readonly max: number;
  readonly step: number;
  /** Above 1, small values get more of the slider. */
  readonly curve?: number;
}

/** One of several words of the recipe. */
export interface ChoiceSetting extends Setting {
  readonly kind: 'choice';
  readonly choices: readonly Choice<string>[];
}

/** In the order they are shown. */
export const SETTINGS: readonly (NumberSetting | ChoiceSetting)[] = [
  {
    kind: 'number',
    path: 'atlas.k',
    label: 'Softness K',
    about: 'How wide joints bend: 0 is rigid, 0.5 the classic width, 2 very soft',
    min: 0,
    max: 2,
    step: 0.01,
    curve: 2,
    method: 'atlas',
  },
  {
    kind: 'number',
    path: 'distance.falloff',
    label: 'Falloff',
    about: 'How fast a bone lets go with distance: small is soft, large is rigid',
    min: 0.1,
    max: 64,
    step: 0.1,
    curve: 3,
    method: 'distance',
  },
  {
    kind: 'choice',
    path: 'distance.visibility',
    label: 'Visibility',
    method: 'distance',
    choices: [
      {
        value: 'exact',
        label: 'Exact',
        about: 'A bone pulls only where the way to it stays inside the body',
      },
      { value: 'cheap', label: 'Quick', about: 'Judged by the direction of the skin alone' },
      { value: 'off', label: 'Off', about: 'Every bone pulls everywhere' },
    ],
  },
  {
    kind: 'number',
    path: 'heat.conductance',
    label: 'Conductance',
    about: 'How strongly bones hold the skin: small is soft, large is rigid',
    min: 0.01,
    max: 100,
    step: 0.01,
    curve: 4,
    method: 'heat',
  },
  {
    kind: 'choice',
    path: 'glow.diffusion',
    label: 'Diffusion',
    method: 'glow',
    choices: [
      { value: 'on', label: 'On', about: 'Light spreads over the skin until it rests' },
      { value: 'off', label: 'Off', about: 'Light as the skin receives it' },
    ],
  },
  {
    kind: 'number',
    path: 'glow.conductance',
    label: 'Conductance',
    about: 'How strongly bones hold the skin: small is soft, large is rigid',
    min: 0.01,
    max: 100,
    step: 0.01,
    curve: 4,
    method: 'glow',
  },
  {
    kind: 'number',
    path: 'max_influences',
    label: 'Max influences',
    about: 'The most joints one vertex may follow; engines expect 4',
    min: 1,
    max: 8,
    step: 1,
  },
];

export const SPEEDS: readonly number[] = [0.25, 0.5, 1, 1.5, 2];

/** What lies at a dotted path. */
export function valueAt(root: object, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], root);
}

/** The same tree with another value at a dotted path. */
export function withValueAt<T extends object>(root: T, path: string, value: unknown): T {
  const [key = '', ...rest] = path.split('.');
  const below = (root as Record<string, unknown>)[key];
  return {
    ...root,
    [key]: rest.length ? withValueAt((below ?? {}) as object, rest.join('.'), value) : value,
  };
}

/**
 * What can be set, for people: names, ranges and a sentence each. The panels are drawn from this, and
 * links are checked against it.
 */
import type { Method, Metric, Recipe, Transition } from '../wasm.ts';
import { type Choice, named } from './words.ts';

export { type Choice, DEFORMERS, EXPONENT, SAMPLES, SHOWS, VOLUME_MODES, VOLUMES } from './words.ts';

export const METHODS: readonly Choice<Method>[] = named<Method>({
  atlas: ['Atlas', 'Cut at the joints and blended: one slider from rigid to soft'],
  distance: ['Distance', 'Nearest bones pull hardest, as far as the flesh can see them'],
  heat: ['Heat', 'Spreads from the nearest bone over the skin; what Blender calls automatic'],
  glow: ['Glow', 'Bones light the skin from inside; limbs keep off the torso'],
  bbw: ['Biharmonic', 'As smooth as can be between one bone and the next'],
  examples: ['From examples', 'Learned from poses of this character, so that it bends as they do'],
});

const METRICS = named<Metric>({
  smooth: ['Smooth', 'Along the skin, whichever way its triangles run'],
  dijkstra: ['Along edges', 'Along the edges of the mesh, as in the paper'],
  harmonic: ['Harmonic', 'As heat would settle between the cuts'],
  euclidean: ['Straight', 'Through the air; quick, but fingers side by side are near'],
});

export type TransitionName = Exclude<Transition, object> | 'own';

export const TRANSITIONS = named<TransitionName>({
  cubic: ['Cubic', 'Level at both ends'],
  quintic: ['Quintic', 'Level at both ends, and steeper between'],
  linear: ['Linear', 'Bends sharply where an overlap ends'],
  own: ['Own curve', 'Through two points of your own'],
});

interface Described {
  /** Where it lies in the recipe. */
  readonly path: string;
  readonly label: string;
  /** The method it belongs to; without one it belongs to all. */
  readonly method?: Method;
  /** Where it means nothing it is not shown. */
  when?(recipe: Recipe): boolean;
}

/** A number of the recipe, with a slider. */
export interface NumberSetting extends Described {
  readonly kind: 'number';
  readonly about: string;
  readonly min: number;
  readonly max: number;
  readonly step: number;
  /** Above 1, small values get more of the slider. */
  readonly curve?: number;
  /** For numbers over many powers of ten: the least on the slider, below which it is 0. */
  readonly least?: number;
  /** The control the page is about. */
  readonly hero?: boolean;
  /** What the ends of the slider mean. */
  readonly ends?: readonly [string, string];
  /** What 0 means, where that is no number. */
  readonly zero?: string;
}

/** One of several words of the recipe. */
export interface ChoiceSetting extends Described {
  readonly kind: 'choice';
  readonly choices: readonly Choice<string>[];
  /** Words that stand for something else than themselves. */
  readonly meaning?: Readonly<Record<string, unknown>>;
  /** Too many words to stand side by side. */
  readonly isLong?: boolean;
}

/** How weights fade across an overlap. */
export interface TransitionSetting extends Described {
  readonly kind: 'transition';
}

export type Setting = NumberSetting | ChoiceSetting | TransitionSetting;

/** Whether a setting has a say in this recipe. */
export function isUsed({ method, when }: Setting, recipe: Recipe): boolean {
  return (method === undefined || method === recipe.method) && (when?.(recipe) ?? true);
}

/** What a word of a choice stands for in the recipe. */
export function meaningOf({ meaning = {} }: ChoiceSetting, word: string): unknown {
  return Object.hasOwn(meaning, word) ? meaning[word] : word;
}

/** The word for a value of the recipe. */
export function textOf({ meaning = {} }: ChoiceSetting, value: unknown): string {
  return Object.keys(meaning).find((word) => meaning[word] === value) ?? String(value);
}

/** Both methods that spread heat over the skin have one. */
const conductance = (method: 'heat' | 'glow'): NumberSetting => ({
  kind: 'number',
  path: `${method}.conductance`,
  label: 'Conductance',
  about: 'How strongly bones hold the skin: small is soft, large is rigid',
  min: 0.01,
  max: 100,
  step: 0.01,
  curve: 4,
  method,
});

/** In the order they are shown. */
export const SETTINGS: readonly Setting[] = [
  {
    kind: 'number',
    path: 'atlas.k',
    label: 'Softness',
    about:
      'How wide joints bend, K: 0 is rigid, 0.5 the classic width, 2 very soft. Double-click returns to 0.5',
    hero: true,
    ends: ['Rigid', 'Soft'],
    min: 0,
    max: 2,
    step: 0.01,
    curve: 2,
    method: 'atlas',
  },
  {
    kind: 'choice',
    path: 'atlas.distance',
    label: 'Distance',
    choices: METRICS,
    isLong: true,
    method: 'atlas',
  },
  {
    kind: 'choice',
    path: 'atlas.overlap_distance',
    label: 'Overlaps',
    choices: [{ value: 'same', label: 'Same distance', about: 'Measured as the weights are' }, ...METRICS],
    meaning: { same: null },
    isLong: true,
    method: 'atlas',
  },
  {
    kind: 'choice',
    path: 'atlas.guard',
    label: 'Guard',
    choices: [
      { value: 'on', label: 'On', about: 'Overlaps keep to bones next to the joint' },
      { value: 'off', label: 'Off', about: 'Overlaps take whatever is near, be it another finger' },
    ],
    meaning: { on: 1, off: null },
    method: 'atlas',
    // Along the skin nothing strange is near.
    when: ({ atlas }) => (atlas.overlap_distance ?? atlas.distance) === 'euclidean',
  },
  { kind: 'transition', path: 'atlas.transition', label: 'Transition', method: 'atlas' },
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
  conductance('heat'),
  {
    kind: 'choice',
    path: 'heat.nearness',
    label: 'Nearest bone',
    method: 'heat',
    choices: [
      { value: 'facing', label: 'Facing', about: 'Bones straight behind the skin are nearer, as in Blender' },
      { value: 'plain', label: 'Plain', about: 'By distance alone' },
    ],
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
  conductance('glow'),
  {
    kind: 'choice',
    path: 'bbw.domain',
    label: 'Domain',
    method: 'bbw',
    choices: [
      { value: 'auto', label: 'Auto', about: 'In the flesh of closed meshes, else on the skin' },
      { value: 'surface', label: 'Skin', about: 'Smooth on the skin' },
      { value: 'volume', label: 'Flesh', about: 'Smooth in the flesh' },
    ],
  },
  {
    kind: 'number',
    path: 'examples.sparsity',
    label: 'Sparsity, λ1',
    about:
      'How much it costs joints to reach far, and weights to change: large gives few, clear borders. Automatic asks for as much as there is noise in the poses',
    min: 0,
    least: 1e-13,
    max: 1e-4,
    step: 1e-15,
    zero: 'Auto',
    ends: ['Automatic', 'Clear borders'],
    method: 'examples',
  },
  {
    kind: 'number',
    path: 'examples.rigidity',
    label: 'Rigidity, λ2',
    about: 'How much it costs to bend patches of skin: large is stiffer between the examples',
    min: 0,
    least: 1e-9,
    max: 1,
    step: 1e-11,
    ends: ['Follows the poses', 'Stays stiff'],
    method: 'examples',
  },
  {
    kind: 'number',
    path: 'examples.groups',
    label: 'Patches that turn as one',
    about: 'How many patches of skin are kept stiff. Automatic takes two per joint',
    min: 0,
    max: 200,
    step: 1,
    curve: 2,
    zero: 'Auto',
    ends: ['Automatic', 'Many'],
    method: 'examples',
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

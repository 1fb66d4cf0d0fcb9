/**
 * The state of the page as a link: `#elephant&atlas.k=0.8&k.knee=1.2&deformer=dqs&off=tail_end`.
 * Only what differs from the defaults is written. What cannot be understood is left out and named.
 */
import { transitionOf, transitionText } from '../transition.ts';
import type { CastMember, Deformer, Recipe, Show, Transition } from '../wasm.ts';
import {
  CAST,
  type Choice,
  DEFORMERS,
  METHODS,
  meaningOf,
  SETTINGS,
  type Setting,
  SHOWS,
  textOf,
  valueAt,
  withValueAt,
} from './parameters.ts';

/** Before the name of a joint that has a softness of its own. */
const OWN_K = 'k.';

const SOFTNESS = { min: 0, max: 2, step: 0.01 };

export interface LinkState {
  /** Null when the character came from the user's own files. */
  readonly member: CastMember | null;
  readonly recipe: Recipe;
  readonly deformer: Deformer;
  readonly show: Show;
}

export interface ReadLink extends LinkState {
  /** The parts that were ignored. */
  readonly ignored: readonly string[];
}

export function writeLink(state: LinkState, defaults: LinkState): string {
  const parts: string[] = [];
  const add = (key: string, value: string): void => {
    parts.push(`${encode(key)}=${encode(value)}`);
  };
  if (state.member && state.member !== defaults.member) parts.push(encode(state.member));
  if (state.recipe.method !== defaults.recipe.method) add('method', state.recipe.method);
  for (const setting of SETTINGS) {
    const written = writeSetting(setting, state.recipe);
    if (written !== writeSetting(setting, defaults.recipe)) add(setting.path, written);
  }
  if (state.deformer !== defaults.deformer) add('deformer', state.deformer);
  if (state.show !== defaults.show) add('show', state.show);
  if (state.member) {
    // Joint names mean nothing to another character.
    for (const [joint, on] of Object.entries(state.recipe.deforms)) add(on ? 'on' : 'off', joint);
    for (const [joint, k] of Object.entries(state.recipe.atlas.k_joints)) add(`${OWN_K}${joint}`, String(k));
  }
  return parts.length ? `#${parts.join('&')}` : '';
}

export function readLink(hash: string, defaults: LinkState): ReadLink {
  let { member, recipe, deformer, show } = defaults;
  const ignored: string[] = [];
  for (const part of hash.replace(/^#/, '').split('&').filter(Boolean)) {
    const [key, value] = decodePart(part);
    const setting = SETTINGS.find(({ path }) => path === key);
    const read = setting && value !== null ? readSetting(setting, value) : undefined;
    if (value === null && isOne(CAST, key)) member = key;
    else if (value === null) ignored.push(key);
    else if (key === 'method' && isOne(METHODS, value)) recipe = { ...recipe, method: value };
    else if (key === 'deformer' && isOne(DEFORMERS, value)) deformer = value;
    else if (key === 'show' && isOne(SHOWS, value)) show = value;
    else if (key === 'on' || key === 'off')
      recipe = { ...recipe, deforms: { ...recipe.deforms, [value]: key === 'on' } };
    else if (read !== undefined) recipe = withValueAt(recipe, key, read);
    else if (key.startsWith(OWN_K) && isWithin(value, SOFTNESS)) {
      const k_joints = { ...recipe.atlas.k_joints, [key.slice(OWN_K.length)]: Number(value) };
      recipe = { ...recipe, atlas: { ...recipe.atlas, k_joints } };
    } else ignored.push(`${key}=${value}`);
  }
  return { member, recipe, deformer, show, ignored };
}

function writeSetting(setting: Setting, recipe: Recipe): string {
  const value = valueAt(recipe, setting.path);
  if (setting.kind === 'choice') return textOf(setting, value);
  return setting.kind === 'transition' ? transitionText(value as Transition) : String(value);
}

/** Undefined for what makes no sense. */
function readSetting(setting: Setting, text: string): unknown {
  switch (setting.kind) {
    case 'number':
      return isWithin(text, setting) ? Number(text) : undefined;
    case 'choice':
      return isOne(setting.choices, text) ? meaningOf(setting, text) : undefined;
    case 'transition':
      return transitionOf(text) ?? undefined;
  }
}

function decodePart(part: string): [string, string | null] {
  const split = part.indexOf('=');
  return split < 0 ? [decode(part), null] : [decode(part.slice(0, split)), decode(part.slice(split + 1))];
}

function isOne<T extends string>(choices: readonly Choice<T>[], value: string): value is T {
  return choices.some((choice) => choice.value === value);
}

function isWithin(text: string, { min, max, step }: { min: number; max: number; step: number }): boolean {
  const value = Number(text);
  const whole = !Number.isInteger(step) || Number.isInteger(value);
  return text.trim() !== '' && Number.isFinite(value) && value >= min && value <= max && whole;
}

function encode(text: string): string {
  return encodeURIComponent(text).replace(/%20/g, '+');
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replace(/\+/g, ' '));
  } catch {
    return text;
  }
}

/**
 * The state of the page as a link: `#elephant&method=distance&deformer=dqs&distance.falloff=3&off=tail_end`.
 * Only what differs from the defaults is written. What cannot be understood is left out and named.
 */
import type { CastMember, Deformer, Recipe, Show } from '../wasm.ts';
import {
  CAST,
  type Choice,
  DEFORMERS,
  METHODS,
  SETTINGS,
  SHOWS,
  valueAt,
  withValueAt,
} from './parameters.ts';

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
  for (const { path } of SETTINGS) {
    const value = valueAt(state.recipe, path);
    if (value !== valueAt(defaults.recipe, path)) add(path, String(value));
  }
  if (state.deformer !== defaults.deformer) add('deformer', state.deformer);
  if (state.show !== defaults.show) add('show', state.show);
  if (state.member) {
    // Joint names mean nothing to another character.
    for (const [joint, on] of Object.entries(state.recipe.deforms)) add(on ? 'on' : 'off', joint);
  }
  return parts.length ? `#${parts.join('&')}` : '';
}

export function readLink(hash: string, defaults: LinkState): ReadLink {
  let { member, recipe, deformer, show } = defaults;
  const ignored: string[] = [];
  for (const part of hash.replace(/^#/, '').split('&').filter(Boolean)) {
    const [key, value] = decodePart(part);
    const setting = SETTINGS.find(({ path }) => path === key);
    if (value === null && isOne(CAST, key)) member = key;
    else if (value === null) ignored.push(key);
    else if (key === 'method' && isOne(METHODS, value)) recipe = { ...recipe, method: value };
    else if (key === 'deformer' && isOne(DEFORMERS, value)) deformer = value;
    else if (key === 'show' && isOne(SHOWS, value)) show = value;
    else if (key === 'on' || key === 'off')
      recipe = { ...recipe, deforms: { ...recipe.deforms, [value]: key === 'on' } };
    else if (setting?.kind === 'number' && isWithin(value, setting))
      recipe = withValueAt(recipe, key, Number(value));
    else if (setting?.kind === 'choice' && isOne(setting.choices, value))
      recipe = withValueAt(recipe, key, value);
    else ignored.push(`${key}=${value}`);
  }
  return { member, recipe, deformer, show, ignored };
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

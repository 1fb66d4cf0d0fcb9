/**
 * The state of the page as a link: `#elephant&atlas.k=0.8&k.knee=1.2&deformer=dqs&off=tail_end`, and with the right half
 * of a divided picture: `&compare=heat&compare.heat.conductance=2&divider=0.4`.
 * Only what differs from the defaults is written. What cannot be understood is left out and named.
 */
import type { PostSkinningState } from '../element/api.ts';
import { transitionOf, transitionText } from '../transition.ts';
import type { Deformer, Recipe, SampleCharacter, Show, Transition } from '../wasm.ts';
import { type ClipFrames, framesText, readFrames } from './link_frames.ts';
import { handleParts, readHandle } from './link_handles.ts';
import { postSkinningParts, readPostSkinning } from './link_post_skinning.ts';
import {
  type Choice,
  DEFORMERS,
  METHODS,
  meaningOf,
  SAMPLES,
  SETTINGS,
  type Setting,
  SHOWS,
  textOf,
  VOLUMES,
  valueAt,
  withValueAt,
} from './parameters.ts';
import type { SecondView as Compared } from './state.ts';

/** Before the name of a joint that has a softness of its own. */
const OWN_K = 'k.';

/** Before what is said of the right half. */
const COMPARE = 'compare';

const SOFTNESS = { min: 0, max: 2, step: 0.01 };
const SHARE = { min: 0, max: 1, step: 0.01 };

export interface LinkState {
  /** Null when the character came from the user's own files. */
  readonly member: SampleCharacter | null;
  readonly recipe: Recipe;
  readonly deformer: Deformer;
  readonly show: Show;
  /** Null for a picture that is whole. */
  readonly compare: Compared | null;
  readonly divider: number;
  readonly postSkinning: PostSkinningState;
  /** What is learned from, if it comes from a clip of the character's own. */
  readonly frames: ClipFrames | null;
}

export interface ReadLink extends LinkState {
  /** The parts that were ignored. */
  readonly ignored: readonly string[];
}

export function writeLink(state: LinkState, defaults: LinkState): string {
  const { member, compare, divider, postSkinning } = state;
  const parts = member && member !== defaults.member ? [encode(member)] : [];
  parts.push(...writeHalf(state, defaults, member !== null));
  // Joint names mean nothing to another character. Which of them bend the skin is the same in both halves.
  if (member)
    for (const [joint, on] of Object.entries(state.recipe.deforms))
      parts.push(pair(on ? 'on' : 'off', joint));
  if (member) for (const [key, value] of handleParts(state.recipe.handles)) parts.push(pair(key, value));
  if (member && state.frames) parts.push(pair('frames', framesText(state.frames)));
  for (const [key, value] of postSkinningParts(postSkinning, defaults.postSkinning, member !== null))
    parts.push(pair(key, value));
  if (compare) {
    parts.push(pair(COMPARE, compare.recipe.method));
    const ofMethod = { ...defaults.recipe, method: compare.recipe.method };
    const usual = { recipe: ofMethod, deformer: null, show: null, volume: null };
    parts.push(...writeHalf(compare, usual, member !== null).map((part) => `${COMPARE}.${part}`));
    if (compare.volume !== null) parts.push(pair(`${COMPARE}.volume`, compare.volume));
    if (divider !== defaults.divider) parts.push(pair('divider', String(divider)));
  }
  return parts.length ? `#${parts.join('&')}` : '';
}

/** What differs from the usual. */
function writeHalf({ recipe, deformer, show }: AnyHalf, usual: AnyHalf, namesJoints: boolean): string[] {
  const parts: string[] = [];
  if (recipe.method !== usual.recipe.method) parts.push(pair('method', recipe.method));
  for (const setting of SETTINGS) {
    const written = writeSetting(setting, recipe);
    if (written !== writeSetting(setting, usual.recipe)) parts.push(pair(setting.path, written));
  }
  if (deformer !== null && deformer !== usual.deformer) parts.push(pair('deformer', deformer));
  if (show !== null && show !== usual.show) parts.push(pair('show', show));
  if (namesJoints)
    for (const [joint, k] of Object.entries(recipe.atlas.k_joints))
      parts.push(pair(`${OWN_K}${joint}`, String(k)));
  return parts;
}

export function readLink(hash: string, defaults: LinkState): ReadLink {
  let { member, divider, postSkinning, frames } = defaults;
  let left: Half = defaults;
  let right: Compared | null = null;
  const ignored: string[] = [];
  for (const part of hash.replace(/^#/, '').split('&').filter(Boolean)) {
    const [key, value] = decodePart(part);
    const ofRight = key.startsWith(`${COMPARE}.`) ? key.slice(COMPARE.length + 1) : null;
    const read: Half | null = value === null || ofRight !== null ? null : readHalf(left, key, value);
    const readRight: Compared | null =
      value !== null && ofRight !== null && right ? readRightHalf(right, ofRight, value) : null;
    const readOfPostSkinning = value === null ? null : readPostSkinning(postSkinning, key, value);
    const handles = value === null ? null : readHandle(left.recipe.handles, key, value);
    if (value === null && isOne(SAMPLES, key)) member = key;
    else if (value === null) ignored.push(key);
    else if (key === 'on' || key === 'off')
      left = withRecipe(left, { deforms: { ...left.recipe.deforms, [value]: key === 'on' } });
    else if (key === COMPARE && isOne(METHODS, value))
      right = { recipe: { ...defaults.recipe, method: value }, deformer: null, show: null, volume: null };
    else if (key === 'divider' && isWithin(value, SHARE)) divider = Number(value);
    else if (key === 'frames' && readFrames(value)) frames = readFrames(value);
    else if (readOfPostSkinning) postSkinning = readOfPostSkinning;
    else if (handles) left = withRecipe(left, { handles });
    else if (read) left = read;
    else if (readRight) right = readRight;
    else ignored.push(`${key}=${value}`);
  }
  const { recipe, deformer, show } = left;
  const compare = right && withRecipe(right, { deforms: recipe.deforms });
  return { member, recipe, deformer, show, compare, divider, postSkinning, frames, ignored };
}

type Half = Pick<LinkState, 'recipe' | 'deformer' | 'show'>;

/** What both halves have. */
type AnyHalf = Pick<Compared, 'recipe' | 'deformer' | 'show'>;

/** A half with what one part of the link says of it; null for what makes no sense. */
function readHalf<H extends Half | Compared>(half: H, key: string, value: string): H | null {
  const { recipe } = half;
  if (key === 'method' && isOne(METHODS, value)) return withRecipe(half, { method: value });
  if (key === 'deformer' && isOne(DEFORMERS, value)) return { ...half, deformer: value };
  if (key === 'show' && isOne(SHOWS, value)) return { ...half, show: value };
  const setting = SETTINGS.find(({ path }) => path === key);
  const read = setting ? readSetting(setting, value) : undefined;
  if (read !== undefined) return { ...half, recipe: withValueAt(recipe, key, read) };
  if (!key.startsWith(OWN_K) || !isWithin(value, SOFTNESS)) return null;
  const k_joints = { ...recipe.atlas.k_joints, [key.slice(OWN_K.length)]: Number(value) };
  return withRecipe(half, { atlas: { ...recipe.atlas, k_joints } });
}

/** The right half says besides whether it keeps its volume. */
function readRightHalf(half: Compared, key: string, value: string): Compared | null {
  if (key === 'volume') return isOne(VOLUMES, value) ? { ...half, volume: value } : null;
  return readHalf(half, key, value);
}

function withRecipe<H extends Half | Compared>(half: H, change: Partial<Recipe>): H {
  return { ...half, recipe: { ...half.recipe, ...change } };
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

function pair(key: string, value: string): string {
  return `${encode(key)}=${encode(value)}`;
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

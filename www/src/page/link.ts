/**
 * The state of the page as a link:
 * `#elephant&atlas.k=0.8&atlas.k_joints.knee=1.2&deformer=dqs&off=tail_end`. Parameters of the
 * second view have a prefix: `&compare=heat&compare.heat.conductance=2&divider=0.4`. Only what
 * differs from the defaults is written. Parts that are not valid are ignored and returned.
 */
import {
  type PostSkinningValues,
  parameterAt,
  parametersOf,
  parse,
  propertyName,
  propertyOf,
  type ReadValue,
  valueAt,
  withValueAt,
} from '../parameters.ts';
import type { Deformer, Recipe, SampleCharacter, Show } from '../wasm.ts';
import { type ClipFrames, framesText, readFrames } from './link_frames.ts';
import { handleParts, readHandle } from './link_handles.ts';
import { parameterParts, readParameter } from './link_parameters.ts';
import type { SecondView } from './state.ts';
import { type Choice, SAMPLES, SHOWS } from './words.ts';

/** The method of the second view, and the prefix of its parameters. */
const COMPARE = 'compare';

/** Parameters that both views have. */
const VIEW_PARAMETERS = [...parametersOf('rig'), ...parametersOf('skinning')];

export interface LinkState {
  /** Null if the character is from the user's files. */
  readonly member: SampleCharacter | null;
  readonly recipe: Recipe;
  readonly deformer: Deformer;
  readonly show: Show;
  /** Null if there is one view. */
  readonly compare: SecondView | null;
  /** Position of the divider, 0 to 1. */
  readonly divider: number;
  readonly postSkinning: PostSkinningValues;
  /** The examples, if they are frames of a clip of the character. */
  readonly frames: ClipFrames | null;
}

export interface ReadLink extends LinkState {
  /** The parts that are not valid. */
  readonly ignored: readonly string[];
}

export function writeLink(state: LinkState, defaults: LinkState): string {
  const { member, compare, divider, postSkinning } = state;
  const parts = member && member !== defaults.member ? [encode(member)] : [];
  const namesJoints = member !== null;
  parts.push(...viewParts(state, defaults, namesJoints).map(pair));
  // Names of joints mean nothing to another character. Both views have the same deforming joints.
  if (member) {
    for (const [joint, on] of Object.entries(state.recipe.deforms))
      parts.push(pair([on ? 'on' : 'off', joint]));
    parts.push(...handleParts(state.recipe.handles).map(pair));
    if (state.frames) parts.push(pair(['frames', framesText(state.frames)]));
  }
  const corrections = parametersOf('post-skinning');
  const values = postSkinningValue(postSkinning);
  const usualValues = postSkinningValue(defaults.postSkinning);
  parts.push(...parameterParts(corrections, values, usualValues, namesJoints).map(pair));
  if (compare) {
    const { recipe, volume } = compare;
    parts.push(pair([COMPARE, recipe.method]));
    const usual = { recipe: { ...defaults.recipe, method: recipe.method }, deformer: null, show: null };
    parts.push(...viewParts(compare, usual, namesJoints).map((part) => `${COMPARE}.${pair(part)}`));
    if (volume !== null) parts.push(pair([`${COMPARE}.volume`, volume]));
    if (divider !== defaults.divider) parts.push(pair(['divider', String(divider)]));
  }
  return parts.length ? `#${parts.join('&')}` : '';
}

/** Keys and values of a view as far as they differ from the usual. */
function viewParts(view: AnyView, usual: AnyView, namesJoints: boolean): [string, string][] {
  const parameters = VIEW_PARAMETERS.filter(
    ({ path }) => viewValue(view)(path) !== null || path !== DEFORMER,
  );
  const parts = parameterParts(parameters, viewValue(view), viewValue(usual), namesJoints);
  if (view.show !== null && view.show !== usual.show) parts.push(['show', view.show]);
  return parts;
}

export function readLink(hash: string, defaults: LinkState): ReadLink {
  let { member, divider, postSkinning, frames } = defaults;
  let first: FirstView = defaults;
  let second: SecondView | null = null;
  const ignored: string[] = [];
  /** Whether the part is valid. */
  const read = (key: string, value: string): boolean => {
    const ofSecond = key.startsWith(`${COMPARE}.`) ? key.slice(COMPARE.length + 1) : null;
    if (ofSecond !== null) {
      const changed: SecondView | null = second && readSecondView(second, ofSecond, value);
      second = changed ?? second;
      return changed !== null;
    }
    if (key === 'on' || key === 'off') {
      first = withRecipe(first, { deforms: { ...first.recipe.deforms, [value]: key === 'on' } });
      return true;
    }
    if (key === 'handle') {
      const handles = readHandle(first.recipe.handles, value);
      if (handles) first = withRecipe(first, { handles });
      return handles !== null;
    }
    if (key === 'frames') {
      const readValue = readFrames(value);
      frames = readValue ?? frames;
      return readValue !== null;
    }
    if (key === 'divider') {
      const isValid = value.trim() !== '' && Number(value) >= 0 && Number(value) <= 1;
      if (isValid) divider = Number(value);
      return isValid;
    }
    if (key === COMPARE) {
      const method = parse(parameterAt('method'), value) as Recipe['method'] | undefined;
      if (method)
        second = { recipe: { ...defaults.recipe, method }, deformer: null, show: null, volume: null };
      return method !== undefined;
    }
    const ofCorrection = readParameter(key, value, postSkinningValue(postSkinning));
    if (ofCorrection?.parameter.group === 'post-skinning') {
      postSkinning = { ...postSkinning, [propertyName(ofCorrection.parameter)]: ofCorrection.value };
      return true;
    }
    const changed = readView(first, key, value);
    first = changed ?? first;
    return changed !== null;
  };
  for (const part of hash.replace(/^#/, '').split('&').filter(Boolean)) {
    const [key, value] = decodePart(part);
    if (value === null && isOne(SAMPLES, key)) member = key;
    else if (value === null) ignored.push(key);
    else if (!read(key, value)) ignored.push(`${key}=${value}`);
  }
  const { recipe, deformer, show } = first;
  const compare = second && withRecipe(second as SecondView, { deforms: recipe.deforms });
  return { member, recipe, deformer, show, compare, divider, postSkinning, frames, ignored };
}

type FirstView = Pick<LinkState, 'recipe' | 'deformer' | 'show'>;

/** What both views have. */
type AnyView = Pick<SecondView, 'recipe' | 'deformer' | 'show'>;

/** The only parameter of a view that is not in its recipe. */
const DEFORMER = 'deformer';

function viewValue({ recipe, deformer }: AnyView): ReadValue {
  return (path) => (path === DEFORMER ? deformer : valueAt(recipe, path));
}

function postSkinningValue(values: PostSkinningValues): ReadValue {
  return (path) => propertyOf(values, parameterAt(path));
}

/** A view with the value that one part of the link sets; null if the part is not valid. */
function readView<V extends FirstView | SecondView>(view: V, key: string, text: string): V | null {
  if (key === 'show') return isOne(SHOWS, text) ? { ...view, show: text } : null;
  const read = readParameter(key, text, viewValue(view));
  if (!read || read.parameter.group === 'post-skinning') return null;
  const { parameter, value } = read;
  if (parameter.path === DEFORMER) return { ...view, deformer: value as Deformer };
  return { ...view, recipe: withValueAt(view.recipe, parameter.path, value) };
}

/** The second view has a volume correction of its own. */
function readSecondView(view: SecondView, key: string, text: string): SecondView | null {
  if (key !== 'volume') return readView(view, key, text);
  const volume = parse(parameterAt('volume'), text) as SecondView['volume'] | undefined;
  return volume === undefined ? null : { ...view, volume };
}

function withRecipe<V extends AnyView>(view: V, change: Partial<Recipe>): V {
  return { ...view, recipe: { ...view.recipe, ...change } };
}

function decodePart(part: string): [string, string | null] {
  const split = part.indexOf('=');
  return split < 0 ? [decode(part), null] : [decode(part.slice(0, split)), decode(part.slice(split + 1))];
}

function isOne<T extends string>(choices: readonly Choice<T>[], value: string): value is T {
  return choices.some((choice) => choice.value === value);
}

function pair([key, value]: readonly [string, string]): string {
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

/**
 * Parameters as the schema in Rust describes them: attributes, links and controls derive from this.
 *
 * A parameter has one path, `atlas.k`. Its value has two forms: that of recipes (JSON), and text in
 * attributes and links.
 */
import { OPTIONS } from './options.ts';
import { transitionOf, transitionText } from './transition.ts';
import type {
  CorrectionMap,
  CorrectionMode,
  Method,
  Parameter,
  PostSkinningOptions,
  Transition,
  VolumeScope,
} from './wasm.ts';

export type { Parameter } from './wasm.ts';

export type ParameterGroup = Parameter['group'];
export type ParameterKind = Parameter['kind'];
export type KindOf<T extends ParameterKind['type']> = Extract<ParameterKind, { type: T }>;
/** The range of a number. */
export type NumberRange = Omit<KindOf<'number'>, 'type'>;

/** The values of the group `post-skinning`, by the names of their properties. */
export interface PostSkinningValues {
  readonly volume: 'off' | CorrectionMap;
  readonly volumeAlpha: number;
  readonly volumeBeta: number;
  readonly volumeMode: CorrectionMode;
  /** Null for what suits the map. */
  readonly volumeScope: VolumeScope | null;
  readonly volumeWhereBent: boolean;
  readonly volumeExcluded: readonly string[];
  readonly foldGuard: boolean;
}

/** Gets the value of a parameter by its path. */
export type ReadValue = (path: string) => unknown;

/** All parameters, in the order of panels. */
export const PARAMETERS: readonly Parameter[] = OPTIONS.parameters;

const BY_PATH = new Map(PARAMETERS.map((parameter) => [parameter.path, parameter]));

export function findParameter(path: string): Parameter | undefined {
  return BY_PATH.get(path);
}

/** Throws for a path that the schema does not have. */
export function parameterAt(path: string): Parameter {
  const parameter = BY_PATH.get(path);
  if (!parameter) throw new Error(`there is no parameter ${path}`);
  return parameter;
}

export function parametersOf(group: ParameterGroup): readonly Parameter[] {
  return PARAMETERS.filter((parameter) => parameter.group === group);
}

/** `atlas-overlap-distance` for `atlas.overlap_distance`. */
export function attributeName({ path }: Parameter): string {
  return path.replace(/[._]/g, '-');
}

/** `atlasOverlapDistance` for `atlas.overlap_distance`. */
export function propertyName({ path }: Parameter): string {
  return path.replace(/[._]+([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

/** Maps and lists of joints are properties only. */
export function hasAttribute({ kind }: Parameter): boolean {
  return kind.type !== 'number-by-joint' && kind.type !== 'joints';
}

/**
 * The value of a text; undefined for text that is not valid. Text of kinds by joint has one value.
 */
export function parse({ kind }: Parameter, text: string): unknown {
  switch (kind.type) {
    case 'number':
    case 'number-by-joint':
      return parseNumber(kind, text);
    case 'choice': {
      const choice = kind.choices.find(({ value }) => value === text);
      return choice && (choice.value === kind.none ? null : choice.value);
    }
    case 'toggle':
      return text === 'on' || text === 'off' ? text === 'on' : undefined;
    case 'transition':
      return transitionOf(text) ?? undefined;
    case 'joints':
      return text === '' ? undefined : text;
  }
}

/** The text of a value. Of kinds by joint, the value is that of one joint. */
export function format({ kind }: Parameter, value: unknown): string {
  switch (kind.type) {
    case 'number':
    case 'number-by-joint':
      return kind.special && kind.special.value === (value ?? null) ? kind.special.word : String(value);
    case 'choice':
      return value === null || value === undefined ? (kind.none ?? '') : String(value);
    case 'toggle':
      return value ? 'on' : 'off';
    case 'transition':
      return transitionText(value as Transition);
    case 'joints':
      return String(value);
  }
}

/** The nearest valid number. */
export function clamp({ min, max, isInteger, special }: NumberRange, value: number): number {
  if (special?.value === value) return value;
  const nearest = Math.min(Math.max(value, min), max);
  return isInteger ? Math.round(nearest) : nearest;
}

/**
 * The value of an attribute, as in HTML: the default if it is missing or not valid, and the nearest
 * valid number for a number outside the range. A toggle is on if it is present, unless it is `off`
 * or `false`.
 */
export function parseAttribute(parameter: Parameter, text: string | null): unknown {
  const { kind } = parameter;
  if (text === null) return parameter.default;
  if (kind.type === 'toggle') return text !== 'off' && text !== 'false';
  const parsed = parse(parameter, text.trim());
  if (parsed !== undefined) return parsed;
  const number = kind.type === 'number' ? numberOf(text) : Number.NaN;
  return kind.type === 'number' && !Number.isNaN(number) ? clamp(kind, number) : parameter.default;
}

/** The attribute of a value; null for none: toggles at their default have none. */
export function attributeText(parameter: Parameter, value: unknown): string | null {
  if (parameter.kind.type !== 'toggle') return format(parameter, value);
  if (Boolean(value) === parameter.default) return null;
  return value ? '' : 'off';
}

/** Whether a parameter has an effect, given the values of the others. */
export function isUsed({ methods, when }: Parameter, read: ReadValue): boolean {
  if (methods.length && !methods.includes(read('method') as Method)) return false;
  const holds = ({ path, values }: { path: string; values: string[] }): boolean =>
    values.includes(format(parameterAt(path), read(path)));
  return when.length === 0 || when.some((conditions) => conditions.every(holds));
}

/** The options that the values of the group `post-skinning` stand for. */
export function postSkinningOptions(values: PostSkinningValues): PostSkinningOptions {
  const map = values.volume;
  const others = parametersOf('post-skinning').filter(({ path }) => path !== 'volume');
  const options = others.reduce<object>(
    (tree, parameter) => withValueAt(tree, parameter.path, propertyOf(values, parameter)),
    { volume: { map } },
  );
  return (map === 'off' ? { ...options, volume: null } : options) as PostSkinningOptions;
}

/** The default values of the group `post-skinning`. */
export function defaultPostSkinning(): PostSkinningValues {
  const entries = parametersOf('post-skinning').map((parameter) => [
    propertyName(parameter),
    parameter.default,
  ]);
  return Object.fromEntries(entries) as PostSkinningValues;
}

/** The value of a parameter in an object with properties named after parameters. */
export function propertyOf(values: object, parameter: Parameter): unknown {
  return (values as Record<string, unknown>)[propertyName(parameter)];
}

/** What an object has at a dotted path. */
export function valueAt(root: object, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], root);
}

/** A copy of an object with another value at a dotted path. */
export function withValueAt<T extends object>(root: T, path: string, value: unknown): T {
  const [key = '', ...rest] = path.split('.');
  const below = (root as Record<string, unknown>)[key];
  return {
    ...root,
    [key]: rest.length ? withValueAt((below ?? {}) as object, rest.join('.'), value) : value,
  };
}

function parseNumber({ min, max, isInteger, special }: NumberRange, text: string): number | null | undefined {
  if (special && text === special.word) return special.value ?? null;
  const value = numberOf(text);
  if (special?.value === value) return value;
  const isValid = value >= min && value <= max && (!isInteger || Number.isInteger(value));
  return isValid ? value : undefined;
}

/** NaN for what is no finite number. */
function numberOf(text: string): number {
  const value = text.trim() === '' ? Number.NaN : Number(text);
  return Number.isFinite(value) ? value : Number.NaN;
}

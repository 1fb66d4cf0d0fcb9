/** The parameters of a recipe as attributes and properties of the element. */
import { OPTIONS } from '../options.ts';
import { transitionOf, transitionText } from '../transition.ts';
import type { Recipe, Transition } from '../wasm.ts';
import type { RecipeParameterName } from './api.ts';

export interface RecipeParameter {
  /** Such as `atlas.k_joints`. */
  readonly path: string;
  /** Such as `atlas-k`; null for values that have no text form. */
  readonly attribute: string | null;
  /** Such as `atlasKJoints`. */
  readonly property: RecipeParameterName;
  parse(text: string | null): unknown;
  /** Null for a value without an attribute. */
  format(value: unknown): string | null;
}

const NOT_PARAMETERS = new Set(['version', 'deforms', 'handles']);

export const RECIPE_PARAMETERS: readonly RecipeParameter[] = Object.entries(OPTIONS.recipe)
  .filter(([name]) => !NOT_PARAMETERS.has(name))
  .flatMap(([name, value]) =>
    typeof value === 'object' && value !== null
      ? Object.entries(value).map(([member, value]) => parameter(`${name}.${member}`, value))
      : [parameter(name, value)],
  );

function parameter(path: string, usual: unknown): RecipeParameter {
  const isRecord = path === 'atlas.k_joints';
  const isTransition = path === 'atlas.transition';
  const attribute = path.replaceAll(/[._]/g, '-');
  return {
    path,
    attribute: isRecord ? null : attribute,
    property: attribute.replaceAll(/-(.)/g, (_, letter: string) =>
      letter.toUpperCase(),
    ) as RecipeParameterName,
    parse: (text) => {
      if (text === null) return usual;
      if (isTransition) return transitionOf(text) ?? usual;
      if (typeof usual === 'number')
        return text.trim() === '' || Number.isNaN(Number(text)) ? usual : Number(text);
      return text;
    },
    format: (value) =>
      value === null || value === undefined
        ? null
        : isTransition
          ? transitionText(value as Transition)
          : String(value),
  };
}

export function valueAt(recipe: Recipe, path: string): unknown {
  return path.split('.').reduce<unknown>((value, key) => (value as Record<string, unknown>)[key], recipe);
}

/** A copy of the recipe with one value replaced. */
export function withValueAt(recipe: Recipe, path: string, value: unknown): Recipe {
  const [first = '', second] = path.split('.');
  if (second === undefined) return { ...recipe, [first]: value };
  const section = (recipe as unknown as Record<string, Record<string, unknown>>)[first];
  return { ...recipe, [first]: { ...section, [second]: value } };
}

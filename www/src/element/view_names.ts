/** Names of the two views: the method, its main parameter, and what differs from the other view. */
import {
  format,
  isUsed,
  type Parameter,
  parameterAt,
  parametersOf,
  type ReadValue,
  valueAt,
} from '../parameters.ts';
import type { Deformer, Recipe } from '../wasm.ts';
import type { VolumeChoice } from './api.ts';

export interface NamedView {
  recipe: Readonly<Recipe>;
  deformer: Deformer;
  volume: VolumeChoice;
}

/** Such as "Atlas · Softness 0.5 (K)" and "Heat". */
export function viewNames(first: NamedView, second: NamedView): [string, string] {
  return [nameOf(first, second), nameOf(second, first)];
}

function nameOf(view: NamedView, other: NamedView): string {
  const [read, readOther] = [reader(view), reader(other)];
  const method = parameterAt('method');
  const parameters = [...parametersOf('rig'), ...parametersOf('skinning'), parameterAt('volume')];
  const isNamed = (parameter: Parameter): boolean => {
    const { path, group, level, kind } = parameter;
    if (path === method.path || kind.type === 'number-by-joint' || !isUsed(parameter, read)) return false;
    const text = format(parameter, read(path));
    const isOwn = group === 'rig' && parameter.methods.length > 0;
    // Parameters of the method are compared with their defaults, those of all methods with the other view.
    const usual = format(parameter, isOwn ? parameter.default : readOther(path));
    return text !== usual || (isOwn && level === 'primary');
  };
  const details = parameters.filter(isNamed).map((parameter) => describe(parameter, read(parameter.path)));
  return [wordOf(method, view.recipe.method), ...details].join(' · ');
}

function reader({ recipe, deformer, volume }: NamedView): ReadValue {
  return (path) => (path === 'deformer' ? deformer : path === 'volume' ? volume : valueAt(recipe, path));
}

/** "Softness 0.5 (K)", "Metric Euclidean". */
function describe(parameter: Parameter, value: unknown): string {
  const [, name = '', symbol = ''] = /^(.*?)( \(.*\))?$/.exec(parameter.label) ?? [];
  return `${name} ${wordOf(parameter, value)}${symbol}`;
}

/** The label of a choice, or a number with at most two decimals. */
function wordOf(parameter: Parameter, value: unknown): string {
  const { kind } = parameter;
  if (kind.type === 'choice' || kind.type === 'transition') {
    const text = typeof value === 'object' && value !== null ? 'curve' : format(parameter, value);
    return kind.choices.find((choice) => choice.value === text)?.label ?? text;
  }
  return typeof value === 'number' && value >= 0.01
    ? String(Number(value.toFixed(2)))
    : format(parameter, value);
}

/** Choices of parameters in the form that the controls of the page use. */
import { type Parameter, parameterAt } from '../parameters.ts';
import type { Method } from '../wasm.ts';
import type { Choice } from './words.ts';

/** The choices of a parameter, with the words of the schema. */
export function choicesOf<T extends string>({ kind }: Parameter): readonly Choice<T>[] {
  const choices = kind.type === 'choice' || kind.type === 'transition' ? kind.choices : [];
  return choices.map(({ value, label, help }) => ({ value: value as T, label, about: help }));
}

/** When to use each method: rows of label, use and description. */
export function methodUses(): readonly (readonly [label: string, use: string, about: string])[] {
  const { kind } = parameterAt('method');
  const choices = kind.type === 'choice' ? kind.choices : [];
  return choices.map(({ label, useWhen, help }) => [label, useWhen, help]);
}

export const METHODS = choicesOf<Method>(parameterAt('method'));

/** The label of a method. */
export function methodLabel(method: Method): string {
  return METHODS.find(({ value }) => value === method)?.label ?? method;
}

/**
 * Parsers of attribute values, and the way back from a property to its attribute. As in HTML, a
 * value that is not valid stands for the default, and a number outside of its range for the nearest
 * end.
 */
import { OPTIONS } from '../options.ts';
import { parameterAt, parseAttribute } from '../parameters.ts';
import type { Deformer, Method, Show } from '../wasm.ts';
import type { VolumeChoice } from './api.ts';

/** The value if it is one of the choices. */
export function oneOf<T extends string, U>(text: string | null, choices: readonly T[], otherwise: U): T | U {
  return choices.find((choice) => choice === text) ?? otherwise;
}

export function numberIn(
  text: string | null,
  [min, max]: readonly [number, number],
  otherwise: number,
): number {
  const value = text === null || text.trim() === '' ? Number.NaN : Number(text);
  return Number.isNaN(value) ? otherwise : Math.min(Math.max(value, min), max);
}

export function methodOf(text: string | null): Method {
  return parseAttribute(parameterAt('method'), text) as Method;
}

export function deformerOf(text: string | null): Deformer {
  return parseAttribute(parameterAt('deformer'), text) as Deformer;
}

export function showOf(text: string | null): Show {
  return oneOf(text, OPTIONS.shows, OPTIONS.shows[0] ?? 'shaded');
}

export function volumeOf(text: string | null): VolumeChoice {
  return parseAttribute(parameterAt('volume'), text) as VolumeChoice;
}

/**
 * Sets an attribute, or removes it for null and false. Does nothing if it has this value already.
 */
export function reflect(element: Element, name: string, value: string | boolean | null): void {
  const text = value === true ? '' : value === false ? null : value;
  if (element.getAttribute(name) === text) return;
  if (text === null) element.removeAttribute(name);
  else element.setAttribute(name, text);
}

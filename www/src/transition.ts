/**
 * Transition curves as text: the name of a preset, or the points of a curve, `0.3,0.1 0.7,0.9`.
 *
 * Rust parses the same text on the command line. The page has a parser of its own, because
 * attributes and links are read before the WASM module is there. Tests of both read
 * `tests/transitions.json`.
 */
import { OPTIONS } from './options.ts';
import type { Transition } from './wasm.ts';

export type TransitionPreset = Exclude<Transition, object>;

export type CurvePoint = readonly [number, number];

/** The word for a curve in menus. */
export const CURVE = 'curve';

const WORDS = OPTIONS.parameters.flatMap(({ kind }) => (kind.type === 'transition' ? kind.choices : []));
const PRESETS = WORDS.map(({ value }) => value).filter((word) => word !== CURVE);

/** Null for text that is neither a preset nor points of a monotone curve in the unit square. */
export function transitionOf(text: string): Transition | null {
  if (PRESETS.includes(text)) return text as TransitionPreset;
  const points = text.trim().split(/\s+/).map(pointOf);
  const isCurve = points.every((point) => point !== null) && isMonotone(points);
  return isCurve ? { curve: points.map(([x, y]) => [x, y]) } : null;
}

export function transitionText(transition: Transition): string {
  return typeof transition === 'string'
    ? transition
    : transition.curve.map((point) => point.join(',')).join(' ');
}

/** A decimal number. `Number` also reads empty text and hexadecimal digits, which Rust does not. */
const DECIMAL = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

function pointOf(text: string): CurvePoint | null {
  const numbers = text.split(',').map((number) => (DECIMAL.test(number) ? Number(number) : Number.NaN));
  const [x = Number.NaN, y = Number.NaN] = numbers;
  const isPoint = numbers.length === 2 && x >= 0 && x <= 1 && y >= 0 && y <= 1;
  return isPoint ? [x, y] : null;
}

/** Each point is right of the one before and not lower. Only the ends may be (0, 0) and (1, 1). */
function isMonotone(points: readonly CurvePoint[]): boolean {
  return points.every(([x, y], index) => {
    const isStart = index === 0 && x === 0 && y === 0;
    const isEnd = index === points.length - 1 && x === 1 && y === 1;
    const [beforeX, beforeY] = points[index - 1] ?? [0, 0];
    return isStart || isEnd || (x > beforeX && y >= beforeY && x < 1);
  });
}

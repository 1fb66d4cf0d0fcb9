/**
 * How weights fade across an overlap, as attributes and links write it: a name, or "x,y x,y" for a
 * curve of one's own.
 */
import type { Transition } from './wasm.ts';

/** A record and not a list, so that the compiler asks when the Rust side offers another. */
const PRESETS: Record<Exclude<Transition, object>, true> = { cubic: true, quintic: true, linear: true };

export type CurvePoint = readonly [number, number];

/** Null for what is neither a name nor ascending points within the unit square. */
export function transitionOf(text: string): Transition | null {
  if (Object.hasOwn(PRESETS, text)) return text as keyof typeof PRESETS;
  const points = text.trim().split(/\s+/).map(pointOf);
  const isCurve = points.every((point) => point !== null) && isAscending(points);
  return isCurve ? { curve: points.map(([x, y]) => [x, y]) } : null;
}

export function transitionText(transition: Transition): string {
  return typeof transition === 'string'
    ? transition
    : transition.curve.map((point) => point.join(',')).join(' ');
}

function pointOf(text: string): CurvePoint | null {
  const numbers = text.split(',').map((number) => (number.trim() === '' ? Number.NaN : Number(number)));
  const [x = Number.NaN, y = Number.NaN] = numbers;
  const isPoint = numbers.length === 2 && x > 0 && x < 1 && y >= 0 && y <= 1;
  return isPoint ? [x, y] : null;
}

function isAscending(points: readonly CurvePoint[]): boolean {
  return points.every(([x, y], index) => {
    const before = points[index - 1];
    return !before || (x > before[0] && y >= before[1]);
  });
}

/**
 * Frames to learn from in a link: `frames=walk,6,heat`, that is of which clip, how many, and by which weights the character moved. Poses from
 * files are too long for a link.
 */
import type { Method } from '../wasm.ts';
import { METHODS } from './parameters.ts';

export interface ClipFrames {
  readonly clip: string;
  readonly count: number;
  readonly by: Method;
}

const MOST = 100;

export function framesText({ clip, count, by }: ClipFrames): string {
  return `${clip},${count},${by}`;
}

/** Null for what makes no sense. */
export function readFrames(text: string): ClipFrames | null {
  const [by = '', number = '', ...rest] = text.split(',').reverse();
  const [clip, count] = [rest.reverse().join(','), Number(number)];
  const method = METHODS.find(({ value }) => value === by)?.value;
  if (!method || method === 'examples' || clip === '') return null;
  return Number.isInteger(count) && count > 0 && count <= MOST ? { clip, count, by: method } : null;
}

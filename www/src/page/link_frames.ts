/**
 * Examples from a clip in a link: `frames=walk,6,heat` are six frames of the clip `walk`, skinned
 * with the weights of bone heat. Poses from files are too long for a link.
 */
import { OPTIONS } from '../options.ts';
import type { Method } from '../wasm.ts';

export interface ClipFrames {
  readonly clip: string;
  readonly count: number;
  readonly by: Method;
}

/** The largest number of frames. */
const MAX_FRAMES = 100;

export function framesText({ clip, count, by }: ClipFrames): string {
  return `${clip},${count},${by}`;
}

/** Null for text that is not valid. */
export function readFrames(text: string): ClipFrames | null {
  const [by = '', number = '', ...rest] = text.split(',').reverse();
  const [clip, count] = [rest.reverse().join(','), Number(number)];
  const method = OPTIONS.methods.find((name) => name === by);
  if (!method || method === 'examples' || clip === '') return null;
  return Number.isInteger(count) && count > 0 && count <= MAX_FRAMES ? { clip, count, by: method } : null;
}

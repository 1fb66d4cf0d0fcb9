/** What a user should look at after a skeleton was fitted. */
import type { Point, SkeletonFit } from '../element/api.ts';
import { jointWords } from './skeleton_words.ts';

export interface Doubt {
  readonly text: string;
  /** Why a joint is listed. */
  readonly reason?: string;
  /** The label of the joint that a marker would settle. */
  readonly joint?: string;
}

/** Warnings, then joints. Joints with markers are settled. */
export function doubtsOf(
  fit: SkeletonFit | null,
  markers: Readonly<Record<string, Point>>,
): readonly Doubt[] {
  if (!fit) return [];
  const isUnsure = (confidence: number): boolean => confidence < fit.uncertainBelow;
  const doubts: Doubt[] = fit.warnings.map(({ message }) => ({ text: message }));
  if (isUnsure(fit.planConfidence)) doubts.push({ text: 'The body plan is uncertain: choose it below' });
  if (isUnsure(fit.orientationConfidence))
    doubts.push({ text: 'Front and up are uncertain: flip the facing if it is wrong' });
  const labels = [...new Set([...fit.outside, ...fit.uncertain])].filter((label) => !(label in markers));
  for (const label of labels) {
    // A joint is asked for once, though it has two sides.
    if (label.endsWith('.R') && labels.includes(`${label.slice(0, -2)}.L`)) continue;
    const reason = fit.outside.includes(label) ? 'Outside of the body' : 'Uncertain';
    doubts.push({ text: jointWords(label).what, reason, joint: label });
  }
  return doubts;
}

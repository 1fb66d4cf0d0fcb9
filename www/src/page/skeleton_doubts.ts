/** What a user should look at after a skeleton was fitted. */
import type { Point, SkeletonFit } from '../element/api.ts';
import { jointWords } from './skeleton_words.ts';

/** Share of uncertain joints above which the whole skeleton is doubtful. */
const MANY = 0.3;

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
  if (fit.uncertain.length >= MANY * fit.bones.length)
    doubts.push({ text: 'This skeleton is likely wrong: try another body plan, or flip it' });
  const labels = [...new Set([...fit.outside, ...fit.uncertain])].filter((label) => !(label in markers));
  for (const label of labels) {
    // A joint is asked for once, though it has two sides.
    if (label.endsWith('.R') && labels.includes(`${label.slice(0, -2)}.L`)) continue;
    const reason = fit.outside.includes(label) ? 'Outside' : 'Uncertain';
    doubts.push({ text: jointWords(label).what, reason, joint: label });
  }
  return doubts;
}

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

/** A single sentence ends without a full stop, as all texts of the page. */
function withoutStop(message: string): string {
  return /^[^.]*\.$/.test(message) ? message.slice(0, -1) : message;
}

/** The skeleton as a whole, warnings, then joints. Joints with markers are settled. */
export function doubtsOf(
  fit: SkeletonFit | null,
  markers: Readonly<Record<string, Point>>,
): readonly Doubt[] {
  if (!fit) return [];
  const isUnsure = (confidence: number): boolean => confidence < fit.uncertainBelow;
  const doubts: Doubt[] = [];
  if (fit.uncertain.length >= MANY * fit.bones.length)
    doubts.push({ text: 'This skeleton is likely wrong: try another body plan, or flip it' });
  const isGeneric = fit.plan === 'generic';
  if (isUnsure(fit.planConfidence)) {
    const text = isGeneric
      ? 'No body plan was recognised: choose one below if the mesh has one'
      : 'The body plan is uncertain: choose it below';
    doubts.push({ text });
  }
  // A generic skeleton is the same whatever is front.
  if (isUnsure(fit.orientationConfidence) && !isGeneric)
    doubts.push({ text: 'Front and up are uncertain: flip the facing if it is wrong' });
  doubts.push(...fit.warnings.map(({ message }) => ({ text: withoutStop(message) })));
  const labels = [...new Set([...fit.outside, ...fit.uncertain])].filter((label) => !(label in markers));
  for (const label of labels) {
    // A joint is asked for once, though it has two sides.
    if (label.endsWith('.R') && labels.includes(`${label.slice(0, -2)}.L`)) continue;
    const reason = fit.outside.includes(label) ? 'Outside' : 'Uncertain';
    doubts.push({ text: jointWords(label).what, reason, joint: label });
  }
  return doubts;
}

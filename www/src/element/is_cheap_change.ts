import { OPTIONS } from '../options.ts';
import type { Recipe } from '../wasm.ts';

/**
 * Whether a recipe only asks for other weights from what is measured already: so soon done that a progress bar would
 * flicker. Beyond the slider's end distances must be measured farther.
 */
export function isQuick(before: Recipe, after: Recipe): boolean {
  const [, , farthest] = OPTIONS.k;
  const isNear = ({ atlas }: Recipe) => Math.max(atlas.k, ...Object.values(atlas.k_joints)) <= farthest;
  const measured = ({ method, deforms, atlas }: Recipe) =>
    JSON.stringify([method, deforms, atlas.distance, atlas.overlap_distance]);
  return after.method === 'atlas' && isNear(before) && isNear(after) && measured(before) === measured(after);
}

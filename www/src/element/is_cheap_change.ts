import { OPTIONS } from '../options.ts';
import type { Recipe } from '../wasm.ts';

/**
 * Whether a change of the recipe needs only new weights from distances that are known already. This takes
 * so little time that a progress bar would flicker. Distances are measured as far as the largest K of the
 * slider needs; beyond it they are measured again.
 */
export function isCheapChange(before: Recipe, after: Recipe): boolean {
  const [, , sliderMax] = OPTIONS.k;
  const isWithin = ({ atlas }: Recipe) => Math.max(atlas.k, ...Object.values(atlas.k_joints)) <= sliderMax;
  const measured = ({ method, deforms, atlas }: Recipe) =>
    JSON.stringify([method, deforms, atlas.distance, atlas.overlap_distance]);
  return (
    after.method === 'atlas' && isWithin(before) && isWithin(after) && measured(before) === measured(after)
  );
}

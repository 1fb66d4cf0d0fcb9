import { type KindOf, parameterAt } from '../parameters.ts';
import type { Recipe } from '../wasm.ts';

const { slider } = parameterAt('atlas.k').kind as KindOf<'number'>;

/** Largest K that distances are measured for in advance. */
const SLIDER_MAX = slider.max;

/**
 * Whether a change of the recipe needs only new weights from distances that are known already. This
 * takes so little time that a progress bar would flicker. Beyond the largest K of the slider,
 * distances are measured again. Without weights of its own, a character gets those of the atlas
 * also by the method `source`.
 */
export function isCheapChange(before: Recipe, after: Recipe): boolean {
  const isWithin = ({ atlas }: Recipe) => Math.max(atlas.k, ...Object.values(atlas.k_joints)) <= SLIDER_MAX;
  const measured = ({ method, deforms, atlas }: Recipe) =>
    JSON.stringify([method, deforms, atlas.distance, atlas.overlap_distance]);
  const isAtlas = after.method === 'atlas' || after.method === 'source';
  return isAtlas && isWithin(before) && isWithin(after) && measured(before) === measured(after);
}

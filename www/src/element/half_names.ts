/** What the halves of a divided picture are called: the method, what matters most about it, and what tells it from the other. */
import { OPTIONS } from '../options.ts';
import type { Deformer, Method, Recipe } from '../wasm.ts';
import type { VolumeChoice } from './api.ts';

export interface NamedHalf {
  recipe: Recipe;
  deformer: Deformer;
  volume: VolumeChoice;
}

/** What is said of a method beyond its name; of most, only what is not as usual. */
const DETAILS: Partial<Record<Method, (recipe: Recipe, usual: Recipe) => (string | false)[]>> = {
  atlas: ({ atlas }, usual) => [
    `K ${round(atlas.k)}`,
    atlas.distance !== usual.atlas.distance && atlas.distance,
    atlas.transition !== usual.atlas.transition &&
      (typeof atlas.transition === 'string' ? atlas.transition : 'own curve'),
  ],
  distance: ({ distance }) => [`falloff ${round(distance.falloff)}`],
  heat: ({ heat }, usual) => [heat.conductance !== usual.heat.conductance && `c ${round(heat.conductance)}`],
  glow: ({ glow }, usual) => [
    glow.diffusion === 'off' && 'no diffusion',
    glow.conductance !== usual.glow.conductance && `c ${round(glow.conductance)}`,
  ],
  bbw: ({ bbw }, usual) => [bbw.domain !== usual.bbw.domain && bbw.domain],
};

/** Such as "Atlas · K 0.5" and "Heat". */
export function halfNames(left: NamedHalf, right: NamedHalf): [string, string] {
  return [nameOf(left, right), nameOf(right, left)];
}

function nameOf({ recipe, deformer, volume }: NamedHalf, other: NamedHalf): string {
  const { method, max_influences: most } = recipe;
  const parts = [
    method.charAt(0).toUpperCase() + method.slice(1),
    ...(DETAILS[method]?.(recipe, OPTIONS.recipe) ?? []),
    most !== other.recipe.max_influences && `${most} ${most === 1 ? 'influence' : 'influences'}`,
    deformer !== other.deformer && deformer.toUpperCase(),
    volume !== other.volume && (volume === 'off' ? 'volume lost' : `volume kept, ${volume}`),
  ];
  return parts.filter(Boolean).join(' · ');
}

function round(value: number): string {
  return String(Number(value.toFixed(2)));
}

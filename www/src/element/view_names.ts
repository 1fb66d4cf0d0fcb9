/** Names of the two views: the method, its main parameter, and what differs from the other view. */
import { OPTIONS } from '../options.ts';
import type { Deformer, Method, Recipe } from '../wasm.ts';
import type { VolumeChoice } from './api.ts';

export interface NamedView {
  recipe: Readonly<Recipe>;
  deformer: Deformer;
  volume: VolumeChoice;
}

type Details = (recipe: Readonly<Recipe>, usual: Recipe) => (string | false)[];

/**
 * What is said of a method beyond its name. Of most methods, only what differs from the default.
 */
const DETAILS: Partial<Record<Method, Details>> = {
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
export function viewNames(first: NamedView, second: NamedView): [string, string] {
  return [nameOf(first, second), nameOf(second, first)];
}

function nameOf({ recipe, deformer, volume }: NamedView, other: NamedView): string {
  const { method, max_influences: most } = recipe;
  const parts = [
    method.charAt(0).toUpperCase() + method.slice(1),
    ...(DETAILS[method]?.(recipe, OPTIONS.recipe) ?? []),
    most !== other.recipe.max_influences && `${most} ${most === 1 ? 'influence' : 'influences'}`,
    deformer !== other.deformer && deformer.toUpperCase(),
    volume !== other.volume && (volume === 'off' ? 'no volume correction' : `volume ${volume}`),
  ];
  return parts.filter(Boolean).join(' · ');
}

function round(value: number): string {
  return String(Number(value.toFixed(2)));
}

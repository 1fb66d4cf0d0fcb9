/** Attributes and the values they stand for. Like HTML's own: a value that makes no sense means the default. */
import { OPTIONS } from '../options.ts';
import { transitionOf as parsed } from '../transition.ts';
import type { CorrectionMode, Deformer, Method, Metric, Show, Transition } from '../wasm.ts';
import type { VolumeChoice } from './api.ts';

export const OBSERVED = [
  'src',
  'method',
  'deformer',
  'max-influences',
  'overlap',
  'distance',
  'overlap-distance',
  'transition',
  'show',
  'bones',
  'autoplay',
  'animation-name',
  'theme',
  'compare',
  'compare-show',
  'compare-deformer',
  'divider',
  'volume',
  'volume-alpha',
  'volume-beta',
  'volume-mode',
  'fold-guard',
  'compare-volume',
] as const;

export type ObservedAttribute = (typeof OBSERVED)[number];

function oneOf<T extends string>(text: string | null, choices: readonly T[], otherwise: T): T {
  return choices.find((choice) => choice === text) ?? otherwise;
}

export function methodOf(text: string | null): Method {
  return oneOf(text, OPTIONS.methods, OPTIONS.recipe.method);
}

export function deformerOf(text: string | null): Deformer {
  return oneOf(text, OPTIONS.deformers, OPTIONS.deformers[0] ?? 'lbs');
}

export function showOf(text: string | null): Show {
  return oneOf(text, OPTIONS.shows, OPTIONS.shows[0] ?? 'shaded');
}

export function influencesOf(text: string | null): number {
  const [least, most] = OPTIONS.influences;
  const asked = Number.parseInt(text ?? '', 10);
  return Number.isNaN(asked) ? OPTIONS.recipe.max_influences : Math.min(Math.max(asked, least), most);
}

export function overlapOf(text: string | null): number {
  const [least, most] = OPTIONS.k;
  const asked = text === null || text.trim() === '' ? Number.NaN : Number(text);
  return Number.isNaN(asked) ? OPTIONS.recipe.atlas.k : Math.min(Math.max(asked, least), most);
}

export function metricOf(text: string | null): Metric {
  return oneOf(text, OPTIONS.metrics, OPTIONS.recipe.atlas.distance);
}

export function overlapMetricOf(text: string | null): Metric | null {
  return OPTIONS.metrics.find((metric) => metric === text) ?? null;
}

export function transitionOf(text: string | null): Transition {
  return (text === null ? null : parsed(text)) ?? OPTIONS.recipe.atlas.transition;
}

export function volumeOf(text: string | null): VolumeChoice {
  return OPTIONS.volumes.find((map) => map === text) ?? 'off';
}

export function volumeModeOf(text: string | null): CorrectionMode {
  return oneOf(text, OPTIONS.volumeModes, OPTIONS.volume.mode);
}

export function exponentOf(text: string | null, which: 'alpha' | 'beta'): number {
  const [least, most] = OPTIONS.exponents;
  const asked = text === null || text.trim() === '' ? Number.NaN : Number(text);
  return Number.isNaN(asked) ? OPTIONS.volume[which] : Math.min(Math.max(asked, least), most);
}

export function bonesOf(text: string | null): 'shown' | 'hidden' {
  return text === 'hidden' ? 'hidden' : 'shown';
}

/** Where the picture is divided, as a share of its width. */
export function dividerOf(text: string | null): number {
  const share = text === null || text.trim() === '' ? Number.NaN : Number(text);
  return Number.isNaN(share) ? 0.5 : Math.min(Math.max(share, 0), 1);
}

/** Sets, or removes for null and false; an attribute that already says so is left alone. */
export function reflect(element: Element, name: ObservedAttribute, value: string | boolean | null): void {
  const text = value === true ? '' : value === false ? null : value;
  if (element.getAttribute(name) === text) return;
  if (text === null) element.removeAttribute(name);
  else element.setAttribute(name, text);
}

/** Volume and folds in a link: `volume=local&volume.alpha=2&volume.without=thigh.L&fold-guard=on`. */

import type { PostSkinningState } from '../element/api.ts';
import { EXPONENT, VOLUME_MODES, VOLUMES } from './parameters.ts';

/** Names and values, as far as they differ from the usual. */
export function postSkinningParts(
  state: PostSkinningState,
  usual: PostSkinningState,
  namesJoints: boolean,
): [string, string][] {
  const parts: [string, string][] = [];
  if (state.volume !== usual.volume) parts.push(['volume', state.volume]);
  if (state.alpha !== usual.alpha) parts.push(['volume.alpha', String(state.alpha)]);
  if (state.beta !== usual.beta) parts.push(['volume.beta', String(state.beta)]);
  if (state.mode !== usual.mode) parts.push(['volume.mode', state.mode]);
  if (state.foldGuard !== usual.foldGuard) parts.push(['fold-guard', state.foldGuard ? 'on' : 'off']);
  if (namesJoints) for (const joint of state.excluded) parts.push(['volume.without', joint]);
  return parts;
}

/** With what one part says; null for what makes no sense. */
export function readPostSkinning(
  state: PostSkinningState,
  key: string,
  value: string,
): PostSkinningState | null {
  const number = value.trim() === '' ? Number.NaN : Number(value);
  const isExponent = number >= EXPONENT.min && number <= EXPONENT.max;
  const volume = VOLUMES.find((choice) => choice.value === value)?.value;
  const mode = VOLUME_MODES.find((choice) => choice.value === value)?.value;
  switch (key) {
    case 'volume':
      return volume ? { ...state, volume } : null;
    case 'volume.alpha':
      return isExponent ? { ...state, alpha: number } : null;
    case 'volume.beta':
      return isExponent ? { ...state, beta: number } : null;
    case 'volume.mode':
      return mode ? { ...state, mode } : null;
    case 'fold-guard':
      return value === 'on' || value === 'off' ? { ...state, foldGuard: value === 'on' } : null;
    case 'volume.without':
      return { ...state, excluded: [...state.excluded.filter((joint) => joint !== value), value] };
    default:
      return null;
  }
}

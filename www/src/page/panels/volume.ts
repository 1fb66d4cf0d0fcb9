/** Corrections after skinning: volume preservation and contacts. */
import type { VolumeChoice } from '../../element/api.ts';
import type { CorrectionMode } from '../../wasm.ts';
import { h } from '../dom.ts';
import { isCorrecting } from '../state.ts';
import type { Studio } from '../studio.ts';
import { button } from '../ui/button.ts';
import { list, segmented } from '../ui/choice.ts';
import { slider } from '../ui/slider.ts';
import { toggle } from '../ui/toggle.ts';
import { EXPONENT, VOLUME_MODES, VOLUMES } from '../words.ts';
import { panel } from './panel.ts';
import { excludedBones } from './volume_bones.ts';
import { brushControls } from './volume_brush.ts';
import { volumeReadout } from './volume_readout.ts';

export function volume(studio: Studio): HTMLElement {
  const { state, postSkinning, split, defaults } = studio;
  const choice = list<VolumeChoice>({
    label: 'Preserve volume',
    choices: VOLUMES,
    explain: true,
    onchange: (value) => postSkinning.change({ volume: value }, 'volume'),
  });
  const alpha = slider({
    label: 'Closeness to joint α',
    spoken: 'Alpha',
    about: 'Exponent of the closeness to the joint in the correction map: 0 is the same everywhere',
    ...EXPONENT,
    fallback: defaults.postSkinning.alpha,
    onchange: (value, settled) => postSkinning.change({ alpha: value }, 'α', settled),
  });
  const beta = slider({
    label: 'Distance from bone β',
    spoken: 'Beta',
    about: 'Exponent of the distance from the bone in the correction map: 0 is the same all around',
    ...EXPONENT,
    fallback: defaults.postSkinning.beta,
    onchange: (value, settled) => postSkinning.change({ beta: value }, 'β', settled),
  });
  const mode = segmented<CorrectionMode>({
    label: 'Volume correction',
    bare: true,
    choices: VOLUME_MODES,
    onchange: (value) => postSkinning.change({ mode: value }, 'mode of volume correction'),
  });
  const guard = toggle('Prevent self-intersection', (on) =>
    postSkinning.change({ foldGuard: on }, 'self-intersection'),
  );
  guard.element.dataset['tip'] = 'Contact planes keep the skin of bent joints apart (Rohmer 2008)';
  const bake = toggle('Bake the clip into the export', (on) => state.set({ bakes: on }));
  bake.element.dataset['tip'] = 'Adds the correction as morph targets, for engines that only skin';
  const bones = excludedBones(studio);
  const brush = brushControls(studio);
  const readout = volumeReadout(studio);
  const without = button({
    label: 'Compare with skinning alone',
    icon: 'compare',
    bare: true,
    onclick: () => split.toggleWithoutCorrection(),
  });
  const settings = h(
    'div',
    { class: 'stack' },
    readout,
    h('div', { class: 'stack tight' }, alpha.element, beta.element),
    mode.element,
    bones.element,
    brush,
  );

  state.follow(['postSkinning', 'playback', 'secondView', 'selectedJoint', 'bakes'], (now) => {
    const { volume, alpha: a, beta: b, mode: solve, foldGuard } = now.postSkinning;
    const hasDistance = volume === 'organic' || volume === 'local';
    choice.set(volume);
    alpha.set(a);
    beta.set(b);
    mode.set(solve);
    guard.set(foldGuard);
    bake.set(now.bakes);
    settings.hidden = volume === 'off';
    alpha.element.hidden = volume === 'uniform';
    beta.element.hidden = !hasDistance;
    bones.element.hidden = !hasDistance;
    bake.element.hidden = !isCorrecting(now) || now.playback.animations.length === 0;
    without.hidden = !isCorrecting(now);
    without.setAttribute('aria-pressed', String(now.secondView?.volume === 'off'));
  });
  const switches = h('div', { class: 'stack tight' }, guard.element, bake.element);
  return panel('volume', 'Volume', [choice.element, settings, switches], [without]);
}

/** What the flesh does after skinning: keep its volume, keep from passing through itself. */
import type { VolumeChoice } from '../../element/api.ts';
import type { CorrectionMode } from '../../wasm.ts';
import { h } from '../dom.ts';
import { EXPONENT, VOLUME_MODES, VOLUMES } from '../parameters.ts';
import type { Painting } from '../stage/painting.ts';
import type { Studio } from '../studio.ts';
import { button } from '../ui/button.ts';
import { list, segmented } from '../ui/choice.ts';
import { slider } from '../ui/slider.ts';
import { toggle } from '../ui/toggle.ts';
import { follow } from '../viewer.ts';
import { panel } from './panel.ts';
import { excludedBones } from './volume_bones.ts';
import { brushControls } from './volume_brush.ts';
import { volumeReadout } from './volume_readout.ts';

export function volume(studio: Studio, painting: Painting): HTMLElement {
  const { viewer, postSkinning, halves, defaults } = studio;
  const choice = list<VolumeChoice>({
    label: 'Keep',
    choices: VOLUMES,
    explain: true,
    onchange: (value) => postSkinning.change({ volume: value }, 'volume'),
  });
  const alpha = slider({
    label: 'At joints, α',
    spoken: 'Alpha',
    about: 'How strongly the bulge gathers at the joints: 0 is everywhere alike',
    ...EXPONENT,
    fallback: defaults.postSkinning.alpha,
    onchange: (value, settled) => postSkinning.change({ alpha: value }, 'α', settled),
  });
  const beta = slider({
    label: 'Off bones, β',
    spoken: 'Beta',
    about: 'How strongly it gathers in flesh far from the bone: 0 is all around it',
    ...EXPONENT,
    fallback: defaults.postSkinning.beta,
    onchange: (value, settled) => postSkinning.change({ beta: value }, 'β', settled),
  });
  const mode = segmented<CorrectionMode>({
    label: 'Mode',
    choices: VOLUME_MODES,
    onchange: (value) => postSkinning.change({ mode: value }, 'mode of the volume'),
  });
  const guard = toggle('Hold folds back', (on) => postSkinning.change({ guard: on }, 'fold guard'));
  guard.element.dataset['tip'] = 'Flesh in bent joints does not pass through itself';
  const bake = toggle('Bake the clip into the export', (on) => {
    postSkinning.bakes = on;
  });
  bake.element.dataset['tip'] = 'As morph targets, so that engines that only skin show it too';
  const bones = excludedBones(studio);
  const brush = brushControls(studio, painting);
  const readout = volumeReadout(studio);
  const without = button({
    label: 'Beside plain skinning',
    icon: 'compare',
    bare: true,
    onclick: () => halves.toggleWithoutVolume(),
  });
  const kept = h(
    'div',
    { class: 'stack' },
    readout,
    h('div', { class: 'stack tight' }, alpha.element, beta.element),
    mode.element,
    bones.element,
    brush,
  );

  const sync = (): void => {
    const { volume, alpha: a, beta: b, mode: now, guard: on } = postSkinning.state;
    const hasDistance = volume === 'organic' || volume === 'local';
    choice.set(volume);
    alpha.set(a);
    beta.set(b);
    mode.set(now);
    guard.set(on);
    bake.set(postSkinning.bakes);
    kept.hidden = volume === 'off';
    alpha.element.hidden = volume === 'uniform';
    beta.element.hidden = !hasDistance;
    bones.element.hidden = !hasDistance;
    bake.element.hidden = (volume === 'off' && !on) || viewer.animations.length === 0;
    without.hidden = volume === 'off' && !on;
    without.setAttribute('aria-pressed', String(halves.isWithoutVolume));
    bones.sync();
  };
  follow(viewer, ['load', 'rig-complete', 'compare-complete', 'select'], sync);
  postSkinning.watch(sync);
  halves.watch(sync);
  studio.history.watch(sync);
  const switches = h('div', { class: 'stack tight' }, guard.element, bake.element);
  return panel('volume', 'Volume', [choice.element, kept, switches], [without]);
}

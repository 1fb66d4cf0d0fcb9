/** Corrections after skinning: volume preservation and contacts. */
import { parameterAt, parametersOf, propertyName, propertyOf } from '../../parameters.ts';
import { h } from '../dom.ts';
import { isCorrecting } from '../state.ts';
import type { Studio } from '../studio.ts';
import { button } from '../ui/button.ts';
import { toggle } from '../ui/toggle.ts';
import { controlFor, controlsFor, historyLabel } from './control.ts';
import { panel } from './panel.ts';
import { excludedBones } from './volume_bones.ts';
import { brushControls } from './volume_brush.ts';
import { volumeReadout } from './volume_readout.ts';

const GUARD = 'fold_guard';

export function volume(studio: Studio): HTMLElement {
  const { viewer, state, postSkinning, split } = studio;
  const others = parametersOf('post-skinning').filter(({ path }) => path !== GUARD);
  const controls = controlsFor(others, viewer, (parameter, value, settled) =>
    postSkinning.change({ [propertyName(parameter)]: value }, historyLabel(parameter), settled),
  );
  const guard = controlFor(parameterAt(GUARD), {
    viewer,
    onchange: (on) => postSkinning.change({ foldGuard: on === true }, historyLabel(parameterAt(GUARD))),
  });
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
    h('div', { class: 'stack tight' }, ...controls.elements('common')),
    bones.element,
    controls.advanced,
    brush,
  );

  state.follow(['postSkinning', 'playback', 'secondView', 'selectedJoint', 'bakes'], (now) => {
    const values = now.postSkinning;
    const { volume } = values;
    controls.show((path) => propertyOf(values, parameterAt(path)));
    guard.show(values.foldGuard);
    bake.set(now.bakes);
    settings.hidden = volume === 'off';
    bones.element.hidden = volume !== 'organic' && volume !== 'local';
    bake.element.hidden = !isCorrecting(now) || now.playback.animations.length === 0;
    without.hidden = !isCorrecting(now);
    without.setAttribute('aria-pressed', String(now.secondView?.volume === 'off'));
  });
  const switches = h('div', { class: 'stack tight' }, guard.element, bake.element);
  return panel('volume', 'Volume', [...controls.elements('primary'), settings, switches], [without]);
}

/** Corrections after skinning: volume preservation and contacts. */
import { parameterAt, parametersOf, propertyName, propertyOf } from '../../parameters.ts';
import { h } from '../dom.ts';
import type { Painting } from '../stage/painting.ts';
import type { Studio } from '../studio.ts';
import { button } from '../ui/button.ts';
import { toggle } from '../ui/toggle.ts';
import { follow } from '../viewer.ts';
import { controlFor, controlsFor, historyLabel } from './control.ts';
import { panel } from './panel.ts';
import { excludedBones } from './volume_bones.ts';
import { brushControls } from './volume_brush.ts';
import { volumeReadout } from './volume_readout.ts';

const GUARD = 'fold_guard';

export function volume(studio: Studio, painting: Painting): HTMLElement {
  const { viewer, postSkinning, halves } = studio;
  const others = parametersOf('post-skinning').filter(({ path }) => path !== GUARD);
  const controls = controlsFor(others, viewer, (parameter, value, settled) =>
    postSkinning.change({ [propertyName(parameter)]: value }, historyLabel(parameter), settled),
  );
  const guard = controlFor(parameterAt(GUARD), {
    viewer,
    onchange: (on) => postSkinning.change({ foldGuard: on === true }, historyLabel(parameterAt(GUARD))),
  });
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
    h('div', { class: 'stack tight' }, ...controls.elements('common')),
    bones.element,
    controls.advanced,
    brush,
  );

  const sync = (): void => {
    const { state } = postSkinning;
    const { volume, foldGuard: on } = state;
    controls.show((path) => propertyOf(state, parameterAt(path)));
    guard.show(on);
    bake.set(postSkinning.bakes);
    kept.hidden = volume === 'off';
    bones.element.hidden = volume !== 'organic' && volume !== 'local';
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
  return panel('volume', 'Volume', [...controls.elements('primary'), kept, switches], [without]);
}

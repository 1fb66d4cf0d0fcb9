/** How the skin is bound: method, its parameters, influences, deformer. */
import type { Method } from '../../wasm.ts';
import { h } from '../dom.ts';
import {
  type ChoiceSetting,
  DEFORMERS,
  METHODS,
  type NumberSetting,
  SETTINGS,
  valueAt,
} from '../parameters.ts';
import type { Studio } from '../studio.ts';
import { list, segmented } from '../ui/choice.ts';
import { slider } from '../ui/slider.ts';
import { follow } from '../viewer.ts';
import { panel } from './panel.ts';

export function rig(studio: Studio): HTMLElement {
  const { viewer } = studio;
  const method = list<Method>({
    label: 'Method',
    choices: METHODS,
    explain: true,
    onchange: (value) => studio.setParameter('method', value, 'method'),
  });
  const controls = SETTINGS.map((setting) => ({
    setting,
    control: setting.kind === 'number' ? numberControl(studio, setting) : choiceControl(studio, setting),
  }));
  const deformer = segmented({
    label: 'Deformer',
    choices: DEFORMERS,
    onchange: (value) => studio.setDeformer(value),
  });
  const sync = (): void => {
    const { recipe } = viewer;
    method.set(recipe.method);
    deformer.set(viewer.deformer);
    for (const { setting, control } of controls) {
      control.element.hidden = setting.method !== undefined && setting.method !== recipe.method;
      control.show(valueAt(recipe, setting.path));
    }
  };
  follow(viewer, ['load', 'rig-complete'], sync);
  studio.history.watch(sync);
  return panel('rig', 'Skin', [
    method.element,
    h('div', { class: 'stack' }, ...controls.map(({ control }) => control.element)),
    deformer.element,
  ]);
}

interface Control {
  readonly element: HTMLElement;
  show(value: unknown): void;
}

function numberControl(studio: Studio, setting: NumberSetting): Control {
  const { path, label } = setting;
  const control = slider({
    ...setting,
    fallback: Number(valueAt(studio.defaults.recipe, path)),
    onchange: (value, settled) => studio.setParameter(path, value, label.toLowerCase(), settled),
  });
  return { element: control.element, show: (value) => control.set(Number(value)) };
}

function choiceControl(studio: Studio, { path, label, choices }: ChoiceSetting): Control {
  const control = segmented({
    label,
    choices,
    onchange: (value) => studio.setParameter(path, value, label.toLowerCase()),
  });
  return { element: control.element, show: (value) => control.set(String(value)) };
}

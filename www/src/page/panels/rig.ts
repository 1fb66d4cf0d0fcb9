/** How the skin is bound: how soft it is, by which method, and that method's parameters; influences, deformer. */
import type { Method } from '../../wasm.ts';
import { h } from '../dom.ts';
import {
  type ChoiceSetting,
  DEFORMERS,
  isUsed,
  METHODS,
  meaningOf,
  type NumberSetting,
  SETTINGS,
  type Setting,
  textOf,
  valueAt,
} from '../parameters.ts';
import type { Studio } from '../studio.ts';
import { list, segmented } from '../ui/choice.ts';
import { slider } from '../ui/slider.ts';
import { follow } from '../viewer.ts';
import { panel } from './panel.ts';
import { transitionControl } from './transition.ts';

interface Control {
  readonly element: HTMLElement;
  show(value: unknown): void;
}

export function rig(studio: Studio): HTMLElement {
  const { viewer } = studio;
  const method = list<Method>({
    label: 'Method',
    choices: METHODS,
    explain: true,
    onchange: (value) => studio.setParameter('method', value, 'method'),
  });
  const controls = SETTINGS.map((setting) => ({ setting, control: controlOf(studio, setting) }));
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
      control.element.hidden = !isUsed(setting, recipe);
      if (!control.element.hidden) control.show(valueAt(recipe, setting.path));
    }
  };
  follow(viewer, ['load', 'rig-complete'], sync);
  studio.history.watch(sync);
  const elements = (hero: boolean): HTMLElement[] =>
    controls
      .filter(({ setting }) => (setting.kind === 'number' && setting.hero === true) === hero)
      .map(({ control }) => control.element);
  return panel('rig', 'Skin', [
    ...elements(true),
    method.element,
    h('div', { class: 'stack' }, ...elements(false)),
    deformer.element,
  ]);
}

function controlOf(studio: Studio, setting: Setting): Control {
  switch (setting.kind) {
    case 'number':
      return numberControl(studio, setting);
    case 'choice':
      return choiceControl(studio, setting);
    case 'transition':
      return transitionControl(studio);
  }
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

function choiceControl(studio: Studio, setting: ChoiceSetting): Control {
  const { path, label, choices } = setting;
  const make = setting.isLong ? list : segmented;
  const control = make({
    label,
    choices,
    onchange: (word) => studio.setParameter(path, meaningOf(setting, word), label.toLowerCase()),
  });
  return { element: control.element, show: (value) => control.set(textOf(setting, value)) };
}

/** How the skin is bound: method, its parameters, influences, deformer. */
import type { Recipe } from '../../wasm.ts';
import { h } from '../dom.ts';
import { DEFORMERS, METHODS, PARAMETERS, type Parameter, valueAt } from '../parameters.ts';
import type { Studio } from '../studio.ts';
import { list, segmented } from '../ui/choice.ts';
import { type Slider, slider } from '../ui/slider.ts';
import { follow } from '../viewer.ts';
import { panel } from './panel.ts';

export function rig(studio: Studio): HTMLElement {
  const { viewer } = studio;
  const method = list<Recipe['method']>({
    label: 'Method',
    choices: METHODS,
    explain: true,
    onchange: (value) => studio.setParameter('method', value, 'method'),
  });
  const sliders = PARAMETERS.map((parameter) => ({ parameter, control: parameterSlider(studio, parameter) }));
  const deformer = segmented({
    label: 'Deformer',
    choices: DEFORMERS,
    onchange: (value) => studio.setDeformer(value),
  });
  const sync = (): void => {
    const { recipe } = viewer;
    method.set(recipe.method);
    deformer.set(viewer.deformer);
    for (const { parameter, control } of sliders) {
      control.element.hidden = parameter.method !== undefined && parameter.method !== recipe.method;
      control.set(Number(valueAt(recipe, parameter.path)));
    }
  };
  follow(viewer, ['load', 'rig-complete'], sync);
  studio.history.watch(sync);
  return panel('rig', 'Skin', [
    method.element,
    h('div', { class: 'stack' }, ...sliders.map(({ control }) => control.element)),
    deformer.element,
  ]);
}

function parameterSlider(studio: Studio, parameter: Parameter): Slider {
  const { path, label } = parameter;
  return slider({
    ...parameter,
    fallback: Number(valueAt(studio.defaults.recipe, path)),
    onchange: (value, settled) => studio.setParameter(path, value, label.toLowerCase(), settled),
  });
}

/** How the skin of one half is bound: how soft it is, by which method, and that method's parameters; influences, deformer. */
import type { Method, Show } from '../../wasm.ts';
import { h } from '../dom.ts';
import {
  type Choice,
  type ChoiceSetting,
  DEFORMERS,
  isUsed,
  METHODS,
  meaningOf,
  type NumberSetting,
  SETTINGS,
  type Setting,
  SHOWS,
  textOf,
  valueAt,
} from '../parameters.ts';
import type { Studio } from '../studio.ts';
import { list, segmented } from '../ui/choice.ts';
import { slider } from '../ui/slider.ts';
import { follow } from '../viewer.ts';
import type { HalfName } from '../views.ts';
import { examples } from './examples.ts';
import { panel } from './panel.ts';
import { transitionControl } from './transition.ts';

interface Control {
  readonly element: HTMLElement;
  show(value: unknown): void;
}

const HALVES: readonly Choice<HalfName>[] = [
  { value: 'left', label: 'Left', about: 'What is below changes the left half, which is exported' },
  { value: 'right', label: 'Right', about: 'What is below changes the right half' },
];

/** No view of its own. */
const SAME = 'same';

export function rig(studio: Studio): HTMLElement {
  const { viewer, halves } = studio;
  const half = segmented<HalfName>({
    label: 'Half',
    choices: HALVES,
    onchange: (value) => halves.choose(value),
  });
  half.element.classList.add('half-choice');
  const method = list<Method>({
    label: 'Method',
    choices: METHODS,
    explain: true,
    onchange: (value) => studio.setParameter('method', value, 'method'),
  });
  const tray = examples(studio);
  const controls = SETTINGS.map((setting) => ({ setting, control: controlOf(studio, setting) }));
  const deformer = segmented({
    label: 'Deformer',
    choices: DEFORMERS,
    onchange: (value) => studio.setDeformer(value),
  });
  const view = list<Show | typeof SAME>({
    label: 'View',
    choices: [
      { value: SAME, label: 'As on the left', about: 'What the bar above the picture says' },
      ...SHOWS,
    ],
    onchange: (value) => halves.setShow(value === SAME ? null : value),
  });
  const sync = (): void => {
    const { recipe, current } = halves;
    half.element.hidden = !halves.isDivided;
    half.set(current);
    view.element.hidden = current !== 'right';
    view.set(viewer.compareShow ?? SAME);
    method.set(recipe.method);
    deformer.set(halves.deformer);
    tray.hidden = recipe.method !== 'examples';
    for (const { setting, control } of controls) {
      control.element.hidden = !isUsed(setting, recipe);
      if (!control.element.hidden) control.show(valueAt(recipe, setting.path));
    }
  };
  follow(viewer, ['load', 'rig-complete', 'compare-complete'], sync);
  studio.history.watch(sync);
  halves.watch(sync);
  const elements = (hero: boolean): HTMLElement[] =>
    controls
      .filter(({ setting }) => (setting.kind === 'number' && setting.hero === true) === hero)
      .map(({ control }) => control.element);
  return panel('rig', 'Skin', [
    half.element,
    ...elements(true),
    method.element,
    tray,
    h('div', { class: 'stack' }, ...elements(false)),
    deformer.element,
    view.element,
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

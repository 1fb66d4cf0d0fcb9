/** The recipe of one side: method, its parameters, influences, deformer, and what the colours show. */
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
import { SIDE_KEYS, type Side, sideDeformer, sideRecipe } from '../state.ts';
import type { Studio } from '../studio.ts';
import { list, segmented } from '../ui/choice.ts';
import { slider } from '../ui/slider.ts';
import { examples } from './examples.ts';
import { panel } from './panel.ts';
import { transitionControl } from './transition.ts';

interface Control {
  readonly element: HTMLElement;
  show(value: unknown): void;
}

const SIDES: readonly Choice<Side>[] = [
  { value: 'left', label: 'Left', about: 'The settings below are those of the left side, which is exported' },
  { value: 'right', label: 'Right', about: 'The settings below are those of the right side' },
];

/** The same as on the left. */
const SAME = 'same';

export function rig(studio: Studio): HTMLElement {
  const { state, split } = studio;
  const side = segmented<Side>({
    label: 'Side',
    choices: SIDES,
    onchange: (value) => split.choose(value),
  });
  side.element.classList.add('side-choice');
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
    choices: [{ value: SAME, label: 'As on the left', about: 'As chosen above the picture' }, ...SHOWS],
    onchange: (value) => split.setShow(value === SAME ? null : value),
  });
  state.follow(SIDE_KEYS, (now) => {
    const recipe = sideRecipe(now);
    side.element.hidden = now.secondView === null;
    side.set(now.side);
    view.element.hidden = now.side !== 'right';
    view.set(now.secondView?.show ?? SAME);
    method.set(recipe.method);
    deformer.set(sideDeformer(now));
    tray.hidden = recipe.method !== 'examples';
    for (const { setting, control } of controls) {
      control.element.hidden = !isUsed(setting, recipe);
      if (!control.element.hidden) control.show(valueAt(recipe, setting.path));
    }
  });
  const elements = (hero: boolean): HTMLElement[] =>
    controls
      .filter(({ setting }) => (setting.kind === 'number' && setting.hero === true) === hero)
      .map(({ control }) => control.element);
  return panel('rig', 'Skin', [
    side.element,
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

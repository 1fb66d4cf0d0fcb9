/** The recipe of one view: method, its parameters, influences, deformer. */
import { type Parameter, parameterAt, parametersOf, valueAt } from '../../parameters.ts';
import type { Deformer, Show } from '../../wasm.ts';
import { h } from '../dom.ts';
import { SIDE_KEYS, type Side, sideDeformer, sideRecipe } from '../state.ts';
import type { Studio } from '../studio.ts';
import { list, segmented } from '../ui/choice.ts';
import { type Choice, SECOND_VIEW_SHOWS } from '../words.ts';
import { controlFor, controlsFor, historyLabel } from './control.ts';
import { examples } from './examples.ts';
import { panel } from './panel.ts';

const SIDES: readonly Choice<Side>[] = [
  { value: 'left', label: 'Left', about: 'Settings of the left side, which is exported' },
  { value: 'right', label: 'Right', about: 'Settings of the right side' },
];

/** The same as on the left. */
const SAME = 'same';

export function rig(studio: Studio): HTMLElement {
  const { viewer, state, split } = studio;
  const side = segmented<Side>({
    label: 'Side',
    choices: SIDES,
    onchange: (value) => split.choose(value),
  });
  side.element.classList.add('side-choice');
  const [method, others] = [
    parameterAt('method'),
    parametersOf('rig').filter(({ path }) => path !== 'method'),
  ];
  const set = (parameter: Parameter, value: unknown, settled: boolean): void =>
    studio.setParameter(parameter.path, value, historyLabel(parameter), settled);
  const methodControl = controlFor(method, { viewer, onchange: (value) => set(method, value, true) });
  const controls = controlsFor(others, viewer, set);
  const tray = examples(studio);
  const deformer = controlFor(parameterAt('deformer'), {
    viewer,
    onchange: (value) => studio.setDeformer(value as Deformer),
  });
  const view = list<Show | typeof SAME>({
    label: 'View',
    choices: [
      { value: SAME, label: 'As on the left', about: 'As chosen above the picture' },
      ...SECOND_VIEW_SHOWS,
    ],
    onchange: (value) => split.setShow(value === SAME ? null : value),
  });
  state.follow(['model'], ({ model }) => {
    const hasWeights = (model?.storedInfluences ?? null) !== null;
    methodControl.limit?.((name) => name !== 'source' || hasWeights);
    methodControl.show(sideRecipe(state.now).method);
  });
  state.follow(SIDE_KEYS, (now) => {
    const recipe = sideRecipe(now);
    side.element.hidden = now.secondView === null;
    side.set(now.side);
    view.element.hidden = now.side !== 'right';
    view.set(now.secondView?.show ?? SAME);
    methodControl.show(recipe.method);
    controls.show((path) => valueAt(recipe, path));
    deformer.show(sideDeformer(now));
    tray.hidden = recipe.method !== 'examples';
  });
  return panel('rig', 'Skin', [
    side.element,
    ...controls.elements('primary'),
    methodControl.element,
    tray,
    h('div', { class: 'stack' }, ...controls.elements('common'), controls.advanced),
    deformer.element,
    view.element,
  ]);
}

/** The recipe of one view: method, its parameters, influences, deformer. */
import { type Parameter, parameterAt, parametersOf, valueAt } from '../../parameters.ts';
import type { Deformer, Show } from '../../wasm.ts';
import { h } from '../dom.ts';
import { type Choice, SHOWS } from '../parameters.ts';
import type { Studio } from '../studio.ts';
import { list, segmented } from '../ui/choice.ts';
import { follow } from '../viewer.ts';
import type { HalfName } from '../views.ts';
import { controlFor, controlsFor, historyLabel } from './control.ts';
import { examples } from './examples.ts';
import { panel } from './panel.ts';

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
    methodControl.show(recipe.method);
    controls.show((path) => valueAt(recipe, path));
    deformer.show(halves.deformer);
    tray.hidden = recipe.method !== 'examples';
  };
  follow(viewer, ['load', 'rig-complete', 'compare-complete'], sync);
  studio.history.watch(sync);
  halves.watch(sync);
  return panel('rig', 'Skin', [
    half.element,
    ...controls.elements('primary'),
    methodControl.element,
    tray,
    h('div', { class: 'stack' }, ...controls.elements('common'), controls.advanced),
    deformer.element,
    view.element,
  ]);
}

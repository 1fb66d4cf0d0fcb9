/** The control of a parameter, built from the schema. */
import {
  clamp,
  format,
  isUsed,
  type KindOf,
  type Parameter,
  parse,
  type ReadValue,
} from '../../parameters.ts';
import { h } from '../dom.ts';
import { choicesOf } from '../parameters.ts';
import { list, segmented } from '../ui/choice.ts';
import { type SliderOptions, slider } from '../ui/slider.ts';
import { toggle } from '../ui/toggle.ts';
import type { Viewer } from '../viewer.ts';
import { transitionControl } from './transition.ts';

export interface Control {
  readonly element: HTMLElement;
  /** Shows a value without reporting a change. */
  show(value: unknown): void;
  /** Offers only some of the choices of a list. */
  limit?(isOffered: (word: string) => boolean): void;
}

export interface ControlOptions {
  /** Computes transition curves. */
  readonly viewer: Viewer;
  /** `settled` is false while a slider is dragged. */
  onchange(value: unknown, settled: boolean): void;
}

/** Choices with more words or letters than this are a list, not buttons side by side. */
const MAX_BUTTONS = 3;
const MAX_BUTTON_LETTERS = 26;

/** Maps and lists of joints have none: they belong to the panel of the selected joint. */
export function hasControl({ kind }: Parameter): boolean {
  return kind.type !== 'number-by-joint' && kind.type !== 'joints';
}

/** Throws for a parameter without a control. */
export function controlFor(parameter: Parameter, options: ControlOptions): Control {
  const { kind } = parameter;
  switch (kind.type) {
    case 'number':
      return numberControl(parameter, kind, options);
    case 'choice':
      return choiceControl(parameter, kind, options);
    case 'toggle':
      return toggleControl(parameter, options);
    case 'transition':
      return transitionControl(parameter, options);
    default:
      throw new Error(`${parameter.path} has no control`);
  }
}

/** The controls of several parameters. */
export interface ControlSet {
  /** The controls of a level, in the order of the schema. */
  elements(level: Parameter['level']): HTMLElement[];
  /** A section that can be opened, with the controls of the level `advanced`. */
  readonly advanced: HTMLElement;
  /** Shows the values, and hides the controls of parameters without effect. */
  show(read: ReadValue): void;
}

/** The controls of those of `parameters` that have one. */
export function controlsFor(
  parameters: readonly Parameter[],
  viewer: Viewer,
  onchange: (parameter: Parameter, value: unknown, settled: boolean) => void,
): ControlSet {
  const controls = parameters.filter(hasControl).map((parameter) => ({
    parameter,
    control: controlFor(parameter, {
      viewer,
      onchange: (value, settled) => onchange(parameter, value, settled),
    }),
  }));
  const elements = (level: Parameter['level']): HTMLElement[] =>
    controls.filter(({ parameter }) => parameter.level === level).map(({ control }) => control.element);
  const hidden = elements('advanced');
  const summary = h('summary', { class: 'label' }, 'Advanced');
  const advanced = h('details', { class: 'advanced' }, summary, h('div', { class: 'stack' }, ...hidden));
  return {
    elements,
    advanced,
    show: (read) => {
      for (const { parameter, control } of controls) {
        control.element.hidden = !isUsed(parameter, read);
        if (!control.element.hidden) control.show(read(parameter.path));
      }
      advanced.hidden = hidden.every((element) => element.hidden);
    },
  };
}

/** The name of a parameter in the history: its label without the symbol. */
export function historyLabel({ label }: Parameter): string {
  return label.replace(/ \(.*\)$/, '').toLowerCase();
}

function numberControl(parameter: Parameter, kind: KindOf<'number'>, options: ControlOptions): Control {
  const { special } = kind;
  // A special value without a number is one step below the slider.
  const below = kind.slider.min - kind.step;
  const toSlider = (value: unknown): number => (value === null ? below : Number(value));
  const fromSlider = (value: number): number | null =>
    special?.value === null && value <= below ? null : clamp(kind, value);
  const control = slider({
    ...numberSlider(parameter),
    fallback: toSlider(parameter.default),
    onchange: (value, settled) => options.onchange(fromSlider(value), settled),
  });
  return { element: control.element, show: (value) => control.set(toSlider(value)) };
}

/** What a slider shows of a number. Throws for other parameters. */
export function numberSlider({
  path,
  label,
  help,
  level,
  kind,
}: Parameter): Omit<SliderOptions, 'fallback' | 'onchange'> {
  if (kind.type !== 'number' && kind.type !== 'number-by-joint') throw new Error(`${path} is no number`);
  const { special, step, ends, unit } = kind;
  const { min, max, scale } = kind.slider;
  const isLog = scale === 'log';
  const hasNone = special?.value === null;
  return {
    label,
    about: help,
    min: isLog ? 0 : hasNone ? min - step : min,
    max,
    step,
    limits: [special || isLog ? 0 : kind.min, kind.max],
    hero: level === 'primary',
    ...(isLog && { least: min }),
    ...(typeof scale === 'object' && { curve: scale.power }),
    ...(special && { zero: special.label }),
    ...(ends && { ends }),
    ...(unit && { unit }),
  };
}

function choiceControl(parameter: Parameter, kind: KindOf<'choice'>, options: ControlOptions): Control {
  const { label, level } = parameter;
  const choices = choicesOf(parameter);
  const letters = choices.reduce((sum, choice) => sum + choice.label.length, 0);
  const isLong = kind.choices.length > MAX_BUTTONS || letters > MAX_BUTTON_LETTERS;
  const make = isLong || level === 'primary' ? list : segmented;
  const control = make({
    label,
    choices,
    explain: level === 'primary',
    onchange: (word) => options.onchange(parse(parameter, word), true),
  });
  control.element.querySelector('.label')?.setAttribute('data-tip', parameter.help);
  return {
    element: control.element,
    show: (value) => control.set(format(parameter, value)),
    limit: (isOffered) => {
      if ('fill' in control) control.fill(choices.filter(({ value }) => isOffered(value)));
    },
  };
}

function toggleControl(parameter: Parameter, options: ControlOptions): Control {
  const control = toggle(parameter.label, (on) => options.onchange(on, true));
  control.element.dataset['tip'] = parameter.help;
  return { element: control.element, show: (value) => control.set(value === true) };
}

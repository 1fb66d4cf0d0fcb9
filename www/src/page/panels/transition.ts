/**
 * The control of a transition: a list of presets with a plot of the curve, and an editor of points.
 */
import type { Parameter } from '../../parameters.ts';
import { CURVE, type CurvePoint, type TransitionPreset } from '../../transition.ts';
import type { Transition } from '../../wasm.ts';
import { h } from '../dom.ts';
import { choicesOf } from '../parameters.ts';
import { list } from '../ui/choice.ts';
import { curvePicture } from '../ui/curve.ts';
import { curveEditor } from '../ui/curve_editor.ts';
import type { Control, ControlOptions } from './control.ts';

/** Samples of a curve in the plot. With fewer, corners are visible. */
const SAMPLES = 49;

/**
 * The first curve of the editor: a little steeper than the cubic, so that choosing it has a visible
 * effect.
 */
const INITIAL: readonly [CurvePoint, CurvePoint] = [
  [0.35, 0.1],
  [0.65, 0.9],
];

export function transitionControl(parameter: Parameter, { viewer, onchange }: ControlOptions): Control {
  let edited: readonly CurvePoint[] = INITIAL;
  const picture = curvePicture();
  const choice = list<TransitionPreset | typeof CURVE>({
    label: parameter.label,
    choices: choicesOf(parameter),
    onchange: (name) => onchange(name === CURVE ? curveOf(edited) : name, true),
  });
  choice.element.classList.add('with-picture');
  choice.element.append(picture.element);
  const editor = curveEditor({
    fallback: INITIAL,
    heights: (points) => viewer.transitionCurve(curveOf(points), SAMPLES),
    onchange: (points, settled) => {
      edited = points;
      onchange(curveOf(points), settled);
    },
  });
  return {
    element: h('div', { class: 'stack tight' }, choice.element, editor.element),
    show: (value) => {
      const transition = value as Transition;
      const isCurve = typeof transition !== 'string';
      choice.set(isCurve ? CURVE : transition);
      picture.set(viewer.transitionCurve(transition, SAMPLES));
      editor.element.hidden = !isCurve;
      if (isCurve) {
        // The editor has two points.
        edited = transition.curve.length === 2 ? transition.curve : INITIAL;
        editor.set(edited);
      }
    },
  };
}

function curveOf(points: readonly CurvePoint[]): Transition {
  return { curve: points.map(([x, y]) => [x, y]) };
}

/** How weights fade across an overlap: a list with a picture of the curve, and an editor for one's own. */
import type { CurvePoint } from '../../transition.ts';
import type { Transition } from '../../wasm.ts';
import { h } from '../dom.ts';
import { TRANSITIONS, type TransitionName } from '../parameters.ts';
import type { Studio } from '../studio.ts';
import { list } from '../ui/choice.ts';
import { curvePicture } from '../ui/curve.ts';
import { curveEditor } from '../ui/curve_editor.ts';

const PATH = 'atlas.transition';

/** As many places as make the curve look smooth. */
const SAMPLES = 49;

/** A little steeper than the paper's own, so that choosing it shows something. */
const OWN: readonly [CurvePoint, CurvePoint] = [
  [0.35, 0.1],
  [0.65, 0.9],
];

export function transitionControl(studio: Studio): {
  readonly element: HTMLElement;
  show(value: unknown): void;
} {
  const { viewer } = studio;
  let own: readonly CurvePoint[] = OWN;
  const picture = curvePicture();
  const set = (transition: Transition, settled = true): void =>
    studio.setParameter(PATH, transition, 'transition', settled);
  const choice = list<TransitionName>({
    label: 'Transition',
    choices: TRANSITIONS,
    onchange: (name) => set(name === 'own' ? curveOf(own) : name),
  });
  choice.element.classList.add('with-picture');
  choice.element.append(picture.element);
  const editor = curveEditor({
    fallback: OWN,
    heights: (points) => viewer.transitionCurve(curveOf(points), SAMPLES),
    onchange: (points, settled) => {
      own = points;
      set(curveOf(points), settled);
    },
  });
  return {
    element: h('div', { class: 'stack tight' }, choice.element, editor.element),
    show: (value) => {
      const transition = value as Transition;
      const isOwn = typeof transition !== 'string';
      choice.set(isOwn ? 'own' : transition);
      picture.set(viewer.transitionCurve(transition, SAMPLES));
      editor.element.hidden = !isOwn;
      if (isOwn) {
        own = transition.curve.length === 2 ? transition.curve : OWN;
        editor.set(own);
      }
    },
  };
}

function curveOf(points: readonly CurvePoint[]): Transition {
  return { curve: points.map(([x, y]) => [x, y]) };
}

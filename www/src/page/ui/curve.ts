/** A curve from (0, 0) to (1, 1) as a small picture. */
import { h } from '../dom.ts';

const NAMESPACE = 'http://www.w3.org/2000/svg';

/** Creates an SVG element. */
export function svg<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Readonly<Record<string, string | number>>,
): SVGElementTagNameMap[K] {
  const element = document.createElementNS(NAMESPACE, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  return element;
}

/** The path through evenly spaced heights, in a box of this size. */
export function pathOf(heights: readonly number[], width: number, height: number): string {
  const last = Math.max(1, heights.length - 1);
  const points = heights.map((y, i) => `${((i / last) * width).toFixed(2)} ${((1 - y) * height).toFixed(2)}`);
  return points.length ? `M${points.join('L')}` : '';
}

export interface CurvePicture {
  readonly element: HTMLElement;
  set(heights: readonly number[]): void;
}

/** Hidden from screen readers: the list beside it has the name of the curve. */
export function curvePicture(): CurvePicture {
  const path = svg('path', { class: 'curve-line' });
  const picture = svg('svg', { viewBox: '-2 -2 32 24', class: 'curve-picture', 'aria-hidden': 'true' });
  picture.append(path);
  return {
    element: h('span', { class: 'curve-box' }, picture as unknown as HTMLElement),
    set: (heights) => path.setAttribute('d', pathOf(heights, 28, 20)),
  };
}

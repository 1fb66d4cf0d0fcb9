import { type Show, Viewer } from '../wasm.ts';

/** Colours of the gradient. Fewer: the bar differs from the colours of the skin. */
const STOPS = 12;

export interface FitLegend {
  readonly title: string;
  /**
   * Error at the far end of the colours, in percent of the character's size; null without colours.
   */
  readonly maxPercent: number | null;
}

export interface LegendState {
  show: Show;
  /** The selected joint. */
  joint: string | null;
  /** Share of the vertices in overlaps; null for methods without regions. */
  overlap: number | null;
  /** Number of vertices in self-intersections; null before they are known. */
  intersecting: number | null;
  /** The painted map is shown instead of the correction map. */
  isPainting: boolean;
  /** Null while no fit is shown. */
  fit: FitLegend | null;
}

/** Draws the meaning of the colours, if they need words. */
export function drawLegend(box: HTMLElement, state: LegendState): void {
  box.hidden = state.show === 'shaded' || state.show === 'regions' || state.show === 'field';
  if (state.show === 'weights') box.replaceChildren(...weights(state.joint));
  if (state.show === 'overlaps') box.replaceChildren(overlaps(state.overlap));
  if (state.show === 'gamma') box.replaceChildren(...(state.isPainting ? paint() : gamma()));
  if (state.show === 'fit') box.replaceChildren(...fit(state.fit));
  if (state.show === 'folds') box.replaceChildren(folds(state.intersecting));
}

function weights(joint: string | null): HTMLElement[] {
  const title = joint === null ? 'Select a joint to see its weights' : `Weight of ${joint}`;
  return ramp(title, 'sequential', ['0', '0.5', '1']);
}

function gamma(): HTMLElement[] {
  return ramp('Volume correction', 'sequential', ['none', 'most']);
}

function paint(): HTMLElement[] {
  return ramp('Painted factor', 'diverging', ['0', '1', '4']);
}

function fit(legend: FitLegend | null): HTMLElement[] {
  const words = legend?.title ?? 'Nothing was fitted yet';
  if (legend?.maxPercent == null)
    return [Object.assign(element('div', 'legend-title'), { textContent: words })];
  const digits = legend.maxPercent < 0.1 ? 3 : legend.maxPercent < 1 ? 2 : 1;
  return ramp(words, 'sequential', ['0', `${legend.maxPercent.toFixed(digits)} % of the diagonal`]);
}

function ramp(words: string, map: 'sequential' | 'diverging', marks: readonly string[]): HTMLElement[] {
  const title = Object.assign(element('div', 'legend-title'), { textContent: words });
  const bar = element('div', 'legend-bar');
  bar.style.background = `linear-gradient(to right, ${Viewer.legend(STOPS, map === 'diverging').join(', ')})`;
  const ends = element('div', 'legend-ends');
  ends.append(...marks.map((text) => Object.assign(element('span', ''), { textContent: text })));
  return [title, bar, ends];
}

function folds(count: number | null): HTMLElement {
  const title = element('div', 'legend-title');
  const words =
    count === null
      ? 'Looking for self-intersections'
      : count === 0
        ? 'No self-intersections'
        : `${count} vertices in self-intersections`;
  title.append(element('span', 'legend-swatch folds'), words);
  return title;
}

function overlaps(share: number | null): HTMLElement {
  const title = element('div', 'legend-title');
  if (share === null) {
    title.textContent = 'This method has no overlapping regions';
    return title;
  }
  title.append(element('span', 'legend-swatch'), `Overlaps: ${Math.round(share * 100)} % of the skin`);
  return title;
}

function element(tag: 'div' | 'span', className: string): HTMLElement {
  const made = document.createElement(tag);
  made.className = className;
  return made;
}

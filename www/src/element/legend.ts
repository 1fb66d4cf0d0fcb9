import { type Show, Viewer } from '../wasm.ts';
import type { FitLegend } from './fit.ts';

/** How many colours make the bar look continuous. */
const STOPS = 12;

export interface LegendState {
  show: Show;
  /** The selected one. */
  joint: string | null;
  /** Which share of the vertices lies in overlaps; null where a method has none. */
  overlap: number | null;
  /** How many vertices lie in folds; null where nobody has looked. */
  folded: number | null;
  /** A map of where flesh gives is being painted, and shown. */
  isPainting: boolean;
  /** What a fit is about; null where none is shown. */
  fit: FitLegend | null;
}

/** What the colours mean, where they need words. */
export function drawLegend(box: HTMLElement, state: LegendState): void {
  box.hidden = state.show === 'shaded' || state.show === 'regions' || state.show === 'field';
  if (state.show === 'weights') box.replaceChildren(...weights(state.joint));
  if (state.show === 'overlaps') box.replaceChildren(overlaps(state.overlap));
  if (state.show === 'gamma') box.replaceChildren(...(state.isPainting ? paint() : gamma()));
  if (state.show === 'fit') box.replaceChildren(...fit(state.fit));
  if (state.show === 'folds') box.replaceChildren(folds(state.folded));
}

function weights(joint: string | null): HTMLElement[] {
  const title = joint === null ? 'Select a joint to see its weights' : `Weight of ${joint}`;
  return ramp(title, 'sequential', ['0', '0.5', '1']);
}

function gamma(): HTMLElement[] {
  return ramp('How much flesh gives', 'sequential', ['none', 'most']);
}

function paint(): HTMLElement[] {
  return ramp('Painted factor', 'diverging', ['0', '1', '4']);
}

function fit(legend: FitLegend | null): HTMLElement[] {
  const words = legend?.title ?? 'Nothing was learned yet';
  if (legend?.most == null) return [Object.assign(element('div', 'legend-title'), { textContent: words })];
  const digits = legend.most < 0.1 ? 3 : legend.most < 1 ? 2 : 1;
  return ramp(words, 'sequential', ['0', `${legend.most.toFixed(digits)} % of its size`]);
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
    count === null ? 'Looking for folds' : count === 0 ? 'No folds' : `${count} vertices in folds`;
  title.append(element('span', 'legend-swatch folds'), words);
  return title;
}

function overlaps(share: number | null): HTMLElement {
  const title = element('div', 'legend-title');
  if (share === null) {
    title.textContent = 'This method has no regions that overlap';
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

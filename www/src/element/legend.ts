import { type Show, Viewer } from '../wasm.ts';

/** How many colours make the bar look continuous. */
const STOPS = 12;

export interface LegendState {
  show: Show;
  /** The selected one. */
  joint: string | null;
  /** Which share of the vertices lies in overlaps; null where a method has none. */
  overlap: number | null;
}

/** What the colours mean, where they need words. */
export function drawLegend(box: HTMLElement, state: LegendState): void {
  box.hidden = state.show !== 'weights' && state.show !== 'overlaps';
  if (state.show === 'weights') box.replaceChildren(...weights(state.joint));
  if (state.show === 'overlaps') box.replaceChildren(overlaps(state.overlap));
}

function weights(joint: string | null): HTMLElement[] {
  const title = element('div', 'legend-title');
  title.textContent = joint === null ? 'Select a joint to see its weights' : `Weight of ${joint}`;
  const bar = element('div', 'legend-bar');
  bar.style.background = `linear-gradient(to right, ${Viewer.legend(STOPS).join(', ')})`;
  const ends = element('div', 'legend-ends');
  ends.append(...['0', '0.5', '1'].map((text) => Object.assign(element('span', ''), { textContent: text })));
  return [title, bar, ends];
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

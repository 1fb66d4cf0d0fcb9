import { Viewer } from '../wasm.ts';

/** How many colours make the bar look continuous. */
const STOPS = 12;

/** What the colours of `show="weights"` mean. */
export function drawLegend(box: HTMLElement, isShown: boolean, joint: string | null): void {
  box.hidden = !isShown;
  if (!isShown) return;
  const title = document.createElement('div');
  title.className = 'legend-title';
  title.textContent = joint === null ? 'Select a joint to see its weights' : `Weight of ${joint}`;
  const bar = document.createElement('div');
  bar.className = 'legend-bar';
  bar.style.background = `linear-gradient(to right, ${Viewer.legend(STOPS).join(', ')})`;
  const ends = document.createElement('div');
  ends.className = 'legend-ends';
  ends.append(
    ...['0', '0.5', '1'].map((text) => Object.assign(document.createElement('span'), { textContent: text })),
  );
  box.replaceChildren(title, bar, ends);
}

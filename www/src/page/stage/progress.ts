/** What is being worked on, how far it is, and a way out. */
import { h } from '../dom.ts';
import type { Studio } from '../studio.ts';
import { button } from '../ui/button.ts';
import { listen } from '../viewer.ts';

/** Work done sooner than this is not worth a flicker. */
const PATIENCE_MS = 180;

/** How often to look whether the work is over; the events that end it can be several. */
const LOOK_MS = 60;

export function progress({ viewer }: Studio, oncancel: () => void): HTMLElement {
  const stage = h('span', { class: 'progress-stage' });
  const percent = h('span', { class: 'progress-percent', 'aria-hidden': 'true' });
  const bar = h('div', {
    class: 'progress-bar',
    role: 'progressbar',
    'aria-label': 'Progress',
    'aria-valuemin': 0,
    'aria-valuemax': 100,
  });
  const cancel = button({ label: 'Cancel', keys: 'Esc', onclick: oncancel });
  const element = h(
    'div',
    { class: 'progress floating', hidden: true },
    h('div', { class: 'progress-text' }, stage, percent),
    bar,
    cancel,
  );
  let watching = 0;
  let since = 0;

  const show = (share: number, name: string): void => {
    const whole = Math.round(share * 100);
    if (stage.textContent !== name) stage.textContent = name;
    // What was learned so far stays, so nothing is called off.
    const word = viewer.fitProgress?.length ? 'Stop' : 'Cancel';
    const said = cancel.querySelector('.button-label');
    if (said && said.textContent !== word) said.textContent = word;
    percent.textContent = `${whole} %`;
    bar.setAttribute('aria-valuenow', String(whole));
    bar.style.setProperty('--share', String(share));
  };
  const stop = (): void => {
    clearInterval(watching);
    watching = 0;
    element.hidden = true;
  };
  const look = (): void => {
    if (!viewer.busy) {
      stop();
    } else if (performance.now() - since > PATIENCE_MS) {
      element.hidden = false;
    }
  };
  listen(viewer, 'progress', ({ totalProgress, stage: name }) => {
    show(totalProgress, name);
    if (totalProgress >= 1) return stop();
    if (watching) return;
    since = performance.now();
    watching = window.setInterval(look, LOOK_MS);
  });
  return element;
}

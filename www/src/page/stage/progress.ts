/** The current stage of a run, its progress, and a button that cancels it. */
import { h } from '../dom.ts';
import type { Studio } from '../studio.ts';
import { button } from '../ui/button.ts';
import { listen } from '../viewer.ts';

/**
 * Runs shorter than this show no progress, so that it does not flicker; nor do runs that report
 * none, like changes of K.
 */
const DELAY_MS = 180;

export function progress({ viewer, state }: Studio, oncancel: () => void): HTMLElement {
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
  let waiting = 0;
  let hasReported = false;
  let isOverdue = false;

  const update = (): void => {
    element.hidden = !(hasReported && isOverdue);
  };
  const show = (share: number, name: string): void => {
    const whole = Math.round(share * 100);
    if (stage.textContent !== name) stage.textContent = name;
    // A fit keeps the weights found so far, so it is stopped, not cancelled.
    const word = viewer.fitProgress?.length ? 'Stop' : 'Cancel';
    const said = cancel.querySelector('.button-label');
    if (said && said.textContent !== word) said.textContent = word;
    percent.textContent = `${whole} %`;
    bar.setAttribute('aria-valuenow', String(whole));
    bar.style.setProperty('--share', String(share));
  };
  state.follow(['busy'], ({ busy }) => {
    if (!busy) {
      clearTimeout(waiting);
      waiting = 0;
      hasReported = false;
      isOverdue = false;
      update();
    } else if (!waiting) {
      waiting = window.setTimeout(() => {
        isOverdue = viewer.busy;
        update();
      }, DELAY_MS);
    }
  });
  listen(viewer, 'progress', ({ totalProgress, stage: name }) => {
    show(totalProgress, name);
    hasReported = viewer.busy;
    update();
  });
  return element;
}

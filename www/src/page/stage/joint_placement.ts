/** The mode in which joints are moved instead of turned. */
import { h } from '../dom.ts';
import { icon } from '../icons.ts';
import type { Studio } from '../studio.ts';
import { button } from '../ui/button.ts';
import { toggle } from '../ui/toggle.ts';
import { listen } from '../viewer.ts';

export interface Placing {
  readonly element: HTMLElement;
  readonly active: boolean;
  start(): void;
  stop(): void;
  /** Called after every start and stop. */
  watch(listener: () => void): void;
}

export function placing({ viewer }: Studio): Placing {
  const listeners: (() => void)[] = [];
  const mirror = toggle('Mirror', (on) => {
    viewer.mirrorJoints = on;
  });
  const done = button({ label: 'Done', kind: 'primary', onclick: () => stop() });
  const element = h(
    'section',
    { class: 'placing', 'aria-label': 'Place joints', hidden: true },
    icon('move'),
    h(
      'p',
      {},
      h('strong', {}, 'Place joints'),
      h('span', { class: 'placing-hint' }, 'Drag them to where the body bends'),
    ),
    mirror.element,
    done,
  );
  const set = (on: boolean): void => {
    if (viewer.placingJoints === on && element.hidden === !on) return;
    if (on && !viewer.paused) viewer.pause();
    viewer.placingJoints = on;
    mirror.set(viewer.mirrorJoints);
    element.hidden = !on;
    for (const listener of listeners) listener();
  };
  const stop = (): void => set(false);
  listen(viewer, 'load', stop);
  return {
    element,
    get active() {
      return !element.hidden;
    },
    start: () => {
      viewer.mirrorJoints = true;
      set(true);
      done.focus();
    },
    stop,
    watch: (listener) => listeners.push(listener),
  };
}

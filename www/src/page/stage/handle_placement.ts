/** The mode in which clicks on the skin place handles. */
import { h } from '../dom.ts';
import { icon } from '../icons.ts';
import type { Studio } from '../studio.ts';
import { button } from '../ui/button.ts';
import { follow, listen } from '../viewer.ts';

export interface Handling {
  readonly element: HTMLElement;
  readonly active: boolean;
  start(): void;
  stop(): void;
  toggle(): void;
  /** Called after every start and stop. */
  watch(listener: () => void): void;
}

export function handling({ viewer, handles, examples }: Studio): Handling {
  const listeners: (() => void)[] = [];
  const touch = matchMedia('(pointer: coarse)').matches;
  const words = h('span', { class: 'placing-hint' });
  const free = button({ label: 'Let go', onclick: () => handles.letGo() });
  const done = button({ label: 'Done', kind: 'primary', onclick: () => set(false) });
  const element = h(
    'section',
    { class: 'placing handling', 'aria-label': 'Place handles', hidden: true },
    icon('handle'),
    h('p', {}, h('strong', {}, 'Handles'), words),
    free,
    done,
  );
  const sync = (): void => {
    const count = viewer.handles.length;
    const press = touch ? 'Tap' : 'Click';
    words.textContent =
      count === 0
        ? `${press} the skin where you want to hold it`
        : count === 1
          ? `${press} once more, then drag one: the other holds on`
          : `Drag one and the body follows. ${touch ? 'Two taps let' : 'Double-click lets'} it go`;
    free.hidden = Object.keys(viewer.handleTargets).length === 0;
  };
  const set = (on: boolean): void => {
    if (viewer.placingHandles === on && element.hidden === !on) return;
    if (on) {
      viewer.placingJoints = false;
      viewer.volumeBrush = null;
      examples.hideFit();
    }
    viewer.placingHandles = on;
    element.hidden = !on;
    sync();
    for (const listener of listeners) listener();
  };
  listen(viewer, 'load', () => set(false));
  follow(viewer, ['handle-change', 'rig-complete'], sync);
  return {
    element,
    get active() {
      return !element.hidden;
    },
    start: () => set(true),
    stop: () => set(false),
    toggle: () => set(!viewer.placingHandles),
    watch: (listener) => listeners.push(listener),
  };
}

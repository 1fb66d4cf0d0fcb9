/** The mode in which the map of where flesh gives is painted. */

import { OPTIONS } from '../../options.ts';
import type { BrushMode, Show } from '../../wasm.ts';
import { h } from '../dom.ts';
import { icon } from '../icons.ts';
import { BRUSH_MODES } from '../parameters.ts';
import type { Studio } from '../studio.ts';
import { button } from '../ui/button.ts';
import { segmented } from '../ui/choice.ts';
import { listen } from '../viewer.ts';

export type Brush = typeof OPTIONS.brush;

export interface Painting {
  readonly element: HTMLElement;
  readonly active: boolean;
  readonly brush: Brush;
  /** Another brush; painting goes on with it, or will begin with it. */
  set(change: Partial<Brush>): void;
  start(): void;
  stop(): void;
  /** Called after every start, stop and change of the brush. */
  watch(listener: () => void): void;
}

export function painting({ viewer, postSkinning }: Studio): Painting {
  const listeners: (() => void)[] = [];
  let brush: Brush = { ...OPTIONS.brush };
  /** What was shown before. */
  let before: { show: Show; bones: 'shown' | 'hidden' } | null = null;
  const modes = segmented<BrushMode>({
    label: 'Brush',
    bare: true,
    choices: BRUSH_MODES,
    onchange: (mode) => set({ mode }),
  });
  const done = button({ label: 'Done', kind: 'primary', onclick: () => stop() });
  const element = h(
    'section',
    { class: 'placing painting', 'aria-label': 'Paint where flesh gives', hidden: true },
    icon('brush'),
    h('p', {}, h('strong', {}, 'Paint'), h('span', { class: 'placing-hint' }, 'Drag over the skin')),
    modes.element,
    done,
  );
  const tell = (): void => {
    for (const listener of listeners) listener();
  };
  const set = (change: Partial<Brush>): void => {
    brush = { ...brush, ...change };
    modes.set(brush.mode);
    if (before) viewer.volumeBrush = brush;
    tell();
  };
  const start = (): void => {
    if (before) return;
    if (!viewer.paused) viewer.pause();
    before = { show: viewer.show, bones: viewer.bones };
    viewer.placingJoints = false;
    viewer.show = 'gamma';
    viewer.bones = 'hidden';
    viewer.volumeBrush = brush;
    modes.set(brush.mode);
    element.hidden = false;
    tell();
  };
  const stop = (): void => {
    if (!before) return;
    viewer.volumeBrush = null;
    viewer.show = before.show;
    viewer.bones = before.bones;
    before = null;
    element.hidden = true;
    tell();
  };
  listen(viewer, 'load', stop);
  const leave = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape' || !before || viewer.busy) return;
    event.preventDefault();
    event.stopPropagation();
    stop();
  };
  // Before the picture hears of it and lets go of the selected joint: whoever paints means the brush.
  viewer.addEventListener('keydown', leave, { capture: true });
  postSkinning.watch(() => postSkinning.state.volume === 'off' && stop());
  return {
    element,
    get active() {
      return before !== null;
    },
    get brush() {
      return brush;
    },
    set,
    start,
    stop,
    watch: (listener) => listeners.push(listener),
  };
}

/** The brush that paints where flesh gives: how large and how strong it is, and what it has painted. */
import { h } from '../dom.ts';
import type { Painting } from '../stage/painting.ts';
import type { Studio } from '../studio.ts';
import { button } from '../ui/button.ts';
import { slider } from '../ui/slider.ts';
import { toggle } from '../ui/toggle.ts';
import { follow } from '../viewer.ts';

export function brushControls({ viewer, postSkinning }: Studio, painting: Painting): HTMLElement {
  const paint = button({
    label: 'Paint where flesh gives',
    icon: 'brush',
    class: 'paint-button',
    onclick: () => (painting.active ? painting.stop() : painting.start()),
  });
  const clear = button({
    label: 'Clear paint',
    icon: 'reset',
    bare: true,
    onclick: () => postSkinning.clearMap(),
  });
  const usual = painting.brush;
  const size = slider({
    label: 'Size',
    spoken: 'Brush size',
    min: 1,
    max: 30,
    step: 0.5,
    curve: 2,
    unit: '%',
    fallback: usual.size * 100,
    onchange: (value) => painting.set({ size: value / 100 }),
  });
  const strength = slider({
    label: 'Strength',
    spoken: 'Brush strength',
    min: 0.05,
    max: 1,
    step: 0.05,
    fallback: usual.strength,
    onchange: (value) => painting.set({ strength: value }),
  });
  const symmetric = toggle('Paint both sides', (on) => painting.set({ symmetric: on }));
  const settings = h(
    'div',
    { class: 'stack tight', hidden: true },
    size.element,
    strength.element,
    symmetric.element,
  );
  const sync = (): void => {
    const { active, brush } = painting;
    paint.setAttribute('aria-pressed', String(active));
    settings.hidden = !active;
    size.set(brush.size * 100);
    strength.set(brush.strength);
    symmetric.set(brush.symmetric);
    clear.hidden = viewer.volumeMap === null;
  };
  painting.watch(sync);
  postSkinning.watch(sync);
  follow(viewer, ['load', 'volume-map-change'], sync);
  return h('div', { class: 'stack tight' }, h('div', { class: 'paint-row' }, paint, clear), settings);
}

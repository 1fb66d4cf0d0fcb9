/** The brush for the correction map: size, strength, symmetry, and clearing the paint. */
import { h } from '../dom.ts';
import type { Studio } from '../studio.ts';
import { button } from '../ui/button.ts';
import { slider } from '../ui/slider.ts';
import { toggle } from '../ui/toggle.ts';

export function brushControls({ state, tools, postSkinning }: Studio): HTMLElement {
  const paint = button({
    label: 'Paint correction',
    icon: 'brush',
    class: 'paint-button',
    keys: 'P',
    onclick: () => tools.toggle('paint'),
  });
  const clear = button({
    label: 'Clear paint',
    icon: 'reset',
    bare: true,
    onclick: () => postSkinning.clearMap(),
  });
  const { size: usualSize = 0, strength: usualStrength = 0 } = state.now.brush;
  const size = slider({
    label: 'Size',
    spoken: 'Brush size',
    min: 1,
    max: 30,
    step: 0.5,
    curve: 2,
    unit: '%',
    fallback: usualSize * 100,
    onchange: (value) => tools.setBrush({ size: value / 100 }),
  });
  const strength = slider({
    label: 'Strength',
    spoken: 'Brush strength',
    min: 0.05,
    max: 1,
    step: 0.05,
    fallback: usualStrength,
    onchange: (value) => tools.setBrush({ strength: value }),
  });
  const symmetric = toggle('Paint both sides', (on) => tools.setBrush({ symmetric: on }));
  const settings = h(
    'div',
    { class: 'stack tight', hidden: true },
    size.element,
    strength.element,
    symmetric.element,
  );
  state.follow(['tool', 'brush', 'volumeMap', 'model'], ({ tool, brush, volumeMap }) => {
    paint.setAttribute('aria-pressed', String(tool === 'paint'));
    settings.hidden = tool !== 'paint';
    size.set((brush.size ?? usualSize) * 100);
    strength.set(brush.strength ?? usualStrength);
    symmetric.set(brush.symmetric ?? false);
    clear.hidden = volumeMap === null;
  });
  return h('div', { class: 'stack tight' }, h('div', { class: 'paint-row' }, paint, clear), settings);
}

/** How much volume the pose costs and how much of that is left: in figures now, and as a plot over the clip. */
import type { VolumeSample } from '../../element/api.ts';
import type { VolumeStats } from '../../wasm.ts';
import { h, oncePerFrame } from '../dom.ts';
import { icon } from '../icons.ts';
import { sentence } from '../model.ts';
import type { Studio } from '../studio.ts';
import { plot } from '../ui/plot.ts';
import { listen } from '../viewer.ts';

/** What is being changed is not worth sampling yet. */
const PAUSE_MS = 350;

interface Volumes {
  readonly rest: number;
  readonly skinned: number;
  readonly corrected: number;
  /** What neighbours gave a part through their common border: neither lost nor to be made good. */
  readonly interfaceFlux?: number;
}

export function volumeReadout(studio: Studio): HTMLElement {
  const { viewer, postSkinning } = studio;
  const whole = row('Whole');
  const part = row('');
  const curve = plot();
  const notes = h('ul', { class: 'warnings', hidden: true });
  const caption = h('figcaption', { class: 'plot-caption' });
  const figure = h('figure', { class: 'volume-plot', hidden: true }, curve.element, caption);
  const element = h(
    'div',
    { class: 'stack tight readout' },
    h(
      'div',
      { class: 'readout-grid', role: 'table', 'aria-label': 'Change of volume' },
      h(
        'div',
        { class: 'readout-row readout-head', role: 'row' },
        h('span', { role: 'columnheader' }, 'Change of volume'),
        h('span', { role: 'columnheader' }, 'Skinned'),
        h('span', { role: 'columnheader' }, 'Kept'),
      ),
      whole.element,
      part.element,
    ),
    figure,
    notes,
  );
  let listed = '';
  let samples: readonly VolumeSample[] = [];

  const show = (): void => {
    const figures = viewer.volumeStats;
    const joint = viewer.selectedJoint;
    const segment = joint === null ? undefined : segmentOf(figures, joint);
    whole.set(figures ?? undefined);
    part.element.hidden = joint === null || (figures !== null && !segment);
    part.name.textContent = joint ?? '';
    part.set(segment);
    warn(figures?.warnings.map(({ message }) => sentence(message)) ?? []);
  };
  // Figures come many times a second; what is odd about a mesh stays the same.
  const warn = (found: readonly string[]): void => {
    if (found.join('\n') === listed) return;
    listed = found.join('\n');
    notes.hidden = found.length === 0;
    notes.replaceChildren(...found.map((text) => h('li', {}, icon('warning'), h('span', {}, text))));
  };
  const draw = (): void => {
    const joint = viewer.selectedJoint;
    const volumes = samples.map(({ stats }) => (joint && segmentOf(stats, joint)) || stats);
    const isPart =
      joint !== null && samples[0] !== undefined && segmentOf(samples[0].stats, joint) !== undefined;
    figure.hidden = samples.length === 0;
    curve.set(
      volumes.map((each) => change(each, 'skinned')),
      volumes.map((each) => change(each, 'corrected')),
    );
    caption.textContent = `${isPart ? joint : 'Whole'} over ${viewer.animationName ?? 'the clip'}`;
    move();
  };
  const move = (): void => curve.at(viewer.duration > 0 ? viewer.currentTime / viewer.duration : null);

  let asked = new AbortController();
  let pause = 0;
  const sample = async (): Promise<void> => {
    asked.abort();
    asked = new AbortController();
    try {
      ({ samples } = await viewer.sampleVolume({ signal: asked.signal }));
      figure.classList.remove('outdated');
      draw();
    } catch {
      // Something newer is being sampled.
    }
  };
  const sampleSoon = (): void => {
    figure.classList.add('outdated');
    clearTimeout(pause);
    pause = window.setTimeout(() => void sample(), PAUSE_MS);
  };
  let clip: string | null = null;
  const followClip = (): void => {
    if (clip !== viewer.animationName) sampleSoon();
    clip = viewer.animationName;
    later();
  };
  const later = oncePerFrame(move);
  listen(viewer, 'volume', show);
  listen(viewer, 'select', () => {
    show();
    draw();
  });
  listen(viewer, 'load', () => {
    samples = [];
    draw();
  });
  listen(viewer, 'rig-complete', sampleSoon);
  listen(viewer, 'volume-map-change', ({ final }) => final && sampleSoon());
  listen(viewer, 'time-update', followClip);
  postSkinning.watch(sampleSoon);
  show();
  return element;
}

function segmentOf(figures: VolumeStats | null, joint: string): Volumes | undefined {
  return figures?.segments.find(({ bone }) => bone === joint);
}

/** In percent, less is negative. */
function change(volumes: Volumes, stage: 'skinned' | 'corrected'): number {
  const { rest, interfaceFlux = 0 } = volumes;
  return rest === 0 ? 0 : (100 * (volumes[stage] - interfaceFlux - rest)) / Math.abs(rest);
}

function row(label: string): {
  readonly element: HTMLElement;
  readonly name: HTMLElement;
  set(volumes: Volumes | undefined): void;
} {
  const name = h('span', { class: 'readout-name', role: 'rowheader' }, label);
  const skinned = h('span', { class: 'readout-skinned', role: 'cell' });
  const corrected = h('span', { class: 'readout-corrected', role: 'cell' });
  return {
    element: h('div', { class: 'readout-row', role: 'row' }, name, skinned, corrected),
    name,
    set: (volumes) => {
      skinned.textContent = volumes ? percent(change(volumes, 'skinned')) : '–';
      corrected.textContent = volumes ? percent(change(volumes, 'corrected')) : '–';
    },
  };
}

function percent(value: number): string {
  const text = Math.abs(value).toFixed(2);
  const sign = text === '0.00' ? '' : value < 0 ? '−' : '+';
  return `${sign}${text} %`;
}

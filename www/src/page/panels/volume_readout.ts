/** Change of volume by the pose, skinned and corrected: as numbers, and as a plot over the clip. */
import type { VolumeSample } from '../../element/api.ts';
import type { VolumeStats } from '../../wasm.ts';
import { h } from '../dom.ts';
import { icon } from '../icons.ts';
import { jointLabel, sentence } from '../model.ts';
import type { StudioState } from '../state.ts';
import type { Studio } from '../studio.ts';
import { plot } from '../ui/plot.ts';
import { listen } from '../viewer.ts';

/** Samples of the coarse plot that long clips get first. */
const COARSE_SAMPLES = 30;

/** Clips longer than this, in seconds, get a coarse plot first. */
const LONG_CLIP = 3;

/** Sampling begins this long after the last change of a setting. */
const PAUSE_MS = 350;

interface Volumes {
  readonly rest: number;
  readonly skinned: number;
  readonly corrected: number;
  /** Volume that flowed in from neighbouring segments, as part of `corrected`. */
  readonly interfaceFlux?: number;
}

export function volumeReadout(studio: Studio): HTMLElement {
  const { viewer, state } = studio;
  const whole = row('Whole body');
  const part = row('');
  const exchange = row('From its neighbours');
  const curve = plot('Change of volume');
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
        h('span', { role: 'columnheader' }, 'Corrected'),
      ),
      whole.element,
      part.element,
      exchange.element,
    ),
    figure,
    notes,
  );
  let listed = '';
  let samples: readonly VolumeSample[] = [];
  /** Samples per second. */
  let rate = 0;

  state.follow(['volumeStats', 'selectedJoint', 'model'], (now) => {
    const { volumeStats: stats, selectedJoint: joint, model } = now;
    const segment = joint === null ? undefined : segmentOf(stats, joint);
    whole.set(stats ?? undefined);
    part.element.hidden = joint === null || (stats !== null && !segment);
    part.name.textContent = joint === null ? '' : jointLabel(model, joint);
    part.set(segment);
    exchange.element.hidden = !segment?.interfaceFlux;
    exchange.show(segment?.interfaceFlux && (100 * segment.interfaceFlux) / Math.abs(segment.rest));
    warn(stats?.warnings.map(({ message }) => sentence(message)) ?? []);
  });
  // Statistics arrive many times a second, but the warnings of a mesh stay the same.
  function warn(found: readonly string[]): void {
    if (found.join('\n') === listed) return;
    listed = found.join('\n');
    notes.hidden = found.length === 0;
    notes.replaceChildren(...found.map((text) => h('li', {}, icon('warning'), h('span', {}, text))));
  }
  const draw = ({ selectedJoint: joint, model, playback }: StudioState): void => {
    const first = samples[0]?.stats ?? null;
    const isPart = joint !== null && segmentOf(first, joint) !== undefined;
    const volumes = samples.map(({ stats }) => (joint && segmentOf(stats, joint)) || stats);
    figure.hidden = samples.length === 0;
    curve.set(
      volumes.map((each) => change(each, 'skinned')),
      volumes.map((each) => change(each, 'corrected')),
      playback.duration,
    );
    const name = isPart && joint ? jointLabel(model, joint) : 'Whole body';
    caption.textContent = `${name}, ${playback.clip ?? 'clip'}. ${sampling(samples.length, rate)}`;
  };

  let asked = new AbortController();
  let pause = 0;
  const sample = async (): Promise<void> => {
    asked.abort();
    asked = new AbortController();
    const { signal } = asked;
    const { duration } = viewer;
    // Without a rate, the element takes one sample per frame.
    const passes = duration > LONG_CLIP ? [{ framesPerSecond: COARSE_SAMPLES / duration }, {}] : [{}];
    try {
      for (const [i, pass] of passes.entries()) {
        ({ samples, framesPerSecond: rate } = await viewer.sampleVolume({ ...pass, signal }));
        figure.classList.toggle('outdated', i + 1 < passes.length);
        draw(state.now);
      }
    } catch {
      // A newer request has replaced this one.
    }
  };
  const sampleSoon = (): void => {
    asked.abort();
    figure.classList.add('outdated');
    clearTimeout(pause);
    pause = window.setTimeout(() => void sample(), PAUSE_MS);
  };
  listen(viewer, 'load', () => {
    samples = [];
    draw(state.now);
  });
  listen(viewer, 'volume-map-change', ({ final }) => final && sampleSoon());
  state.follow(['selectedJoint'], draw);
  state.follow(['report', 'postSkinning', 'deformer'], sampleSoon);
  let clip: string | null = null;
  state.follow(['playback'], ({ playback }) => {
    const { duration, currentTime } = playback;
    if (clip !== playback.clip) sampleSoon();
    clip = playback.clip;
    curve.at(duration > 0 ? currentTime / duration : null);
  });
  return element;
}

/** How the clip was sampled: the largest value of the plot is the largest of these samples. */
function sampling(count: number, rate: number): string {
  return `${count} samples, ${rate < 10 ? rate.toFixed(1) : Math.round(rate)} per second`;
}

function segmentOf(stats: VolumeStats | null, joint: string): Volumes | undefined {
  return stats?.segments.find(({ bone }) => bone === joint);
}

/** Change against the rest pose, in percent. */
function change(volumes: Volumes, stage: 'skinned' | 'corrected'): number {
  const { rest } = volumes;
  return rest === 0 ? 0 : (100 * (volumes[stage] - rest)) / Math.abs(rest);
}

function row(label: string): {
  readonly element: HTMLElement;
  readonly name: HTMLElement;
  set(volumes: Volumes | undefined): void;
  /** Shows a number in percent under `Corrected` alone. */
  show(value: number | undefined): void;
} {
  const name = h('span', { class: 'readout-name', role: 'rowheader' }, label);
  const skinned = h('span', { class: 'readout-skinned', role: 'cell' });
  const corrected = h('span', { class: 'readout-corrected', role: 'cell' });
  return {
    element: h('div', { class: 'readout-row', role: 'row' }, name, skinned, corrected),
    name,
    show: (value) => {
      corrected.textContent = value === undefined ? '–' : percent(value);
    },
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

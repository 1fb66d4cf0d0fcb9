/** The example poses, the progress of the fit, and its error. */
import type { FitChoice } from '../../element/api.ts';
import type { ExampleFitReport } from '../../wasm.ts';
import { h, oncePerFrame } from '../dom.ts';
import { choose } from '../files.ts';
import { EXTENSIONS } from '../formats.ts';
import { icon } from '../icons.ts';
import type { StudioState } from '../state.ts';
import type { Studio } from '../studio.ts';
import { button } from '../ui/button.ts';
import { segmented } from '../ui/choice.ts';
import { energyPlot } from '../ui/energy_plot.ts';
import { listen } from '../viewer.ts';
import { FIT_STAGES } from '../words.ts';
import { exampleCards } from './example_cards.ts';

export function examples(studio: Studio): HTMLElement {
  const { viewer, state } = studio;
  const settings = studio.examples;
  const addFiles = async (): Promise<void> => {
    const files = await choose({ accept: EXTENSIONS.poses });
    if (files.length) await settings.add({ kind: 'files', files });
  };
  const sources = (isFirst: boolean): HTMLElement[] => [
    button({ label: isFirst ? 'Choose files…' : 'Files…', icon: 'folder', onclick: () => void addFiles() }),
    button({
      label: 'Frames',
      icon: 'play',
      class: 'from-clip',
      onclick: () => void settings.add({ kind: 'clip' }),
    }),
    button({
      label: isFirst ? 'Use morph targets' : 'Targets',
      icon: 'pose',
      class: 'from-targets',
      onclick: () => void settings.add({ kind: 'morph-targets' }),
    }),
  ];
  const count = h('span', { class: 'count tray-count' });
  const clear = button({
    label: 'Remove all examples',
    icon: 'close',
    bare: true,
    class: 'mini',
    onclick: () => settings.clear(),
  });
  const cards = exampleCards(studio);
  const empty = h(
    'div',
    { class: 'tray-empty' },
    h('span', { class: 'tray-icon' }, icon('pose')),
    h('p', { class: 'tray-title' }, 'Drop poses of this character here'),
    h(
      'p',
      { class: 'tray-about' },
      'The same mesh in other shapes: OBJ, PLY, STL or GLB, or a GLB with a clip',
    ),
    h('div', { class: 'tray-sources' }, ...sources(true)),
  );
  const more = h(
    'div',
    { class: 'tray-sources tray-more', role: 'group', 'aria-label': 'Add examples' },
    ...sources(false),
  );
  const compute = button({
    label: 'Compute weights',
    kind: 'primary',
    class: 'compute',
    // Failures are reported by the error event of the element.
    onclick: () => void viewer.rig().catch(() => {}),
  });

  const plot = energyPlot();
  const status = h('p', { class: 'fit-status', role: 'status' });
  const stop = button({ label: 'Stop', icon: 'stop', class: 'stop', onclick: () => viewer.stopFitting() });
  stop.dataset['tip'] = 'Keeps the weights found so far';
  const progress = h(
    'div',
    { class: 'fit-progress', hidden: true },
    h('div', { class: 'fit-head' }, status, stop),
    plot.element,
  );
  const fit = segmented<FitChoice['stage']>({
    label: 'Show',
    choices: FIT_STAGES,
    onchange: (stage) => settings.showFit({ example: viewer.fit?.example ?? 0, stage }),
  });

  let rms: number | null = null;
  /** The stage before the first iteration. */
  let stage = '';
  const say = (text: string): void => {
    if (status.textContent !== text) status.textContent = text;
  };
  const showFitProgress = (): void => {
    const { fitProgress: now, report, examples } = viewer;
    const then = report?.exampleFit;
    const isRunning = now !== null && viewer.busy;
    const energy = now?.length ? now : isRunning ? [] : (then?.energy ?? []);
    progress.hidden = !isRunning && energy.length === 0;
    stop.hidden = !isRunning;
    // The old plot stays until there is a new one, so that controls below do not move.
    if (energy.length || !isRunning) plot.set(energy);
    if (isRunning && (rms === null || energy.length === 0)) say(stage || 'Preparing');
    else if (isRunning) say(`RMS error ${percent(rms ?? 0)} of the diagonal, iteration ${energy.length - 1}`);
    else if (then) say(errors(then));
    compute.hidden = isRunning || viewer.busy || then !== null || !examples.some(({ chosen }) => chosen);
  };
  const later = oncePerFrame(showFitProgress);
  const sync = ({ examples, playback, model, show, fit: shown }: StudioState): void => {
    const { animations } = playback;
    const chosen = examples.filter((example) => example.chosen).length;
    const isEmpty = examples.length === 0;
    count.textContent = isEmpty
      ? ''
      : chosen === examples.length
        ? `${chosen}`
        : `${chosen} of ${examples.length}`;
    clear.hidden = isEmpty;
    empty.hidden = !isEmpty;
    more.hidden = isEmpty;
    for (const each of element.querySelectorAll<HTMLElement>('.from-clip')) {
      each.hidden = animations.length === 0;
      const label = each.querySelector('.button-label');
      const clip = `frames of “${playback.clip ?? animations[0] ?? ''}”`;
      if (label && empty.contains(each)) label.textContent = `Use ${clip}`;
      else each.dataset['tip'] = `Add ${clip}`;
    }
    for (const each of element.querySelectorAll<HTMLElement>('.from-targets')) {
      each.hidden = !model?.morphTargets;
    }
    fit.element.hidden = show !== 'fit' || isEmpty;
    if (shown) fit.set(shown.stage);
    cards.sync();
    showFitProgress();
  };
  const element = h(
    'div',
    { class: 'tray', role: 'group', 'aria-label': 'Examples' },
    h('div', { class: 'tray-head' }, h('span', { class: 'label' }, 'Examples'), count, clear),
    empty,
    cards.element,
    more,
    compute,
    progress,
    fit.element,
  );
  listen(viewer, 'fit-progress', (told) => {
    rms = told.rms;
    later();
  });
  listen(viewer, 'progress', (told) => {
    // At the end, the stage belongs to another task.
    stage = told.totalProgress < 1 ? told.stage : '';
    if (!viewer.fitProgress?.length) rms = null;
    later();
  });
  state.follow(['examples', 'model', 'report', 'show', 'fit'], sync);
  // The time of the clip does not matter, only which clips there are.
  let clips = '';
  state.follow(['playback'], (now) => {
    const { clip, animations } = now.playback;
    if (clips !== JSON.stringify([clip, animations])) sync(now);
    clips = JSON.stringify([clip, animations]);
  });
  state.follow(['busy', 'fitProgress'], later);
  return element;
}

/** The errors of a fit in a sentence. */
function errors({ rms: [before, after], rigidRms }: ExampleFitReport): string {
  const rigid = rigidRms === null ? '' : `; ${percent(rigidRms)} if joints only turn and move`;
  return `RMS error ${percent(after)} of the diagonal, ${percent(before)} before${rigid}`;
}

/** A share of the diagonal of the bounding box, in percent. */
export function percent(share: number): string {
  const value = 100 * share;
  return value < 5e-4 ? '0 %' : `${value.toFixed(value < 0.1 ? 3 : value < 1 ? 2 : 1)} %`;
}

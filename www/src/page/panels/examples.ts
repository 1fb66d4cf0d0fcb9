/** The tray of poses to learn from, how learning goes, and how well each pose is met. */
import type { FitChoice } from '../../element/api.ts';
import { h, oncePerFrame } from '../dom.ts';
import { choose } from '../files.ts';
import { icon } from '../icons.ts';
import { FIT_STAGES } from '../parameters.ts';
import type { Studio } from '../studio.ts';
import { button } from '../ui/button.ts';
import { segmented } from '../ui/choice.ts';
import { energyPlot } from '../ui/energy_plot.ts';
import { follow, listen } from '../viewer.ts';
import { exampleCards } from './example_cards.ts';

const POSE_FILES = ['.glb', '.gltf', '.bin', '.obj', '.mtl', '.ply', '.stl'];

/** How often to look whether learning is over. */
const LOOK_MS = 150;

export function examples(studio: Studio): HTMLElement {
  const { viewer } = studio;
  const settings = studio.examples;
  const addFiles = async (): Promise<void> => {
    const files = await choose({ accept: POSE_FILES });
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
      'The same mesh in other shapes: OBJ, PLY, STL or GLB, or a GLB that moves',
    ),
    h('div', { class: 'tray-sources' }, ...sources(true)),
  );
  const more = h(
    'div',
    { class: 'tray-sources tray-more', role: 'group', 'aria-label': 'Add examples' },
    ...sources(false),
  );
  const learn = button({
    label: 'Learn',
    kind: 'primary',
    class: 'learn',
    // What goes wrong is told by the element's error event.
    onclick: () => void viewer.rig().catch(() => {}),
  });

  const plot = energyPlot();
  const status = h('p', { class: 'learning-status', role: 'status' });
  const stop = button({ label: 'Stop', icon: 'stop', class: 'stop', onclick: () => viewer.stopFitting() });
  stop.dataset['tip'] = 'What was learned so far stays';
  const learning = h(
    'div',
    { class: 'learning', hidden: true },
    h('div', { class: 'learning-head' }, status, stop),
    plot.element,
  );
  const fit = segmented<FitChoice['stage']>({
    label: 'Shown',
    choices: FIT_STAGES,
    onchange: (stage) => settings.showFit({ example: viewer.fit?.example ?? 0, stage }),
  });

  let rms: number | null = null;
  /** What is done before there is anything to plot. */
  let stage = '';
  let looking = 0;
  const say = (text: string): void => {
    if (status.textContent !== text) status.textContent = text;
  };
  const showFitProgress = (): void => {
    const { fitProgress: now, report, examples } = viewer;
    const then = report?.learning;
    const isRunning = now !== null && viewer.busy;
    const energy = now?.length ? now : isRunning ? [] : (then?.energy ?? []);
    learning.hidden = !isRunning && energy.length === 0;
    stop.hidden = !isRunning;
    // Until there is something to plot, what was there stays: sliders below must not jump from under the pointer.
    if (energy.length || !isRunning) plot.set(energy);
    if (isRunning && (rms === null || energy.length === 0)) say(stage || 'Getting ready');
    else if (isRunning) say(`Off by ${percent(rms ?? 0)} after ${energy.length - 1} steps`);
    else if (then) say(`${percent(then.rms[0])} off before, ${percent(then.rms[1])} now`);
    // A run that is stopped before it has learned anything ends without a word.
    clearTimeout(looking);
    if (isRunning) looking = window.setTimeout(later, LOOK_MS);
    learn.hidden = isRunning || viewer.busy || then !== null || !examples.some(({ chosen }) => chosen);
  };
  const later = oncePerFrame(showFitProgress);
  const sync = (): void => {
    const { examples, animations, model } = viewer;
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
      const clip = `frames of “${viewer.animationName ?? animations[0] ?? ''}”`;
      if (label && empty.contains(each)) label.textContent = `Use ${clip}`;
      else each.dataset['tip'] = `Add ${clip}`;
    }
    for (const each of element.querySelectorAll<HTMLElement>('.from-targets')) {
      each.hidden = !model?.morphTargets;
    }
    fit.element.hidden = viewer.show !== 'fit' || isEmpty;
    if (viewer.fit) fit.set(viewer.fit.stage);
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
    learn,
    learning,
    fit.element,
  );
  listen(viewer, 'fit-progress', (told) => {
    rms = told.rms;
    later();
  });
  listen(viewer, 'progress', (told) => {
    // What ended was something else.
    stage = told.totalProgress < 1 ? told.stage : '';
    if (!viewer.fitProgress?.length) rms = null;
    later();
  });
  listen(viewer, 'time-update', () => {
    if (shownClip !== viewer.animationName) sync();
    shownClip = viewer.animationName;
  });
  let shownClip: string | null = null;
  follow(viewer, ['load', 'rig-complete', 'examples-change', 'error'], sync);
  new MutationObserver(sync).observe(viewer, { attributes: true, attributeFilter: ['show'] });
  return element;
}

/** Of the character's size. */
export function percent(share: number): string {
  const value = 100 * share;
  return value < 5e-4 ? '0 %' : `${value.toFixed(value < 0.1 ? 3 : value < 1 ? 2 : 1)} %`;
}

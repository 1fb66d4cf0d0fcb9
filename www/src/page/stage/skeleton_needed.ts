/** A mesh came without joints: where they may come from. */

import { h } from '../dom.ts';
import { choose } from '../files.ts';
import { icon } from '../icons.ts';
import { SAMPLES } from '../parameters.ts';
import type { Studio } from '../studio.ts';
import { button } from '../ui/button.ts';
import { listen } from '../viewer.ts';
import type { Handling } from './handle_placement.ts';

/** Tubes have too few joints to start from. */
const TEMPLATES = SAMPLES.filter(({ value }) => !value.startsWith('cylinder'));

const SKELETON_FILES = ['.glb', '.gltf', '.tgf', '.json'];

export interface SkeletonNeeded {
  readonly element: HTMLElement;
  readonly waiting: boolean;
}

export function skeletonNeeded(
  { viewer }: Studio,
  onTemplate: () => void,
  handling: Handling,
): SkeletonNeeded {
  const title = h(
    'h2',
    { class: 'card-title', id: 'skeleton-title', tabindex: -1 },
    'This mesh needs a skeleton',
  );
  const templates = TEMPLATES.map(({ value, label }) =>
    h(
      'button',
      {
        type: 'button',
        class: 'template',
        onclick: () => {
          close();
          void viewer.useTemplate(value).then(onTemplate, open);
        },
      },
      icon(value as 'mannequin'),
      h('span', {}, label),
    ),
  );
  const element = h(
    'section',
    { class: 'card skeleton-card floating', 'aria-labelledby': 'skeleton-title', hidden: true },
    title,
    h(
      'p',
      { class: 'card-text' },
      'Start from one of these, scaled to the mesh, and move its joints into place',
    ),
    h('div', { class: 'templates' }, ...templates),
    h(
      'div',
      { class: 'card-row' },
      h('span', { class: 'card-text' }, 'Or drop a skeleton file here, or hold the skin without bones'),
      h(
        'div',
        { class: 'card-buttons' },
        button({ label: 'Place handles', icon: 'handle', onclick: () => handling.start() }),
        button({
          label: 'Choose a file…',
          icon: 'folder',
          onclick: async () => {
            const files = await choose({ accept: SKELETON_FILES });
            if (!files.length) return;
            close();
            await viewer.loadSkeleton(files).catch(open);
          },
        }),
      ),
    ),
  );
  const open = (): void => {
    element.hidden = false;
    title.focus({ preventScroll: true });
  };
  const close = (): void => {
    element.hidden = true;
  };
  // The picture ends above the card, so that the mesh is seen whole.
  new ResizeObserver(() => {
    element.closest<HTMLElement>('.stage')?.style.setProperty('--card', `${element.offsetHeight}px`);
  }).observe(element);
  let isNeeded = false;
  listen(viewer, 'skeleton-needed', () => {
    isNeeded = true;
    if (!handling.active) open();
  });
  handling.watch(() => {
    if (handling.active) close();
    else if (isNeeded && viewer.handles.length === 0) open();
  });
  listen(viewer, 'load', () => {
    isNeeded = false;
    close();
  });
  listen(viewer, 'rig-complete', () => {
    isNeeded = false;
    close();
  });
  return {
    element,
    get waiting() {
      return !element.hidden;
    },
  };
}

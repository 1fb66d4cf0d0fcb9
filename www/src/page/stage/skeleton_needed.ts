/** The card for a mesh without a fitted skeleton: templates, a file, or handles only. */
import { h } from '../dom.ts';
import { choose } from '../files.ts';
import { EXTENSIONS } from '../formats.ts';
import { icon } from '../icons.ts';
import type { Studio } from '../studio.ts';
import { button } from '../ui/button.ts';
import { SAMPLES } from '../words.ts';

/** Cylinders have too few joints to be of use as a template. */
const TEMPLATES = SAMPLES.filter(({ value }) => !value.startsWith('cylinder'));

const NEEDED = 'This mesh needs a skeleton';

export interface SkeletonNeeded {
  readonly element: HTMLElement;
  readonly waiting: boolean;
  /** Shows the card for a character that has a skeleton. */
  open(): void;
}

export function skeletonNeeded({ viewer, state, tools }: Studio): SkeletonNeeded {
  const title = h('h2', { class: 'card-title', id: 'skeleton-title', tabindex: -1 }, NEEDED);
  const templates = TEMPLATES.map(({ value, label }) =>
    h(
      'button',
      {
        type: 'button',
        class: 'template',
        onclick: () => {
          close();
          viewer.useTemplate(value).then(placeJoints, open);
        },
      },
      icon(value as 'mannequin'),
      h('span', {}, label),
    ),
  );
  const element = h(
    'section',
    { class: 'card skeleton-card floating', 'aria-labelledby': 'skeleton-title', hidden: true },
    h(
      'div',
      { class: 'card-head' },
      title,
      button({ label: 'Close', icon: 'close', bare: true, class: 'mini', onclick: () => close() }),
    ),
    h(
      'p',
      { class: 'card-text' },
      'Start with a template, scaled to the mesh, and move its joints into place',
    ),
    h('div', { class: 'templates' }, ...templates),
    h(
      'div',
      { class: 'card-row' },
      h('span', { class: 'card-text' }, 'Or drop a skeleton file here, or use point handles only'),
      h(
        'div',
        { class: 'card-buttons' },
        button({
          label: 'Place handles',
          icon: 'handle',
          onclick: () => {
            close();
            tools.use('handles');
          },
        }),
        button({
          label: 'Choose a file…',
          icon: 'folder',
          onclick: async () => {
            const files = await choose({ accept: EXTENSIONS.skeletons });
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
  const placeJoints = (): void => {
    viewer.mirrorJoints = true;
    tools.use('place-joints');
  };
  // The picture ends above the card, so that the whole mesh is visible.
  new ResizeObserver(() => {
    element.closest<HTMLElement>('.stage')?.style.setProperty('--card', `${element.offsetHeight}px`);
  }).observe(element);
  let wasNeeded = false;
  state.follow(['needsSkeleton', 'tool', 'handles'], ({ needsSkeleton, tool, handles }) => {
    const isNeeded = needsSkeleton && tool !== 'handles' && handles.length === 0;
    if (isNeeded && !wasNeeded) {
      title.textContent = NEEDED;
      open();
    } else if (!isNeeded) close();
    wasNeeded = isNeeded;
  });
  return {
    element,
    open: () => {
      title.textContent = 'Choose a skeleton';
      open();
    },
    get waiting() {
      return !element.hidden;
    },
  };
}

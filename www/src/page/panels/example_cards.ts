/** The example poses, each with a thumbnail: show it, include it in the fit, remove it. */
import type { Example } from '../../element/api.ts';
import { h } from '../dom.ts';
import { icon } from '../icons.ts';
import type { Studio } from '../studio.ts';
import { longName } from '../ui/long_name.ts';
import { percent } from './examples.ts';

/** Size of a thumbnail in device pixels, as large as a phone shows it. */
const SIZE = Math.round(112 * Math.min(2, devicePixelRatio));

interface Card {
  readonly example: Example;
  readonly element: HTMLElement;
  sync(index: number): void;
}

export function exampleCards(studio: Studio): { readonly element: HTMLElement; sync(): void } {
  const { viewer } = studio;
  const element = h('ul', { class: 'example-cards', 'aria-label': 'Poses' });
  let cards: readonly Card[] = [];
  const sync = (): void => {
    const { examples } = viewer;
    // Cards of unchanged examples are reused: they keep the focus, and pictures are drawn once.
    const known = new Map(cards.map((card) => [card.example.positions, card]));
    cards = examples.map((example, index) => {
      const before = known.get(example.positions);
      known.delete(example.positions);
      return before ?? cardOf(studio, example, index);
    });
    const wanted = cards.map((card) => card.element);
    if (wanted.length !== element.children.length || wanted.some((each, i) => each !== element.children[i]))
      element.replaceChildren(...wanted);
    for (const [index, card] of cards.entries()) card.sync(index);
    element.hidden = cards.length === 0;
  };
  return { element, sync };
}

function cardOf(studio: Studio, example: Example, at: number): Card {
  const { viewer, examples: settings } = studio;
  const { name } = example;
  let index = at;
  const canvas = h('canvas', { width: SIZE, height: SIZE, class: 'example-picture', 'aria-hidden': 'true' });
  drawSoon(() => canvas.getContext('2d')?.putImageData(viewer.exampleThumbnail(index, SIZE), 0, 0));
  const off = h('span', { class: 'example-off' });
  const show = h(
    'button',
    { type: 'button', class: 'example-show', 'data-tip': `Show ${name}` },
    canvas,
    h('span', { class: 'example-name long-name' }, ...longName(name)),
    off,
  );
  show.addEventListener('click', () => settings.toggleFit(index));
  const use = h('input', { type: 'checkbox', class: 'example-use', 'aria-label': `Include ${name}` });
  use.dataset['tip'] = 'Include in the fit';
  use.addEventListener('change', () => settings.choose(index, use.checked));
  const remove = h(
    'button',
    { type: 'button', class: 'example-remove', 'aria-label': `Remove ${name}`, 'data-tip': 'Remove' },
    icon('close'),
  );
  remove.addEventListener('click', () => {
    const list = remove.closest('ul');
    settings.remove(index);
    // The next card gets the focus, so that several can be removed by the keyboard.
    const next = list?.querySelectorAll<HTMLElement>('.example-remove');
    next?.[Math.min(index, next.length - 1)]?.focus();
  });
  const element = h('li', { class: 'example' }, show, use, remove);
  return {
    example,
    element,
    sync: (now) => {
      index = now;
      const { chosen = true } = viewer.examples[index] ?? {};
      const isShown = viewer.show === 'fit' && viewer.fit?.example === index;
      use.checked = chosen;
      element.classList.toggle('unused', !chosen);
      show.setAttribute('aria-pressed', String(isShown));
      const rank = viewer.examples.slice(0, index).filter((each) => each.chosen).length;
      const found = viewer.fitProgress === null ? viewer.report?.exampleFit?.rmsByExample[rank] : undefined;
      off.textContent = chosen && found ? `RMS ${percent(found[1])}` : '';
      off.dataset['tip'] = found
        ? `RMS error ${percent(found[1])} of the diagonal; ${percent(found[0])} before the fit`
        : '';
    },
  };
}

/** One thumbnail per frame, so that many poses do not block the page. */
const waiting: (() => void)[] = [];

function drawSoon(draw: () => void): void {
  waiting.push(draw);
  if (waiting.length === 1) requestAnimationFrame(next);
}

function next(): void {
  waiting.shift()?.();
  if (waiting.length) requestAnimationFrame(next);
}

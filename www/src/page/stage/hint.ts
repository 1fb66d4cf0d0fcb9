/** One line for somebody who has just arrived; gone once they have bent something. */
import { h } from '../dom.ts';
import type { Studio } from '../studio.ts';
import { button } from '../ui/button.ts';

const KEY = 'pliant-hint-read';

export function hint({ history }: Studio): HTMLElement {
  const touch = matchMedia('(pointer: coarse)').matches;
  const text = touch
    ? 'Tap a joint, then drag a ring to bend it'
    : 'Click a joint, then drag a ring to bend it. Drop your own model anywhere';
  const close = (): void => {
    element.hidden = true;
    remember();
  };
  const element = h(
    'div',
    { class: 'hint floating', hidden: wasRead() },
    h('span', {}, text),
    button({ label: 'Dismiss', icon: 'close', bare: true, class: 'mini', onclick: close }),
  );
  history.watch(() => history.undoLabel?.startsWith('turn') && close());
  return element;
}

function wasRead(): boolean {
  try {
    return localStorage.getItem(KEY) === 'yes';
  } catch {
    return false;
  }
}

function remember(): void {
  try {
    localStorage.setItem(KEY, 'yes');
  } catch {
    // A browser that keeps nothing shows the line again; that is all.
  }
}

/** What Pliant is, and the first step. Shown until a joint is rotated or it is dismissed. */
import { h, isTouch } from '../dom.ts';
import type { Studio } from '../studio.ts';
import { button } from '../ui/button.ts';

const KEY = 'pliant-hint-read';

const WHAT = 'Pliant computes skin weights in your browser. Your files never leave this machine.';

export function hint({ history }: Studio): HTMLElement {
  const text = isTouch()
    ? 'Tap a joint, then drag a ring to rotate it.'
    : 'Click a joint, then drag a ring to rotate it. Drop your own model anywhere.';
  const close = (): void => {
    element.hidden = true;
    remember();
  };
  const element = h(
    'div',
    { class: 'hint floating', hidden: wasRead() },
    h('p', {}, h('strong', { class: 'hint-what' }, WHAT), h('span', {}, text)),
    button({ label: 'Dismiss', icon: 'close', bare: true, class: 'mini', onclick: close }),
  );
  history.watch(() => history.undoLabel?.startsWith('rotation') && close());
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
    // Without storage, the hint appears again on the next visit.
  }
}

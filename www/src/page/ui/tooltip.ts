/** The tooltip of the page: elements with `data-tip` show it on hover and on keyboard focus. */
import { h } from '../dom.ts';

/** Delay, so that it does not flicker when the pointer passes by. */
const DELAY_MS = 450;

/** For this long after a tooltip, the next appears without delay. */
const WARM_MS = 300;

export function tooltips(): void {
  // The text is also the accessible name of its element, so screen readers skip it.
  const box = h('div', { class: 'tooltip', 'aria-hidden': 'true', popover: 'manual' });
  document.body.append(box);
  let timer = 0;
  let hiddenAt = 0;
  let owner: Element | null = null;

  const hide = (): void => {
    clearTimeout(timer);
    if (owner) hiddenAt = performance.now();
    owner = null;
    if (box.matches(':popover-open')) box.hidePopover();
  };
  const show = (element: HTMLElement): void => {
    const { tip, keys } = element.dataset;
    if (!tip || !element.isConnected) return;
    owner = element;
    box.replaceChildren(tip, keys ? h('kbd', {}, keys) : '');
    if (!box.matches(':popover-open')) box.showPopover();
    place(box, element);
  };
  const ask = (target: EventTarget | null, at_once: boolean): void => {
    const element = target instanceof Element ? target.closest<HTMLElement>('[data-tip]') : null;
    if (element === owner && element) return;
    hide();
    if (!element) return;
    const wait = at_once || performance.now() - hiddenAt < WARM_MS ? 0 : DELAY_MS;
    timer = window.setTimeout(() => show(element), wait);
  };

  document.addEventListener('pointerover', (event) => {
    if (event.pointerType === 'mouse') ask(event.target, false);
  });
  document.addEventListener('focusin', (event) => {
    if (event.target instanceof Element && event.target.matches(':focus-visible')) ask(event.target, true);
  });
  document.addEventListener('focusout', hide);
  document.addEventListener('pointerdown', hide, true);
  document.addEventListener('keydown', (event) => event.key === 'Escape' && hide(), true);
  document.documentElement.addEventListener('pointerleave', hide);
}

/** Below its element, or above it if there is no room, inside the window. */
function place(box: HTMLElement, element: Element): void {
  const from = element.getBoundingClientRect();
  const left = from.left + from.width / 2 - box.offsetWidth / 2;
  const below = from.bottom + 6;
  const top = below + box.offsetHeight > innerHeight - 4 ? from.top - box.offsetHeight - 6 : below;
  box.style.left = `${Math.min(Math.max(6, left), innerWidth - box.offsetWidth - 6)}px`;
  box.style.top = `${top}px`;
}

/** The panels on a phone: one sheet below the stage, with tabs. On a desk they are beside it. */
import { h } from './dom.ts';
import type { PanelName } from './panels/panel.ts';

/** Where the layout changes; phone.css has the same number. */
export const PHONE = matchMedia('(max-width: 767px)');

const TABS: readonly (readonly [PanelName, string])[] = [
  ['skeleton', 'Skeleton'],
  ['rig', 'Skin'],
  ['volume', 'Volume'],
  ['pose', 'Pose'],
  ['joints', 'Joints'],
  ['handles', 'Handles'],
  ['report', 'Report'],
];

export interface Sheet {
  open(name: PanelName): void;
  /** Folds the sheet away, so that the stage has the whole screen. No effect on a desk. */
  fold(): void;
  /** Shows a number on a tab. */
  badge(name: PanelName, count: number): void;
}

/** `sides` contains the panels; the tabs are inserted before them. */
export function sheet(sides: HTMLElement): Sheet {
  let current: PanelName = 'rig';
  const tabs = TABS.map(([name, label]) =>
    h(
      'button',
      {
        type: 'button',
        class: 'tab',
        role: 'tab',
        id: `tab-${name}`,
        'aria-controls': `panel-${name}`,
        'data-tab': name,
      },
      h('span', {}, label),
      h('span', { class: 'tab-badge', hidden: true }),
    ),
  );
  const tabList = h('div', { class: 'tabs', role: 'tablist', 'aria-label': 'Panels' }, ...tabs);
  const grip = h('button', {
    type: 'button',
    class: 'grip',
    'aria-expanded': 'true',
    'aria-label': 'Panels',
  });
  const bar = h('div', { class: 'sheet-bar' }, grip, tabList);
  sides.prepend(bar);

  const panelOf = (name: PanelName): HTMLElement | null => document.getElementById(`panel-${name}`);
  const fold = (shut: boolean): void => {
    document.documentElement.classList.toggle('sheet-folded', shut);
    grip.setAttribute('aria-expanded', String(!shut));
  };
  const sync = (): void => {
    const phone = PHONE.matches;
    for (const tab of tabs) {
      const name = tab.dataset['tab'] as PanelName;
      const on = name === current;
      tab.setAttribute('aria-selected', String(on));
      tab.tabIndex = on ? 0 : -1;
      const panel = panelOf(name);
      panel?.classList.toggle('current', on);
      // On a desk all panels are visible, and there are no tabs.
      if (phone) panel?.setAttribute('role', 'tabpanel');
      else panel?.removeAttribute('role');
      panel?.setAttribute('aria-labelledby', phone ? `tab-${name}` : `${name}-title`);
    }
  };
  const open = (name: PanelName): void => {
    current = name;
    fold(false);
    sync();
  };
  tabList.addEventListener('click', (event) => {
    const tab = (event.target as Element).closest<HTMLElement>('[role=tab]');
    if (tab) open(tab.dataset['tab'] as PanelName);
  });
  tabList.addEventListener('keydown', (event) => {
    const at = tabs.findIndex((tab) => tab.dataset['tab'] === current);
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const next = tabs[(at + step + tabs.length) % tabs.length];
    open(next?.dataset['tab'] as PanelName);
    next?.focus();
  });
  drags(bar, grip, fold);
  PHONE.addEventListener('change', sync);
  sync();
  return {
    open,
    fold: () => fold(true),
    badge: (name, count) => {
      const badge = tabs.find((tab) => tab.dataset['tab'] === name)?.querySelector<HTMLElement>('.tab-badge');
      if (!badge) return;
      badge.hidden = count === 0;
      badge.textContent = String(count);
    },
  };
}

/** A swipe on the bar, or a press of the grip, folds and opens the sheet. */
function drags(bar: HTMLElement, grip: HTMLElement, fold: (shut: boolean) => void): void {
  /** Shortest swipe, in CSS pixels. */
  const SWIPE = 24;
  let from: number | null = null;
  let swiped = false;
  bar.addEventListener('pointerdown', (event) => {
    from = event.clientY;
    swiped = false;
  });
  bar.addEventListener('pointermove', (event) => {
    if (from === null || Math.abs(event.clientY - from) < SWIPE) return;
    fold(event.clientY > from);
    swiped = true;
    from = null;
  });
  for (const end of ['pointerup', 'pointercancel', 'pointerleave']) {
    bar.addEventListener(end, () => {
      from = null;
    });
  }
  grip.addEventListener('click', () => {
    if (!swiped) fold(!document.documentElement.classList.contains('sheet-folded'));
  });
}

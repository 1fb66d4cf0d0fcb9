/** A titled panel beside the stage; on a phone, a tab of the sheet. */
import { type Child, h } from '../dom.ts';

export type PanelName = 'skeleton' | 'rig' | 'volume' | 'pose' | 'joints' | 'handles' | 'report';

export function panel(
  name: PanelName,
  title: string,
  body: readonly Child[],
  actions: readonly Child[] = [],
): HTMLElement {
  const id = `${name}-title`;
  return h(
    'section',
    { class: `panel panel-${name}`, id: `panel-${name}`, 'aria-labelledby': id },
    h('header', { class: 'panel-head' }, h('h2', { id, class: 'panel-title' }, title), ...actions),
    h('div', { class: 'panel-body' }, ...body),
  );
}

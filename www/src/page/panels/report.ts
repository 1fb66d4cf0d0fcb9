/** What came out: warnings in plain words, and a few quiet figures. */
import type { Warning } from '../../wasm.ts';
import { h } from '../dom.ts';
import { icon } from '../icons.ts';
import { figures, sentence } from '../model.ts';
import type { Studio } from '../studio.ts';
import { follow } from '../viewer.ts';
import { panel } from './panel.ts';

export function report({ viewer, halves }: Studio, oncount: (warnings: number) => void): HTMLElement {
  const badge = h('span', { class: 'badge', hidden: true });
  const warnings = h('ul', { class: 'warnings' });
  const fine = h('p', { class: 'fine' }, icon('check'), h('span', {}, 'Nothing odd was found'));
  const card = h('dl', { class: 'figures' });

  const sync = (): void => {
    const found = allWarnings((halves.report ?? viewer.model)?.warnings ?? []);
    warnings.replaceChildren(...found.map(line));
    warnings.hidden = found.length === 0;
    fine.hidden = found.length > 0 || !halves.report;
    badge.hidden = found.length === 0;
    badge.textContent = found.length === 1 ? '1 warning' : `${found.length} warnings`;
    card.replaceChildren(
      ...figures(viewer.model, halves.report).map(({ label, value }) =>
        h('div', {}, h('dt', {}, label), h('dd', {}, value)),
      ),
    );
    oncount(found.length);
  };
  follow(viewer, ['load', 'rig-complete', 'compare-complete', 'rig-warning'], sync);
  halves.watch(sync);
  return panel('report', 'Report', [warnings, fine, card], [badge]);
}

/** Reading and rigging may say the same. */
function allWarnings(...lists: readonly (readonly Warning[])[]): readonly string[] {
  return [...new Set(lists.flat().map((warning) => sentence(warning.message)))];
}

function line(text: string): HTMLElement {
  return h('li', {}, icon('warning'), h('span', {}, text));
}

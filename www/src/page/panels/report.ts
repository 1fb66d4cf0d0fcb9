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
  const cells = figures(null, null).map(({ label, value }) => ({ label, cell: h('dd', {}, value) }));
  const card = h(
    'dl',
    { class: 'figures' },
    ...cells.map(({ label, cell }) => h('div', {}, h('dt', {}, label), cell)),
  );
  let listed: readonly string[] = [];

  // A slider brings a report many times a second: what is the same in it stays as it is.
  const sync = (): void => {
    const found = allWarnings((halves.report ?? viewer.model)?.warnings ?? []);
    if (found.join('\n') !== listed.join('\n')) warnings.replaceChildren(...found.map(line));
    listed = found;
    warnings.hidden = found.length === 0;
    fine.hidden = found.length > 0 || !halves.report;
    badge.hidden = found.length === 0;
    badge.textContent = found.length === 1 ? '1 warning' : `${found.length} warnings`;
    for (const [i, { value }] of figures(viewer.model, halves.report).entries()) {
      const cell = cells[i]?.cell;
      if (cell && cell.textContent !== value) cell.textContent = value;
    }
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

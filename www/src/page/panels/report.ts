/** The report: warnings, and statistics of the mesh and the run. */
import type { Warning } from '../../wasm.ts';
import { h } from '../dom.ts';
import { icon } from '../icons.ts';
import { sentence, stats } from '../model.ts';
import { SIDE_KEYS, type StudioState, sideReport } from '../state.ts';
import type { Studio } from '../studio.ts';
import { panel } from './panel.ts';

export function report({ state }: Studio, oncount: (warnings: number) => void): HTMLElement {
  const badge = h('span', { class: 'badge', hidden: true });
  const warnings = h('ul', { class: 'warnings' });
  const fine = h('p', { class: 'fine' }, icon('check'), h('span', {}, 'No warnings'));
  const cells = stats(null, null).map(({ label, value }) => ({ label, cell: h('dd', {}, value) }));
  const card = h(
    'dl',
    { class: 'stats' },
    ...cells.map(({ label, cell }) => h('div', {}, h('dt', {}, label), cell)),
  );
  let listed: readonly string[] = [];

  // A slider brings a report many times a second, so only what differs is redrawn.
  state.follow(['model', 'rigSeconds', ...SIDE_KEYS], (now) => {
    const { model } = now;
    const report = sideReport(now);
    const found = allWarnings(report?.warnings ?? [], model?.warnings ?? []);
    if (found.join('\n') !== listed.join('\n')) warnings.replaceChildren(...found.map(line));
    listed = found;
    warnings.hidden = found.length === 0;
    fine.hidden = found.length > 0 || !report;
    badge.hidden = found.length === 0;
    badge.textContent = found.length === 1 ? '1 warning' : `${found.length} warnings`;
    for (const [i, { value }] of stats(model, report, secondsOf(now)).entries()) {
      const cell = cells[i]?.cell;
      if (cell && cell.textContent !== value) cell.textContent = value;
    }
    oncount(found.length);
  });
  return panel('report', 'Report', [warnings, fine, card], [badge]);
}

/** The time of a full run; that of the last run for the second view. */
function secondsOf(now: StudioState): number | null {
  return now.side === 'left' ? now.rigSeconds : (sideReport(now)?.seconds ?? null);
}

/** Without repetitions: a report has the warnings of the reader, too. */
function allWarnings(...lists: readonly (readonly Warning[])[]): readonly string[] {
  return [...new Set(lists.flat().map((warning) => sentence(warning.message)))];
}

function line(text: string): HTMLElement {
  return h('li', {}, icon('warning'), h('span', {}, text));
}

/**
 * Weighing in Chromium, in the product's own worker: every method the element offers, on the mannequin. A method that
 * Rust learns appears here by itself.
 */
import { barePage, launch, serve } from '../../tests/browser/support.mjs';
import { against, count, print, s } from './table.mjs';

const SIZES = [5_000, 20_000, 80_000];

/** A method that takes longer than this is not asked for the next size, four times as large. */
const PATIENCE_S = 20;

/** Seconds for all stages, from DESIGN.md: shares of what Blender's bone heat and libigl's weights took. */
const BUDGETS = {
  atlas: { 20_000: 0.3 },
  heat: { 20_000: 0.5 * 1.1, 80_000: 0.4 * 5.3 },
  bbw: { 20_000: 0.7 * 3.5, 80_000: 0.5 * 25 },
};

const site = await serve();
const browser = await launch();
const { page } = await barePage(browser, site);
const methods = await page.evaluate(async () => {
  const { OPTIONS } = await import(new URL('pliant-viewer.js', location.href).href);
  return OPTIONS.methods;
});

/** Seconds by stage of a run from nothing. */
function weigh(method, vertices) {
  return page.evaluate(
    async ([method, vertices]) => {
      const viewer = document.createElement('pliant-viewer');
      viewer.setAttribute('method', method);
      document.body.append(viewer);
      try {
        await viewer.load({ kind: 'cast', member: 'mannequin', vertices });
        return { stages: viewer.report.stages, seconds: viewer.report.seconds };
      } finally {
        viewer.remove();
        // The element keeps its worker for a moment, in case it is only being moved.
        await new Promise((done) => setTimeout(done, 200));
      }
    },
    [method, vertices],
  );
}

const rows = [];
let stageNames = [];
for (const method of methods) {
  for (const vertices of SIZES) {
    const { stages, seconds } = await weigh(method, vertices);
    stageNames = stages.map(({ stage }) => stage);
    const budget = BUDGETS[method]?.[vertices];
    rows.push([
      method,
      count(vertices),
      ...stages.map((stage) => s(stage.seconds)),
      s(seconds),
      budget ? against(seconds, budget) : '',
    ]);
    if (seconds > PATIENCE_S) break;
  }
}
print('Weights from nothing, in the worker, in Chromium', ['method', 'vertices', ...stageNames, 'all', 'budget'], rows);
await browser.close();
site.close();

/**
 * Weights in Chromium, in the worker of the element: every method in `OPTIONS.methods`, on the
 * mannequin with all its bones. Biharmonic weights with as many handles as in the peer's
 * measurement, and on the surface, are in `biharmonic`.
 */
import { barePage, launch, serve } from '../../tests/browser/support.mjs';
import { against, count, median, ms, print, s, times } from './table.mjs';

const SIZES = [5_000, 20_000, 80_000];

/** A method that takes longer than this is not asked for the next size, four times as large. */
const PATIENCE_S = 20;

/**
 * One that takes less than the second of these is asked as often as the first, and its median run
 * counts.
 */
const [RUNS, SHORT_S] = [5, 4];

/**
 * Seconds for all stages (docs/budgets.md#weights): parts of the times of Blender's bone heat and
 * of libigl. Weights of bones in a closed mesh are computed in its interior.
 */
const BUDGETS = {
  atlas: { 20_000: 0.3 },
  heat: { 20_000: 0.5 * 1.1, 80_000: 0.4 * 5.3 },
  bbw: { 5_000: 0.5 * 2.4, 20_000: 0.5 * 21 },
};

/** Vertices, and seconds for a change of K (docs/budgets.md#weights). */
const K_BUDGETS = [
  [20_000, 0.05],
  [100_000, 0.25],
];

/** From nearly rigid to very soft. */
const CHANGES = 20;

const site = await serve();
const browser = await launch();
const { page } = await barePage(browser, site);
const methods = await page.evaluate(async () => {
  const { OPTIONS } = await import(new URL('pliant-viewer.js', location.href).href);
  // The samples have no weights of their own.
  return OPTIONS.methods.filter((method) => method !== 'source');
});

/** Seconds by stage of a run from nothing. */
function weigh(method, vertices) {
  return page.evaluate(
    async ([method, vertices]) => {
      const viewer = document.createElement('pliant-viewer');
      viewer.setAttribute('method', method);
      document.body.append(viewer);
      try {
        await viewer.load({ kind: 'url', url: `samples/mannequin-${vertices}.glb` });
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

/** The run of median length, of one or of several. */
async function typical(method, vertices) {
  const runs = [await weigh(method, vertices)];
  while (runs[0].seconds < SHORT_S && runs.length < RUNS) runs.push(await weigh(method, vertices));
  runs.sort((a, b) => a.seconds - b.seconds);
  return { ...runs[Math.floor(runs.length / 2)], range: [runs[0].seconds, runs.at(-1).seconds], many: runs.length };
}

/** Seconds of every change of K, after the first weights. */
function soften(vertices) {
  return page.evaluate(
    async ([vertices, changes]) => {
      const viewer = document.createElement('pliant-viewer');
      document.body.append(viewer);
      try {
        await viewer.load({ kind: 'url', url: `samples/mannequin-${vertices}.glb` });
        const seconds = [];
        for (let i = 1; i <= changes; i++) {
          const { recipe } = viewer;
          viewer.recipe = { ...recipe, atlas: { ...recipe.atlas, k: (2 * i) / changes } };
          seconds.push((await viewer.rig()).seconds);
        }
        return seconds;
      } finally {
        viewer.remove();
        await new Promise((done) => setTimeout(done, 200));
      }
    },
    [vertices, CHANGES],
  );
}

const runs = [];
// Learning needs poses, and its time is theirs.
for (const method of methods.filter((method) => method !== 'examples')) {
  for (const vertices of SIZES) {
    const run = await typical(method, vertices);
    runs.push({ method, vertices, ...run });
    if (run.seconds > PATIENCE_S) break;
  }
}
// Methods have different stages: a column for each that any of them has.
const stageNames = [...new Set(runs.flatMap(({ stages }) => stages.map(({ stage }) => stage)))];
const inStage = (stages, name) => {
  const spent = stages.filter(({ stage }) => stage === name).map(({ seconds }) => seconds);
  return spent.length ? s(spent.reduce((sum, seconds) => sum + seconds)) : '–';
};
const rows = runs.map(({ method, vertices, stages, seconds, range, many }) => {
  const budget = BUDGETS[method]?.[vertices];
  const spent = stageNames.map((name) => inStage(stages, name));
  const between = range.map((figure) => figure.toFixed(2)).join('–');
  return [method, count(vertices), ...spent, s(seconds), many, between, budget ? against(seconds, budget) : ''];
});
print(
  'Weights from nothing, in the worker, in Chromium, median run',
  ['method', 'vertices', ...stageNames, 'all', 'runs', 'from–to', 'budget'],
  rows,
);

/** Seconds that a method took for so many vertices, if it was asked. */
const taken = (method, vertices) => runs.find((run) => run.method === method && run.vertices === vertices)?.seconds;
const growth = Math.log(taken('heat', 80_000) / taken('heat', 20_000)) / Math.log(80_000 / 20_000);
console.log(`\nheat grows as n^${growth.toFixed(2)} from 20,000 to 80,000 vertices, of at most n^1.25`);
console.log(`glow takes ${times(taken('glow', 20_000) / taken('heat', 20_000))} as long as heat at 20,000, of at most 3 ×`);

const softened = [];
for (const [vertices, budget] of K_BUDGETS) {
  const seconds = await soften(vertices);
  const figures = [median(seconds), Math.min(...seconds), Math.max(...seconds)].map((figure) => ms(1000 * figure));
  softened.push([count(vertices), ...figures, against(median(seconds), budget)]);
}
print(`K changed, in the worker, in Chromium, of ${CHANGES} changes`, ['vertices', 'median', 'least', 'most', 'budget'], softened);
await browser.close();
site.close();

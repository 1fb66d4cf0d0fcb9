/**
 * Skeletons for bare meshes in Chromium: the first fit in the worker, with its memory, and refits
 * while a joint is dragged; then what a user waits for, from dropping a file on the studio to a
 * character that moves.
 */
import { bareSampleGlb } from '../../tests/browser/bare.mjs';
import { openStudio } from '../../tests/browser/studio.mjs';
import { barePage, launch, serve } from '../../tests/browser/support.mjs';
import { against, count, median, print, s } from './table.mjs';

/** Triangles of the mannequin, about twice as many as its vertices. */
const SIZES = [5_000, 20_000, 80_000, 100_000, 320_000];
const [SMALLEST, LARGEST] = [SIZES[0], SIZES.at(-1)];

/** Triangles, and seconds for a fit (docs/budgets.md#skeletons). */
const FIT_BUDGET = [100_000, 1];

/** Bytes of the worker's memory, for every size. */
const MEMORY_BUDGET = 256 * 2 ** 20;

/** Milliseconds for a refit while a joint is dragged: with ten a second the others follow it. */
const REFIT_BUDGET_MS = 100;

/** Triangles, and seconds from dropping a file to a character that moves. */
const DROP_BUDGET = [20_000, 1];
const DROPS = [20_000, 100_000];

const [RUNS, REFITS] = [3, 20];

const files = new Map();
for (const size of SIZES) files.set(`/bare/${size}.glb`, await bareSampleGlb('mannequin', size / 2));
files.set('/bare/warm.glb', await bareSampleGlb('mannequin', 1_000));
const site = await serve(files);
const browser = await launch();

/** Runs in the page. Another mesh loads the module first. No weights are computed. */
async function fit([size, refits]) {
  const viewer = document.createElement('pliant-viewer');
  document.body.append(viewer);
  const { solver, memory } = viewer[Symbol.for('pliant.inside')];
  const load = async (name) => {
    const file = await (await fetch(`bare/${name}.glb`)).blob();
    return solver.ask({ kind: 'load', files: [{ name: `${name}.glb`, file }] });
  };
  const fitted = (options = {}) => solver.ask({ kind: 'preview-skeleton', options, edits: {} });
  try {
    await load('warm');
    await fitted();
    const { model } = await load(size);
    const { plan, seconds, height, bones } = await fitted();
    const [, bytes] = await memory();
    const { label, head } = bones.find(({ label }) => label === 'forearm.L');
    const again = async (options) => {
      const taken = [];
      for (let i = 1; i <= refits; i++) {
        const markers = { [label]: head.map((x, axis) => x + 1e-3 * i * height * [1, 1, 0][axis]) };
        taken.push((await fitted({ ...options, markers })).seconds);
      }
      return taken;
    };
    // While a joint is dragged, fingers are left out.
    const [dragged, released] = [await again({ fingers: 0 }), await again({})];
    return { triangles: model.triangles, plan, seconds, memory: bytes, dragged, released };
  } finally {
    viewer.remove();
    await new Promise((done) => setTimeout(done, 200));
  }
}

/** Runs in the studio: seconds from the drop until a frame shows the character in motion. */
async function dropped(size) {
  const viewer = document.querySelector('pliant-viewer');
  const bytes = await (await fetch(`bare/${size}.glb`)).arrayBuffer();
  const dataTransfer = new DataTransfer();
  dataTransfer.items.add(new File([bytes], `${size}.glb`));
  const fire = (type) =>
    document.body.dispatchEvent(new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer }));
  fire('dragenter');
  fire('dragover');
  const start = performance.now();
  let fitted = 0;
  viewer.addEventListener('skeleton-fit', () => (fitted = performance.now()), { once: true });
  fire('drop');
  while (!(fitted && viewer.report && !viewer.busy && !viewer.paused && viewer.currentTime > 0))
    await new Promise((done) => requestAnimationFrame(done));
  return { fitted: (fitted - start) / 1000, moving: (performance.now() - start) / 1000 };
}

const { page } = await barePage(browser, site);
const taken = new Map();
const rows = [];
for (const size of SIZES) {
  const runs = [];
  for (let run = 0; run < RUNS; run++) runs.push(await page.evaluate(fit, [size, run === 0 ? REFITS : 0]));
  const { triangles, plan, dragged, released } = runs[0];
  const seconds = runs.map((run) => run.seconds);
  const memory = Math.max(...runs.map((run) => run.memory));
  taken.set(size, median(seconds));
  rows.push([
    count(triangles),
    plan,
    s(median(seconds)),
    seconds.map((figure) => figure.toFixed(2)).join(' '),
    size === FIT_BUDGET[0] ? against(median(seconds), FIT_BUDGET[1]) : '',
    `${Math.round(memory / 2 ** 20)} MiB`,
    against(memory, MEMORY_BUDGET),
    `${Math.round(1000 * median(dragged))} ms`,
    against(1000 * median(dragged), REFIT_BUDGET_MS),
    `${Math.round(1000 * median(released))} ms`,
  ]);
}
print(
  `Skeletons in the worker, in Chromium, median of ${RUNS} fits and of ${REFITS} refits by a marker`,
  ['triangles', 'plan', 'fit', 'runs', 'budget', 'memory', 'budget', 'dragged', 'budget', 'released'],
  rows,
);
const exponent = (from, to) => (Math.log(taken.get(to) / taken.get(from)) / Math.log(to / from)).toFixed(2);
const steps = [[SMALLEST, 20_000], [20_000, 80_000], [80_000, LARGEST], [SMALLEST, LARGEST]];
console.log(`\n${steps.map(([from, to]) => `n^${exponent(from, to)} from ${count(from)} to ${count(to)}`).join(', ')}`);

const drops = [];
for (const size of DROPS) {
  const runs = [];
  for (let run = 0; run < RUNS; run++) {
    const studio = await openStudio({ browser, site });
    runs.push(await studio.page.evaluate(dropped, size));
    await studio.close();
  }
  const moving = runs.map((run) => run.moving);
  const budget = size === DROP_BUDGET[0] ? against(median(moving), DROP_BUDGET[1]) : '';
  drops.push([count(size), s(median(runs.map((run) => run.fitted))), s(median(moving)), s(Math.max(...moving)), budget]);
}
print(
  `From dropping a bare GLB on the studio until …, the fetch of the fitter included, median of ${RUNS}`,
  ['triangles', 'fitted', 'moving', 'most', `budget: ${DROP_BUDGET[1]} s`],
  drops,
);
await browser.close();
site.close();

/**
 * Dragging a character by points of its skin in Chromium: one call per drag, from where the points
 * are to a matrix per handle, and to posed vertices and normals. Weights are learned from few and
 * from many examples; it should not matter (the paper's Fig. 20).
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { launch, serve } from '../../tests/browser/support.mjs';
import { against, count, median, ms, print, times } from './table.mjs';

const VERTICES = 10_000;
const POINTS = 25;
const EXAMPLES = [1, 10, 100];

/** What a drag may take. */
const DRAG_MS = 4;

const ROUNDS = 41;

/** Drags between two looks at the clock, which is coarse. */
const BATCH = 10;

const folder = process.env.PLIANT_BENCH_PACKAGE;
const file = (name) => readFileSync(join(folder, name));
const site = await serve(
  new Map([
    ['/bench.html', Buffer.from('<!doctype html><title>drag</title>')],
    ['/bench/bench.js', file('bench.js')],
    ['/bench/bench_bg.wasm', file('bench_bg.wasm')],
  ]),
);
const browser = await launch();
const page = await browser.newPage();
await page.goto(`${site.url}bench.html`);

/** Runs in the page. */
async function measure({ vertices, points, examples, rounds, batch }) {
  const { default: init, Drags } = await import(new URL('bench/bench.js', location.href).href);
  await init({ module_or_path: new URL('bench/bench_bg.wasm', location.href) });
  const drags = new Drags(vertices, points, examples);
  const runs = { drag: [], dragAndPose: [] };
  for (let round = -1; round < rounds; round++) {
    for (const [name, found] of Object.entries(runs)) {
      const start = performance.now();
      for (let i = 0; i < batch; i++) drags[name]();
      // The first round is not compiled yet.
      if (round >= 0) found.push((performance.now() - start) / batch);
    }
  }
  drags.free();
  return runs;
}

const rows = [];
let few = 0;
for (const examples of EXAMPLES) {
  const asked = { vertices: VERTICES, points: POINTS, examples, rounds: ROUNDS, batch: BATCH };
  const { drag, dragAndPose } = await page.evaluate(measure, asked);
  few ||= median(drag);
  const slowest = Math.max(...dragAndPose);
  rows.push([
    examples,
    ms(median(drag)),
    times(median(drag) / few),
    ms(median(dragAndPose)),
    ms(slowest),
    against(median(dragAndPose), DRAG_MS),
  ]);
}
print(
  `Drags in Chromium: the mannequin, ${count(VERTICES)} vertices by ${POINTS} points, median of ${ROUNDS} × ${BATCH}`,
  ['examples', 'drag', 'of the first', 'and pose', 'slowest ten', 'budget'],
  rows,
);
await browser.close();
site.close();

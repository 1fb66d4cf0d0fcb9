/**
 * A frame on the CPU in Chromium: ours beside a flat JavaScript loop, on the same page, character
 * and pose.
 *
 * The clock of a page is coarse (a tenth of a millisecond), so frames are timed by the batch; the
 * rows of one size take turns, so that a busy moment of the machine meets them all.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { launch, serve } from '../../tests/browser/support.mjs';
import { against, count, median, ms, print, times } from './table.mjs';

const SIZES = [5_000, 20_000, 80_000];

/** Milliseconds for LBS of 80,000 vertices, and the factor for DQS (docs/budgets.md#frames). */
const LINEAR_MS = 1.3;
const DUAL_QUATERNION_TIMES = 2;

/**
 * Per size; a batch lasts long enough for the clock, and the median forgives half of them a
 * disturbance.
 */
const ROUNDS = 41;
const BATCH_MS = 12;

const folder = process.env.PLIANT_BENCH_PACKAGE;
const file = (name) => readFileSync(join(folder, name));
const site = await serve(
  new Map([
    ['/bench.html', Buffer.from('<!doctype html><title>frames</title>')],
    ['/bench/bench.js', file('bench.js')],
    ['/bench/bench_bg.wasm', file('bench_bg.wasm')],
    ['/bench/loop.js', readFileSync(new URL('loop.js', import.meta.url))],
  ]),
);
const browser = await launch();
const page = await browser.newPage();
await page.goto(`${site.url}bench.html`);

const rows = [];
for (const vertices of SIZES) {
  const { apart, batches } = await page.evaluate(
    async (options) => {
      const { measure } = await import(new URL('bench/loop.js', location.href).href);
      return measure(options);
    },
    { vertices, rounds: ROUNDS, batchMs: BATCH_MS },
  );
  if (!(apart < 1e-5)) throw new Error(`the loop and Pliant pose ${vertices} vertices differently, by ${apart}`);
  const [linear, dual, loop] = ['linear', 'dualQuaternion', 'loop'].map((name) => median(batches[name]));
  const row = (what, figure, note) => [count(vertices), what, ms(figure), times(figure / loop), note];
  rows.push(
    row('flat JavaScript loop', loop, ''),
    row('lbs', linear, vertices === 80_000 ? against(linear, LINEAR_MS) : ''),
    row('dqs', dual, `${times(dual / linear)} lbs; ${against(dual, DUAL_QUATERNION_TIMES * linear)}`),
  );
}
print(
  'A frame on the CPU in Chromium: 4 influences, 60 joints, positions and normals',
  ['vertices', 'by', 'a frame', 'of the loop', `budget: lbs ${LINEAR_MS} ms at 80,000, dqs ${DUAL_QUATERNION_TIMES} × lbs`],
  rows,
);
await browser.close();
site.close();

/**
 * Skinning and volume correction in Chromium, at the sizes of the paper (Rohmer et al. 2008, Table 1)
 * and of docs/budgets.md#frames. Frames are timed in batches; the rows of one size take turns.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { launch, serve } from '../../tests/browser/support.mjs';
import { against, count, median, ms, print, times } from './table.mjs';

/**
 * The paper's cylinder, giraffe and elephant, and frames a second that it had with LBS alone and
 * with its correction.
 */
const PAPER = new Map([
  [256, '35 → 30 fps'],
  [1_677, '27 → 19 fps'],
  [5_720, '23 → 16 fps'],
]);
/**
 * Vertices, and whether all of them are soft: by default the atlas leaves the middle of limbs
 * rigid, bone heat nothing.
 */
const CASES = [...[...PAPER.keys(), 80_000].map((vertices) => [vertices, false]), [80_000, true]];

/** Milliseconds at 80,000 vertices, and the factor for contacts (docs/budgets.md#frames). */
const KEPT_MS = 6;
const GUARDED_TIMES = 1.25;

const ROUNDS = 21;
const BATCH_MS = 20;

const folder = process.env.PLIANT_BENCH_PACKAGE;
const file = (name) => readFileSync(join(folder, name));
const site = await serve(
  new Map([
    ['/bench.html', Buffer.from('<!doctype html><title>post-skinning</title>')],
    ['/bench/bench.js', file('bench.js')],
    ['/bench/bench_bg.wasm', file('bench_bg.wasm')],
  ]),
);
const browser = await launch();
const page = await browser.newPage();
await page.goto(`${site.url}bench.html`);

/** Runs in the page. */
async function measure({ vertices, soft, rounds, batchMs }) {
  const { default: init, PostSkinningFrames } = await import(new URL('bench/bench.js', location.href).href);
  await init({ module_or_path: new URL('bench/bench_bg.wasm', location.href) });
  const frames = new PostSkinningFrames(vertices, soft);
  const perFrame = (run, count) => {
    const start = performance.now();
    for (let frame = 0; frame < count; frame++) run();
    return (performance.now() - start) / count;
  };
  const entries = ['linear', 'kept', 'guarded'].map((name) => {
    const run = () => frames[name]();
    const guess = perFrame(run, Math.ceil(1_000_000 / vertices));
    return { name, run, count: Math.max(1, Math.round(batchMs / guess)), times: [] };
  });
  for (let round = 0; round < rounds; round++) {
    for (const { run, count, times } of entries) times.push(perFrame(run, count));
  }
  frames.free();
  return Object.fromEntries(entries.map(({ name, times }) => [name, times]));
}

const rows = [];
for (const [vertices, soft] of CASES) {
  const batches = await page.evaluate(measure, { vertices, soft, rounds: ROUNDS, batchMs: BATCH_MS });
  const [linear, kept, guarded] = ['linear', 'kept', 'guarded'].map((name) => median(batches[name]));
  const fps = (figure) => `${count(Math.round(1000 / figure))} fps`;
  const row = (what, figure, note) => [count(vertices), soft ? 'heat' : 'atlas', what, ms(figure), fps(figure), note];
  rows.push(
    row('lbs', linear, ''),
    row('lbs, exact local volumes', kept, vertices === 80_000 ? against(kept, KEPT_MS) : `paper: ${PAPER.get(vertices)}`),
    row('and fold guard', guarded, `${times(guarded / kept)}; ${against(guarded, GUARDED_TIMES * kept)}`),
  );
}
print(
  'Skinning and keeping volumes in Chromium: the mannequin in mid-clip, positions and normals',
  ['vertices', 'weights', 'what', 'a frame', 'which is', `budget: ${KEPT_MS} ms at 80,000, guard ${GUARDED_TIMES} ×`],
  rows,
);
await browser.close();
site.close();

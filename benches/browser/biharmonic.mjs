/**
 * Bounded biharmonic weights in Chromium, including topology and lattice, beside parts of the
 * native time of libigl with eight iterations (docs/budgets.md#weights). The KKT residual is
 * printed too.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { launch, serve } from '../../tests/browser/support.mjs';
import { against, count, median, print, s } from './table.mjs';

/** The peer had as many. */
const HANDLES = 19;

/**
 * Where weights are smooth, vertices, the seconds that libigl took, and the share of them that is
 * allowed.
 */
const CASES = [
  ['surface', 20_000, 3.5, 0.7],
  ['surface', 80_000, 25, 0.5],
  ['interior', 5_000, 2.4, 0.5],
  ['interior', 20_000, 21, 0.5],
];

const RUNS = 3;

const folder = process.env.PLIANT_SOLVER_BENCH_PACKAGE;
const file = (name) => readFileSync(join(folder, name));
const site = await serve(
  new Map([
    ['/bench.html', Buffer.from('<!doctype html><title>biharmonic</title>')],
    ['/bench/bench.js', file('bench.js')],
    ['/bench/bench_bg.wasm', file('bench_bg.wasm')],
  ]),
);
const browser = await launch();
const page = await browser.newPage();
await page.goto(`${site.url}bench.html`);

/** Runs in the page. */
async function measure({ vertices, handles, interior, runs }) {
  const { default: init, BoundedWeights } = await import(new URL('bench/bench.js', location.href).href);
  await init({ module_or_path: new URL('bench/bench_bg.wasm', location.href) });
  const character = new BoundedWeights(vertices, handles);
  const times = [];
  let found = [];
  for (let run = 0; run < runs; run++) {
    const start = performance.now();
    found = character.weigh(interior);
    times.push((performance.now() - start) / 1000);
  }
  character.free();
  return { times, found: [...found] };
}

const rows = [];
for (const [domain, vertices, peer, share] of CASES) {
  const asked = { vertices, handles: HANDLES, interior: domain === 'interior', runs: RUNS };
  const { times, found } = await page.evaluate(measure, asked);
  const [held, converged, residual] = found;
  const [seconds, least, most] = [median(times), Math.min(...times), Math.max(...times)];
  const state = `${converged ? 'converged' : 'NOT CONVERGED'}, KKT residual ${residual.toExponential(1)}`;
  rows.push([domain, count(vertices), held, s(seconds), `${least.toFixed(2)}–${most.toFixed(2)}`, state, against(seconds, share * peer)]);
}
print(
  `Biharmonic weights from nothing, in Chromium: the mannequin and ${HANDLES} bones of it, median of ${RUNS} runs`,
  ['domain', 'vertices', 'handles', 'all', 'from–to', 'how far', 'budget'],
  rows,
);
await browser.close();
site.close();

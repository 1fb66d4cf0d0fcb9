/**
 * From opening the page to the default character drawn in motion, on the page's own clock; nothing
 * is cached.
 */
import { launch, serve } from '../../tests/browser/support.mjs';
import { moments, opened } from '../../tests/browser/studio.mjs';
import { against, median, print, s } from './table.mjs';

/** Seconds until the character moves (docs/budgets.md#page). */
const BUDGET_S = 1.2;
const RUNS = 7;

const site = await serve();
const runs = [];
for (let run = 0; run < RUNS; run++) {
  // A browser of its own: a second page of the same one finds the code compiled. It has drawn
  // before, as a person's has.
  const browser = await launch();
  await drawSomething(browser);
  const { page } = await opened({ browser, site });
  runs.push(await moments(page));
  await browser.close();
}

async function drawSomething(browser) {
  const page = await browser.newPage();
  await page.evaluate(() => {
    const canvas = document.body.appendChild(document.createElement('canvas'));
    const context = canvas.getContext('webgl2');
    context.clear(context.COLOR_BUFFER_BIT);
    return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  });
  await page.close();
}

const names = Object.keys(runs[0]);
const rows = names.map((name) => {
  const seconds = runs.map((run) => run[name] / 1000);
  const note = name === 'moving' ? against(median(seconds), BUDGET_S) : '';
  return [name, s(median(seconds)), s(Math.min(...seconds)), s(Math.max(...seconds)), note];
});
print(`Opening the page in Chromium: seconds until …, of ${RUNS} runs`, ['', 'median', 'least', 'most', `budget: moving ${BUDGET_S} s`], rows);
site.close();

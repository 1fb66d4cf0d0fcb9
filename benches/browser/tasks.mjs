/**
 * How long the studio keeps the main thread busy at a time, and how soon a cancelled request ends,
 * beside the budgets in docs/budgets.md#page. Each case is measured three times; the smallest
 * result counts, because other processes only make tasks longer.
 */
import { openStudio, rigged } from '../../tests/browser/studio.mjs';
import { drawn, launch, serve } from '../../tests/browser/support.mjs';
import { longestTask } from './long_task.mjs';
import { against, print } from './table.mjs';

const RUNS = 3;

/** The label of the exponent of volume correction. */
const EXPONENT = 'At joints (α)';

/** Milliseconds that a task may take. */
const TASK_MS = 50;

/**
 * The same for one step of the layout of volume correction at 20,000 vertices together with a frame
 * in software rendering, which takes most of it.
 */
const LAYOUT_MS = 80;

/** Milliseconds from a call of `cancel` to the rejected promise. */
const CANCEL_MS = 1000;

const site = await serve();
const browser = await launch();

const load = (page, vertices) =>
  page.evaluate((url) => document.querySelector('pliant-viewer').load({ kind: 'url', url }), `samples/mannequin-${vertices}.glb`);

const pose = (page) =>
  page.evaluate(() =>
    document.querySelector('pliant-viewer').setPose({
      'forearm.L': [0, -100, 0],
      'shin.L': [95, 0, 0],
      'thigh.L': [-80, 0, 0],
      'thigh.R': [-40, 0, 0],
    }),
  );

/** Loads a bent character of so many vertices. */
async function bent(page, vertices) {
  await load(page, vertices);
  await rigged(page);
  await pose(page);
  await drawn(page);
  await page.waitForTimeout(1500);
}

/** The same with volume correction and contacts, which another file does not take over. */
async function corrected(page, vertices) {
  await bent(page, vertices);
  await set(page, { volume: 'local', foldGuard: true });
  await page.waitForFunction(() => document.querySelector('pliant-viewer').volumeStats !== null);
  await page.waitForTimeout(800);
}

/** Drags a slider back and forth for two thirds of a second. */
async function drag(page, label) {
  const slider = page.locator(`[aria-label="${label}"]`);
  await slider.scrollIntoViewIfNeeded();
  const box = await slider.boundingBox();
  const to = (share) => page.mouse.move(box.x + 11 + share * (box.width - 22), box.y + box.height / 2);
  await to(0.5);
  await page.mouse.down();
  for (let i = 1; i <= 40; i++) {
    await to(0.5 + 0.4 * Math.sin(i / 5));
    await page.waitForTimeout(16);
  }
  await page.mouse.up();
  await rigged(page);
  await page.waitForTimeout(900);
}

const set = (page, values) =>
  page.evaluate((values) => Object.assign(document.querySelector('pliant-viewer'), values), values);

/** Name, budget, location hash, what to prepare, and what to measure. */
const CASES = [
  {
    name: 'softness dragged, 20,000 vertices',
    budget: TASK_MS,
    prepare: (page) => bent(page, 20_000),
    measure: (page) => longestTask(page, () => drag(page, 'Softness (K)')),
  },
  {
    name: 'volume exponent dragged, 5,000 vertices',
    budget: TASK_MS,
    prepare: (page) => corrected(page, 5_000),
    measure: (page) => longestTask(page, () => drag(page, EXPONENT)),
  },
  {
    name: 'volume exponent dragged, 20,000 vertices',
    budget: LAYOUT_MS,
    prepare: (page) => corrected(page, 20_000),
    measure: (page) => longestTask(page, () => drag(page, EXPONENT)),
  },
  {
    name: 'volume correction switched on, 20,000 vertices',
    budget: LAYOUT_MS,
    prepare: async (page) => {
      await bent(page, 20_000);
      // Functions are compiled at their first call, which is not what is measured.
      await set(page, { volume: 'local' });
      await page.waitForTimeout(800);
    },
    measure: async (page, run) => {
      await set(page, { volume: 'off' });
      // Other weights, so that nothing of the last layout can be used again.
      await page.evaluate((k) => {
        const viewer = document.querySelector('pliant-viewer');
        const { recipe } = viewer;
        viewer.recipe = { ...recipe, atlas: { ...recipe.atlas, k } };
      }, 0.6 + 0.1 * run);
      await rigged(page);
      const work = async () => {
        await page.keyboard.press('Shift');
        await set(page, { volume: 'local' });
        await page.waitForFunction(() => document.querySelector('pliant-viewer').volumeStats !== null);
        await page.waitForTimeout(800);
      };
      return longestTask(page, work, 'keydown');
    },
  },
  {
    name: 'weights by distance computed, 20,000 vertices',
    budget: 2 * TASK_MS,
    prepare: async (page) => {
      await set(page, { method: 'distance' });
      await load(page, 20_000);
      await rigged(page);
      await drawn(page);
    },
    measure: (page) => {
      const work = async () => {
        await page.keyboard.press('Shift');
        await page.evaluate(async () => {
          const viewer = document.querySelector('pliant-viewer');
          const { recipe } = viewer;
          recipe.distance.falloff += 1;
          viewer.recipe = recipe;
          await viewer.rig();
        });
        await drawn(page);
      };
      return longestTask(page, work, 'keydown');
    },
  },
  {
    name: 'weights fitted to a clip, arm',
    budget: TASK_MS,
    hash: '#arm',
    prepare: (page) => set(page, { method: 'examples' }),
    measure: (page, run) => {
      const work = async () => {
        if (run === 0) await page.click('.tray-empty .from-clip');
        else await page.evaluate(() => document.querySelector('pliant-viewer').addExamples({ kind: 'clip', frames: 4 }));
        await page.keyboard.press('Shift');
        await page.waitForTimeout(1500);
        await page.evaluate(() => document.querySelector('pliant-viewer').stopFitting());
        await rigged(page);
      };
      return longestTask(page, work, 'keydown');
    },
  },
  {
    name: 'a request cancelled, 60,000 vertices by distance',
    budget: CANCEL_MS,
    prepare: (page) => set(page, { method: 'distance' }),
    measure: (page) =>
      page.evaluate(async () => {
        const viewer = document.querySelector('pliant-viewer');
        const loading = viewer.load({ kind: 'url', url: 'samples/mannequin-60000.glb' }).catch(() => undefined);
        await new Promise((done) => viewer.addEventListener('progress', ({ detail }) => detail.totalProgress > 0.4 && done()));
        const start = performance.now();
        viewer.cancel();
        await loading;
        return performance.now() - start;
      }),
  },
];

const rows = [];
for (const { name, budget, hash = '', prepare, measure } of CASES) {
  const studio = await openStudio({ browser, site }, { hash });
  await prepare(studio.page);
  const found = [];
  for (let run = 0; run < RUNS; run++) found.push(await measure(studio.page, run));
  await studio.close();
  const least = Math.min(...found);
  rows.push([name, `${least.toFixed(1)} ms`, found.map((ms) => ms.toFixed(0)).join(', '), `${budget} ms`, against(least, budget)]);
}
print(`The longest task of the main thread in Chromium, least of ${RUNS} runs`, ['case', 'longest', 'runs', 'budget', ''], rows);
await browser.close();
site.close();

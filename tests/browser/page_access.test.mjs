/** The studio for everyone: by keyboard alone, on a phone, in light and dark, without surprises. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { axe, drop, openStudio, rigged, state } from './studio.mjs';
import { setUp } from './support.mjs';
import { tubeObj } from './tube.mjs';

const shared = setUp();

test('the keyboard alone suffices', async () => {
  const { page, errors, close } = await openStudio(shared);
  const press = (...keys) => keys.reduce((done, key) => done.then(() => page.keyboard.press(key)), Promise.resolve());
  const focused = () => page.evaluate(() => document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent);
  const tabTo = async (label) => {
    for (let i = 0; i < 60; i += 1) {
      await press('Tab');
      if ((await focused())?.includes(label)) return;
    }
    assert.fail(`Tab never came to ${label}`);
  };
  await press(' ');
  assert.equal((await state(page)).paused, true);

  await press('/');
  await page.keyboard.type('forearm.R');
  await press('ArrowDown', 'Enter');
  assert.equal((await state(page)).selectedJoint, 'forearm.R');
  await tabTo('Rotation about Z');
  const before = (await state(page)).pose['forearm.R']?.[2] ?? 0;
  await press('ArrowRight', 'ArrowRight', 'ArrowRight');
  await page.waitForFunction((before) => (document.querySelector('pliant-viewer').pose['forearm.R']?.[2] ?? 0) > before + 2, before);
  await press('Control+z');
  await page.waitForFunction(
    (before) => Math.abs((document.querySelector('pliant-viewer').pose['forearm.R']?.[2] ?? 0) - before) < 1e-3,
    before,
  );

  await press('2');
  assert.equal((await state(page)).show, 'weights');
  await press('?');
  assert.ok(await page.isVisible('dialog[open]'));
  await press('Escape');
  assert.ok(!(await page.isVisible('dialog[open]')));
  const [download] = await Promise.all([page.waitForEvent('download'), press('Control+s')]);
  assert.equal(download.suggestedFilename(), 'mannequin-rigged.glb');

  await page.evaluate(() => document.activeElement.blur());
  await tabTo('Character:');
  await press('Enter', 'End', 'Home', 'ArrowDown', 'Enter');
  await page.waitForFunction(() => document.querySelector('.character-name').textContent === 'Elephant');
  await rigged(page);
  assert.deepEqual(errors, []);
  await close();
});

for (const colorScheme of ['light', 'dark']) {
  for (const phone of [false, true]) {
    test(`axe finds nothing serious: ${colorScheme}, ${phone ? 'phone' : 'desk'}`, async () => {
      const { page, close } = await openStudio(shared, { colorScheme, phone });
      await page.keyboard.press(' ');
      assert.deepEqual(await axe(page), []);
      if (phone) {
        for (const tab of ['pose', 'joints', 'report']) {
          await page.tap(`#tab-${tab}`);
          assert.deepEqual(await axe(page), [], tab);
        }
      }
      await page.click('.character');
      assert.deepEqual(await axe(page), [], 'menu');
      await page.keyboard.press('Escape');
      await drop(page, [{ name: 'garbage.stl', bytes: Buffer.from('no') }]);
      await page.waitForSelector('.error-card');
      assert.deepEqual(await axe(page), [], 'error');
      await drop(page, [{ name: 'limb.obj', bytes: tubeObj() }]);
      await page.waitForFunction(() => document.querySelector('pliant-viewer').skeletonFit !== null);
      await rigged(page);
      if (phone) await page.tap('#tab-skeleton');
      assert.deepEqual(await axe(page), [], 'skeleton fitted');
      await page.click('button[aria-label="Other skeleton…"]');
      await page.waitForSelector('.skeleton-card:not([hidden])');
      assert.deepEqual(await axe(page), [], 'other skeleton');
      await close();
    });
  }
}

test('on a phone the picture is above, the panels below in tabs, and nothing overflows', async () => {
  const { page, errors, close } = await openStudio(shared, { phone: true });
  const box = (selector) => page.locator(selector).boundingBox();
  const [stage, sides, picture] = [await box('#stage'), await box('#sides'), await box('pliant-viewer')];
  assert.ok(stage.y + stage.height <= sides.y + 1, 'the sheet covers the stage');
  assert.ok(picture.height > 180, `the picture is ${picture.height} high`);
  assert.ok(sides.y + sides.height <= 845);
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
  await page.tap('#tab-joints');
  await page.tap('[data-joint="forearm.L"]');
  await page.tap('#tab-pose');
  assert.ok(await page.isVisible('[aria-label="Rotation about X"]'));
  assert.ok(!(await page.isVisible('.tree')));
  await page.tap('.grip');
  await page.waitForFunction((top) => document.querySelector('#sides').getBoundingClientRect().top > top + 100, sides.y);
  await page.tap('#tab-rig');
  await page.waitForFunction((top) => Math.abs(document.querySelector('#sides').getBoundingClientRect().top - top) < 2, sides.y);
  const small = await page.$$eval('button, select, [role=tab]', (all) =>
    all.filter((each) => each.checkVisibility() && each.getBoundingClientRect().height < 24).map((each) => each.outerHTML.slice(0, 80)),
  );
  assert.deepEqual(small.filter((html) => !html.includes('grip')), []);
  assert.deepEqual(errors, []);
  await close();
});

test('the theme follows the system until the user chooses, and the choice is kept', async () => {
  const { page, close } = await openStudio(shared, { colorScheme: 'dark' });
  const surface = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const dark = await surface();
  await page.click('[aria-label="Light theme"]');
  assert.notEqual(await surface(), dark);
  assert.equal(await page.getAttribute('pliant-viewer', 'theme'), 'light');
  await page.reload();
  assert.notEqual(await surface(), dark);
  await rigged(page);
  await page.click('[aria-label="Dark theme"]');
  assert.equal(await surface(), dark);
  await close();
});

test('nothing jumps while the page opens', async () => {
  const init = () => {
    globalThis.shift = 0;
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) globalThis.shift += entry.value;
    }).observe({ type: 'layout-shift', buffered: true });
  };
  const { page, close } = await openStudio(shared, { init });
  assert.ok((await page.evaluate(() => globalThis.shift)) < 0.02);
  await close();
});

test('where there is no WebGL2, the page says so in words', async () => {
  const context = await shared.browser.newContext();
  const page = await context.newPage();
  await page.addInitScript(() => {
    HTMLCanvasElement.prototype.getContext = () => null;
  });
  await page.goto(`${shared.site.url}index.html`);
  await page.waitForSelector('.error-message');
  assert.match(await page.textContent('.error-message'), /WebGL2/);
  await context.close();
});

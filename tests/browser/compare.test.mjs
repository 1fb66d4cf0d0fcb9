/** Two methods side by side: one picture with two views, on the element and on the page. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { drawingOf, pictureOf } from './pictures.mjs';
import { axe, openStudio, state, studioTests } from './studio.mjs';
import { drawn, loadSample, loseContext, onBarePage, setUp } from './support.mjs';

const shared = setUp();

const POSE = { 'upper_arm.L': [0, 0, 55], 'upper_arm.R': [0, 0, -55], 'thigh.L': [-70, 0, 0], 'thigh.R': [-70, 0, 0] };

/** A posed mannequin on a page of its own; `attributes` as in the tag. */
async function onPosed(attributes, work, options) {
  await onBarePage(
    shared,
    async (page) => {
      await loadSample(page, 'mannequin', { vertices: 3000, attributes: { bones: 'hidden', ...attributes } });
      await page.evaluate((pose) => document.querySelector('pliant-viewer').setPose(pose), POSE);
      await compared(page);
      await work(page);
    },
    options,
  );
}

/** Waits until both views show their weights. */
async function compared(page) {
  await page.waitForFunction(() => {
    const { compare, compareReport, report, busy } = document.querySelector('pliant-viewer');
    return report !== null && !busy && (compare === null) === (compareReport === null);
  });
  await drawn(page);
}

const set = (page, values) =>
  page.evaluate((values) => Object.assign(document.querySelector('pliant-viewer'), values), values);

const get = (page, name) => page.evaluate((name) => document.querySelector('pliant-viewer')[name], name);

/** Where the handle's middle is in the window. */
async function handle(page) {
  const { x, y, width, height } = await page.locator('pliant-viewer .handle').boundingBox();
  return { x: x + width / 2, y: y + height / 2 };
}

const divider = (page) => page.locator('pliant-viewer [role=separator]');

/** Shares of the width that keep clear of the line itself. */
const MARGIN = 0.005;

for (const [left, right, show] of [
  ['atlas', 'heat', 'shaded'],
  ['heat', 'glow', 'weights'],
  ['atlas', 'distance', 'regions'],
]) {
  test(`left of the divider is what ${left} gives, right of it what ${right} gives (${show})`, () =>
    onPosed({ method: left, show }, async (page) => {
      await set(page, { selectedJoint: 'upper_arm.L' });
      const first = await drawingOf(page);
      await set(page, { method: right });
      await compared(page);
      const second = await drawingOf(page);
      await set(page, { method: left, compare: right, divider: 0.53 });
      await compared(page);
      const both = await drawingOf(page);
      const [toLeft, toRight] = [
        [0, 0.53 - MARGIN],
        [0.53 + MARGIN, 1],
      ];
      assert.equal(both.columns(...toLeft).difference(first.columns(...toLeft)), 0, 'the left side is the first picture');
      assert.equal(both.columns(...toRight).difference(second.columns(...toRight)), 0, 'the right side is the second');
      const differs = both.columns(...toRight).difference(first.columns(...toRight));
      assert.ok(differs > 0.001, `the methods differ, by ${differs}`);
    }));
}

test('each view has its own colours, softness and deformer', () =>
  onPosed({ show: 'weights' }, async (page) => {
    await set(page, { selectedJoint: 'upper_arm.L', compare: 'atlas', compareShow: 'shaded' });
    await compared(page);
    const rightOf = async () => (await drawingOf(page)).columns(0.5 + MARGIN, 1);
    const leftOf = async () => (await drawingOf(page)).columns(0, 0.5 - MARGIN);
    const [left, right] = [await leftOf(), await rightOf()];
    await set(page, { compareDeformer: 'dqs' });
    const twisted = await rightOf();
    assert.ok(right.difference(twisted) > 0.0005, 'the second view has its own deformer');
    await page.evaluate(() => {
      const viewer = document.querySelector('pliant-viewer');
      const { compareRecipe } = viewer;
      viewer.compareRecipe = { ...compareRecipe, atlas: { ...compareRecipe.atlas, k: 1.8 } };
    });
    await page.waitForFunction(() => !document.querySelector('pliant-viewer').busy);
    assert.ok(twisted.difference(await rightOf()) > 0.001, 'and its K');
    assert.equal(left.difference(await leftOf()), 0, 'the first view is unchanged');
    assert.equal(await get(page, 'atlasK'), 0.5);
    const names = await page.locator('pliant-viewer .view-name').allTextContents();
    assert.deepEqual(names, ['Atlas · Softness 0.5 (K) · Deformer Linear', 'Atlas · Softness 1.8 (K) · Deformer Dual quaternion']);
  }));

test('the second view starts with the parameters of the first, whatever the order of the attributes', () =>
  onBarePage(shared, async (page) => {
    const recipe = await page.evaluate(async () => {
      const holder = document.createElement('div');
      holder.innerHTML = '<pliant-viewer compare="atlas" src="sample:arm" atlas-k="0.8" max-influences="2"></pliant-viewer>';
      const viewer = holder.firstChild;
      const complete = new Promise((done) => viewer.addEventListener('compare-complete', done, { once: true }));
      document.body.append(viewer);
      await complete;
      // From here on each goes its own way.
      viewer.atlasK = 0.3;
      await new Promise((done) => viewer.addEventListener('rig-complete', done, { once: true }));
      return viewer.compareRecipe;
    });
    assert.deepEqual([recipe.method, recipe.atlas.k, recipe.max_influences], ['atlas', 0.8, 2]);
  }));

test('a pointer drags the divider by its handle and by its line; a double click resets it', () =>
  onPosed({ compare: 'heat' }, async (page) => {
    const box = await page.locator('pliant-viewer').boundingBox();
    const camera = await get(page, 'camera');
    const from = await handle(page);
    await page.mouse.move(from.x + 5, from.y);
    await page.mouse.down();
    await page.mouse.move(from.x - 95, from.y - 30, { steps: 4 });
    await page.mouse.up();
    const share = 0.5 - 100 / box.width;
    assert.ok(Math.abs((await get(page, 'divider')) - share) < 0.002, 'it goes as far as the pointer does');
    assert.equal(await page.getAttribute('pliant-viewer', 'divider'), String(await get(page, 'divider')));
    // High up, where there is no handle and no character.
    const line = box.x + (await get(page, 'divider')) * box.width;
    await page.mouse.move(line + 2, box.y + 12);
    assert.equal(await page.locator('pliant-viewer canvas').evaluate((canvas) => canvas.style.cursor), 'ew-resize');
    await page.mouse.down();
    await page.mouse.move(box.x + 0.75 * box.width, box.y + 40, { steps: 4 });
    await page.mouse.up();
    assert.ok(Math.abs((await get(page, 'divider')) - 0.75) < 0.005);
    assert.deepEqual(await get(page, 'camera'), camera, 'the camera stays');
    const { x, y } = await handle(page);
    await page.mouse.dblclick(x, y);
    assert.equal(await get(page, 'divider'), 0.5);
    // Beside the line, the picture turns as ever.
    await page.mouse.move(box.x + 60, box.y + 60);
    await page.mouse.down();
    await page.mouse.move(box.x + 160, box.y + 80, { steps: 4 });
    await page.mouse.up();
    assert.notDeepEqual(await get(page, 'camera'), camera);
    assert.equal(await get(page, 'divider'), 0.5);
  }));

test('keys move the divider, and its accessible value names its position and both views', () =>
  onPosed({ compare: 'heat', divider: '0.3' }, async (page) => {
    await divider(page).focus();
    for (const [key, share] of [
      ['ArrowRight', 0.31],
      ['ArrowLeft', 0.3],
      ['Shift+ArrowRight', 0.4],
      ['PageDown', 0.3],
      ['End', 1],
      ['ArrowRight', 1],
      ['Home', 0],
    ]) {
      await page.keyboard.press(key);
      assert.equal(await get(page, 'divider'), share, key);
      assert.equal(await divider(page).getAttribute('aria-valuenow'), String(Math.round(share * 100)));
    }
    assert.equal(await divider(page).getAttribute('aria-label'), 'Divider between Atlas · Softness 0.5 (K) and Heat');
    // At the ends there is only one of the two, and the handle can still be taken hold of.
    await drawn(page);
    const box = await page.locator('pliant-viewer').boundingBox();
    assert.ok((await handle(page)).x > box.x + 10);
  }));

test('both views follow a rotated joint and a scrubbed clip; without a change no frame is drawn', () =>
  onPosed({ compare: 'glow' }, async (page) => {
    const sides = async () => {
      const drawing = await drawingOf(page);
      return [drawing.columns(0, 0.5 - MARGIN), drawing.columns(0.5 + MARGIN, 1)];
    };
    const moved = async (before, what) => {
      const after = await sides();
      for (const [index, side] of before.entries()) assert.ok(side.difference(after[index]) > 0.005, `${what}, view ${index}`);
      return after;
    };
    const first = await sides();
    await page.evaluate(() => document.querySelector('pliant-viewer').setPose({ chest: [0, 0, 25] }));
    const turned = await moved(first, 'a turn');
    await set(page, { currentTime: 0.4 });
    await moved(turned, 'a clip');
    const drawings = () => page.evaluate(() => globalThis.drawings);
    await page.evaluate(() => {
      globalThis.drawings = 0;
      const { prototype } = WebGL2RenderingContext;
      const { drawElements } = prototype;
      prototype.drawElements = function (...parts) {
        globalThis.drawings++;
        return drawElements.apply(this, parts);
      };
    });
    await set(page, { divider: 0.4 });
    await page.waitForTimeout(300);
    const once = await drawings();
    assert.ok(once > 0);
    await page.waitForTimeout(300);
    assert.equal(await drawings(), once);
  }));

test('a click on the skin selects by the weights of the view it is in', () =>
  onPosed({ compare: 'heat' }, async (page) => {
    const box = await page.locator('pliant-viewer').boundingBox();
    for (const joint of ['shin.L', 'shin.R']) {
      const [x, y] = await page.evaluate(
        (joint) => [...document.querySelector('pliant-viewer')[Symbol.for('pliant.inside')].viewer.jointOnCanvas(joint)],
        joint,
      );
      await page.mouse.click(box.x + x, box.y + y + 14);
      assert.equal(await get(page, 'selectedJoint'), joint);
    }
  }));

test('other weights of one view are not requested for the other, and the export has those of the first', () =>
  onPosed({}, async (page) => {
    const exported = () =>
      page.evaluate(async () => Array.from(new Uint8Array(await (await document.querySelector('pliant-viewer').exportGLB()).arrayBuffer())));
    const before = await exported();
    await set(page, { compare: 'heat' });
    await compared(page);
    assert.deepEqual(await exported(), before);
    const shown = await page.evaluate(async () => {
      const viewer = document.querySelector('pliant-viewer');
      const inside = viewer[Symbol.for('pliant.inside')].viewer;
      const shown = [];
      const show = Object.getPrototypeOf(inside).showRig;
      inside.showRig = function (view, packet) {
        shown.push(view);
        return show.call(this, view, packet);
      };
      const settled = (type) => new Promise((done) => viewer.addEventListener(type, done, { once: true }));
      viewer.atlasK = 1.2;
      await settled('rig-complete');
      viewer.compareRecipe = { ...viewer.compareRecipe, heat: { conductance: 9 } };
      await settled('compare-complete');
      viewer.maxInfluences = 3;
      await settled('rig-complete');
      return shown;
    });
    assert.deepEqual(shown, [0, 1, 0]);
    assert.notDeepEqual(await exported(), before, 'the first view was changed');
  }));

test('without a second view the picture is that of the first again, and nothing of the second is kept', () =>
  onPosed({}, async (page) => {
    const before = await drawingOf(page);
    const memory = () => page.evaluate(() => document.querySelector('pliant-viewer')[Symbol.for('pliant.inside')].memory());
    const toggle = async () => {
      await set(page, { compare: 'heat' });
      await compared(page);
      await set(page, { compare: null });
      await compared(page);
    };
    await toggle();
    assert.equal((await drawingOf(page)).difference(before), 0);
    assert.equal(await divider(page).isVisible(), false);
    assert.equal(await get(page, 'compareReport'), null);
    const first = await memory();
    for (let i = 0; i < 8; i++) await toggle();
    assert.deepEqual(await memory(), first, 'page and worker take no more than after the first time');
  }));

test('another character is rigged for both views; a request of a second view that was closed is cancelled', () =>
  onPosed({ compare: 'heat' }, async (page) => {
    const results = await page.evaluate(async () => {
      const viewer = document.querySelector('pliant-viewer');
      const heard = [];
      for (const type of ['load', 'rig-complete', 'compare-complete', 'error']) viewer.addEventListener(type, () => heard.push(type));
      const complete = () => new Promise((done) => viewer.addEventListener('compare-complete', done, { once: true }));
      const first = complete();
      await viewer.load({ kind: 'url', url: 'samples/elephant-3000.glb' });
      await first;
      const inside = { ...viewer.compareReport };
      // A large one takes its time: stopped by the user, it stays wanted; taken back, it is
      // forgotten.
      await viewer.load({ kind: 'url', url: 'samples/mannequin-30000.glb' });
      await new Promise((done) => viewer.addEventListener('progress', done, { once: true }));
      viewer.cancel();
      await new Promise((done) => setTimeout(done, 50));
      const afterCancel = [viewer.busy, viewer.compare, viewer.compareReport, viewer.report !== null];
      viewer.compare = null;
      await new Promise((done) => setTimeout(done, 50));
      viewer.compare = 'distance';
      await complete();
      return { heard, method: inside.method, afterCancel, last: viewer.compareReport.method };
    });
    assert.deepEqual(results.heard.slice(0, 3), ['load', 'rig-complete', 'compare-complete']);
    assert.equal(results.method, 'heat');
    assert.deepEqual(results.afterCancel, [false, 'heat', null, true]);
    assert.equal(results.last, 'distance');
    assert.ok(!results.heard.includes('error'));
  }));

test('both views are drawn again after the WebGL context was lost', () =>
  onPosed({ compare: 'heat', show: 'weights' }, async (page) => {
    await set(page, { selectedJoint: 'upper_arm.L' });
    const before = await drawingOf(page);
    await loseContext(page);
    assert.ok(before.difference(await drawingOf(page)) < 0.001);
  }));

const studioTest = studioTests(shared);

const TOGGLE = '.viewbar [aria-label="Compare two methods"]';
const chooseSide = (page, name) => page.click(`.side-choice .segment:has-text("${name}")`);
const method = (page) => page.inputValue('#panel-rig .field:has(label:text-is("Method")) select');

studioTest('the button opens a second view with heat, the panel changes the chosen side, and all of it can be undone', {}, async (page) => {
  assert.equal(await page.isVisible('.side-choice'), false);
  await page.click(TOGGLE);
  await compared(page);
  assert.equal(await page.getAttribute(TOGGLE, 'aria-pressed'), 'true');
  assert.deepEqual([await get(page, 'compare'), await method(page)], ['heat', 'heat']);
  await page.selectOption('#panel-rig .field:has(label:text-is("Method")) select', 'glow');
  await compared(page);
  assert.deepEqual([await get(page, 'method'), await get(page, 'compare')], ['atlas', 'glow']);
  await page.selectOption('#panel-rig .field:has(label:text-is("View")) select', 'regions');
  assert.deepEqual([await get(page, 'show'), await get(page, 'compareShow')], ['shaded', 'regions']);
  await page.click('#panel-rig >> text=Dual quaternion');
  assert.deepEqual([await get(page, 'deformer'), await get(page, 'compareDeformer')], ['lbs', 'dqs']);
  await chooseSide(page, 'Left');
  assert.equal(await method(page), 'atlas');
  assert.equal(await page.isVisible('#panel-rig .field:has(label:text-is("View"))'), false);
  await page.fill('[aria-label="Softness (K), number"]', '1.5');
  await page.keyboard.press('Enter');
  await compared(page);
  assert.deepEqual([(await get(page, 'recipe')).atlas.k, (await get(page, 'compareRecipe')).atlas.k], [1.5, 0.5]);
  // All the way back, and forth again.
  const undo = page.locator('[aria-label^="Undo"]');
  for (let i = 0; i < 5; i++) await undo.click();
  await compared(page);
  assert.deepEqual([await get(page, 'atlasK'), await get(page, 'compare'), await get(page, 'compareShow')], [0.5, null, null]);
  assert.equal(await page.getAttribute(TOGGLE, 'aria-pressed'), 'false');
  assert.equal(await page.isVisible('.side-choice'), false);
  const redo = page.locator('[aria-label^="Redo"]');
  for (let i = 0; i < 5; i++) await redo.click();
  await compared(page);
  assert.deepEqual([await get(page, 'atlasK'), await get(page, 'compare'), await get(page, 'compareShow')], [1.5, 'glow', 'regions']);
  // Off and on again by key: what was compared with comes back.
  await page.locator('pliant-viewer canvas').focus();
  await page.keyboard.press('c');
  assert.equal(await get(page, 'compare'), null);
  await page.keyboard.press('c');
  await compared(page);
  assert.deepEqual([await get(page, 'compare'), await get(page, 'compareDeformer')], ['glow', 'dqs']);
});

studioTest('a second view that takes too long is cancelled, and the first fills the picture again', {}, async (page) => {
  await page.evaluate(() => document.querySelector('pliant-viewer').load({ kind: 'url', url: 'samples/mannequin-40000.glb' }));
  // Within the page: a click from outside may come after the end.
  await page.evaluate(async (toggle) => {
    const begun = new Promise((done) => document.querySelector('pliant-viewer').addEventListener('progress', done, { once: true }));
    document.querySelector(toggle).click();
    await begun;
    document.querySelector('.progress button').click();
  }, TOGGLE);
  assert.equal(await get(page, 'compare'), null);
  assert.equal(await page.getAttribute(TOGGLE, 'aria-pressed'), 'false');
  assert.equal(await get(page, 'busy'), false);
  // The first view is as it was, and can be changed and exported.
  await page.fill('[aria-label="Softness (K), number"]', '1.1');
  await page.keyboard.press('Enter');
  await compared(page);
  assert.deepEqual([await get(page, 'atlasK'), await divider(page).isVisible()], [1.1, false]);
});

test('a copied link restores both views and the divider', async () => {
  const first = await openStudio(shared);
  await first.page.click(TOGGLE);
  await compared(first.page);
  await first.page.fill('[aria-label="Conductance, number"]', '4');
  await first.page.keyboard.press('Enter');
  await divider(first.page).focus();
  await first.page.keyboard.press('PageDown');
  await compared(first.page);
  await first.page.click('text=Copy link');
  await first.page.waitForSelector('.toast:has-text("Link copied")');
  const link = await first.page.evaluate(() => navigator.clipboard.readText());
  await first.close();
  const second = await openStudio(shared, { hash: new URL(link).hash });
  await compared(second.page);
  const recipe = await get(second.page, 'compareRecipe');
  assert.deepEqual([recipe.method, recipe.heat.conductance, await get(second.page, 'divider')], ['heat', 4, 0.4]);
  assert.equal((await state(second.page)).recipe.method, 'atlas');
  assert.deepEqual(second.errors, []);
  await second.close();
});

for (const [name, options] of [
  ['a desk, light', { colorScheme: 'light' }],
  ['a desk, dark', { colorScheme: 'dark' }],
  ['a phone, light', { colorScheme: 'light', phone: true }],
  ['a phone, dark', { colorScheme: 'dark', phone: true }],
]) {
  studioTest(`two views on ${name}: axe finds nothing serious, and nothing overlaps`, options, async (page) => {
    await page.click(TOGGLE);
    await compared(page);
    assert.deepEqual(await axe(page), []);
    const boxes = await Promise.all(
      [page.locator('.viewbar'), ...(await page.locator('pliant-viewer .view-name').all())].map((each) => each.boundingBox()),
    );
    const [bar, ...names] = boxes;
    for (const name of names) assert.ok(name.y >= bar.y + bar.height, 'names stand below the bar');
    assert.ok(names[0].x + names[0].width <= names[1].x);
    assert.ok((await pictureOf(page)).colours > 200);
  });
}

studioTest('a finger drags the divider', { phone: true }, async (page) => {
  await page.click(TOGGLE);
  await compared(page);
  const { x, y } = await handle(page);
  const touch = await page.context().newCDPSession(page);
  const send = (type, points) => touch.send('Input.dispatchTouchEvent', { type, touchPoints: points });
  await send('touchStart', [{ x, y }]);
  await send('touchMove', [{ x: x - 40, y }]);
  await send('touchMove', [{ x: x - 78, y }]);
  await send('touchEnd', []);
  assert.ok(Math.abs((await get(page, 'divider')) - (0.5 - 78 / 390)) < 0.01, String(await get(page, 'divider')));
});

/**
 * Softness on the page: the K slider while it is dragged, its choices, and joints with a softness
 * of their own.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pictureOf } from './pictures.mjs';
import { axe, openStudio, rigged, state, studioTests } from './studio.mjs';
import { drawn, setUp } from './support.mjs';

const shared = setUp();

const studioTest = studioTests(shared);

const HERO = '[aria-label="Softness (K)"]';
const NUMBER = '[aria-label="Softness (K), number"]';

const k = async (page) => (await state(page)).recipe.atlas.k;

/** Waits until weights by this K are on screen. */
function shows(page, k) {
  return page.waitForFunction((k) => {
    const viewer = document.querySelector('pliant-viewer');
    return Math.abs(viewer.atlasK - k) < 1e-9 && !viewer.busy;
  }, k);
}

/** The middle of the slider's thumb when it stands at a share of its way. */
async function place(page, share) {
  const box = await page.locator(HERO).boundingBox();
  const thumb = 22;
  return { x: box.x + thumb / 2 + share * (box.width - thumb), y: box.y + box.height / 2 };
}

async function grab(page, share) {
  const { x, y } = await place(page, share);
  await page.mouse.move(x, y);
  await page.mouse.down();
}

async function dragTo(page, share) {
  const { x, y } = await place(page, share);
  await page.mouse.move(x, y);
}

/** A bent character of this many vertices, standing still. */
async function bend(page, vertices) {
  await page.evaluate(async (vertices) => {
    const viewer = document.querySelector('pliant-viewer');
    await viewer.load({ kind: 'url', url: `samples/mannequin-${vertices}.glb` });
    viewer.setPose({ 'forearm.L': [0, 0, 80], 'forearm.R': [0, 0, -80], 'shin.L': [70, 0, 0], 'thigh.R': [-60, 0, 0] });
  }, vertices);
  await rigged(page);
  await drawn(page);
}

/** Where the vertices are now, as one list. */
function vertices(page) {
  return page.evaluate(() => Array.from(document.querySelector('pliant-viewer')[Symbol.for('pliant.inside')].viewer.posedVertices(0)));
}

function distance(a, b) {
  return Math.sqrt(a.reduce((sum, value, i) => sum + (value - b[i]) ** 2, 0) / a.length);
}

studioTest('the character changes while K is dragged, a little with every step', {}, async (page) => {
  await bend(page, 20_000);
  await grab(page, 0.5);
  const stops = [0.5, 0.6, 0.7, 0.8, 0.9, 1];
  const shapes = [];
  const pictures = [];
  for (const stop of stops) {
    await dragTo(page, stop);
    await page.waitForFunction((least) => document.querySelector('pliant-viewer').atlasK >= least, 2 * (stop - 0.01) ** 2);
    await rigged(page);
    await drawn(page);
    shapes.push(await vertices(page));
    pictures.push(await pictureOf(page));
  }
  // The pointer is still down: nothing above was the end of the drag.
  const ways = shapes.map((shape) => distance(shape, shapes[0]));
  for (let i = 1; i < ways.length; i++) {
    assert.ok(ways[i] > ways[i - 1], `softer is farther from where it began: ${ways}`);
    assert.ok(pictures[i].difference(pictures[i - 1]) > 1e-4, `picture ${i} is the one before`);
  }
  const largest = Math.max(...ways.slice(1).map((way, i) => way - ways[i]));
  assert.ok(largest < 0.6 * ways.at(-1), `no jump: ${ways}`);
  await page.mouse.up();
});

/** Drags K to and fro, as fast as a hand does; what was shown meanwhile. */
async function dragging(page) {
  await page.evaluate(() => {
    const viewer = document.querySelector('pliant-viewer');
    const { viewer: inside } = viewer[Symbol.for('pliant.inside')];
    const drags = { shown: 0, bases: 0, cards: 0 };
    globalThis.drags = drags;
    const show = Object.getPrototypeOf(inside).showRig;
    inside.showRig = function (view, packet) {
      drags.shown++;
      drags.bases += packet.base ? 1 : 0;
      return show.call(this, view, packet);
    };
    const card = document.querySelector('.progress');
    const cards = new MutationObserver(() => {
      if (!card.hidden) drags.cards++;
    });
    cards.observe(card, { attributes: true });
    globalThis.endDrags = () => {
      delete inside.showRig;
      cards.disconnect();
      return drags;
    };
  });
  await grab(page, 0.5);
  // Longer on a busy machine, until enough was shown.
  const isEnough = (drags) => drags.shown >= 8;
  for (let i = 1; i <= 40 || (i <= 600 && !isEnough(await page.evaluate(() => globalThis.drags))); i++) {
    await dragTo(page, 0.5 + 0.5 * Math.sin(i / 5));
    await page.waitForTimeout(16);
  }
  await page.mouse.up();
  await rigged(page);
  await page.waitForTimeout(200);
  return page.evaluate(() => globalThis.endDrags());
}

studioTest('while K is dragged at 20,000 vertices, weights are shown and nothing else is sent', {}, async (page) => {
  await bend(page, 20_000);
  const drags = await dragging(page);
  assert.ok(drags.shown >= 8, `only ${drags.shown} weights were shown`);
  assert.equal(drags.bases, 0, 'skeleton and regions travelled again');
  assert.equal(drags.cards, 0, 'a progress card flickered');
});

studioTest('a clip goes on while K is dragged', {}, async (page) => {
  const before = await state(page);
  assert.equal(before.paused, false);
  await grab(page, 0.5);
  await dragTo(page, 0.9);
  await page.waitForFunction((time) => document.querySelector('pliant-viewer').currentTime !== time, before.currentTime);
  assert.equal((await state(page)).paused, false);
  await page.mouse.up();
});

studioTest('a drag of K is one step of the history; a double click returns to 0.5', {}, async (page) => {
  assert.equal(await page.inputValue(NUMBER), '0.5');
  await grab(page, 0.5);
  for (let step = 1; step <= 8; step++) await dragTo(page, 0.5 + step * 0.05);
  await page.mouse.up();
  const soft = await k(page);
  assert.ok(soft > 1.4 && soft < 1.8, String(soft));
  await page.click('[aria-label="Undo softness"]');
  await shows(page, 0.5);
  assert.equal(await page.inputValue(NUMBER), '0.5');
  assert.equal(await page.locator('[aria-label^="Undo"]').getAttribute('aria-disabled'), 'true');
  await page.click('[aria-label="Redo softness"]');
  await shows(page, soft);
  const { x, y } = await place(page, 0.3);
  await page.mouse.dblclick(x, y);
  await shows(page, 0.5);
  // Both clicks and what they brought back are one step, from where the slider was before.
  await page.click('[aria-label="Undo softness"]');
  await shows(page, soft);
  await page.click('[aria-label="Redo softness"]');
  await shows(page, 0.5);
  await page.fill(NUMBER, '1.25');
  await page.keyboard.press('Enter');
  await shows(page, 1.25);
  const report = await page.evaluate(() => document.querySelector('pliant-viewer').report.overlap);
  assert.ok(report > 0.5, `${report} overlaps`);
});

const choose = (page, label, value) => page.locator(`.field:has(label:text-is("${label}")) select`).selectOption(value);

studioTest('distances and transitions are chosen, undone, and shown as a curve', {}, async (page) => {
  const atlas = async () => (await state(page)).recipe.atlas;
  const curve = () => page.getAttribute('.curve-picture path', 'd');
  const cubic = await curve();
  assert.ok(cubic.startsWith('M0.00 20.00') && cubic.endsWith('28.00 0.00'), cubic);
  await choose(page, 'Metric', 'dijkstra');
  await choose(page, 'Overlap metric', 'harmonic');
  await choose(page, 'Transition', 'linear');
  await rigged(page);
  const { distance, overlap_distance, transition } = await atlas();
  assert.deepEqual([distance, overlap_distance, transition], ['dijkstra', 'harmonic', 'linear']);
  const linear = await curve();
  assert.notEqual(linear, cubic);
  await choose(page, 'Overlap metric', 'same');
  assert.equal((await atlas()).overlap_distance, null);
  assert.ok(!(await page.isVisible('text=Hierarchy guard')));
  await choose(page, 'Metric', 'euclidean');
  await page.fill('[aria-label="Hierarchy guard, number"]', '');
  await page.keyboard.press('Enter');
  assert.equal((await atlas()).guard, null);
  await page.click('[aria-label="Undo hierarchy guard"]');
  assert.equal((await atlas()).guard, 1);
  await page.click('[aria-label="Undo metric"]');
  await page.click('[aria-label="Undo overlap metric"]');
  await page.click('[aria-label="Undo transition"]');
  await rigged(page);
  assert.equal(await curve(), cubic);
  assert.equal((await atlas()).overlap_distance, 'harmonic');
});

studioTest('a custom curve is edited by dragging its points, and by keys', {}, async (page) => {
  const points = async () => (await state(page)).recipe.atlas.transition.curve;
  assert.ok(!(await page.isVisible('.curve-editor')));
  await choose(page, 'Transition', 'curve');
  await page.waitForSelector('.curve-editor');
  const before = await points();
  const handle = page.locator('[aria-label="First point"]');
  const box = await handle.boundingBox();
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await page.mouse.move(x, y);
  await page.mouse.down();
  for (let step = 1; step <= 5; step++) await page.mouse.move(x - 4 * step, y - 3 * step);
  await page.mouse.up();
  const [first, second] = await points();
  assert.ok(first[0] < before[0][0] - 0.03 && first[1] > before[0][1] + 0.03, JSON.stringify(first));
  assert.deepEqual(second, before[1]);
  await page.keyboard.press('Control+z');
  assert.deepEqual(await points(), before);
  await page.focus('[aria-label="Second point"]');
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('Shift+ArrowDown');
  const moved = await points();
  assert.deepEqual(moved[1], [0.64, 0.8]);
  // Points never pass each other.
  for (let press = 0; press < 12; press++) await page.keyboard.press('Shift+ArrowLeft');
  const [left, right] = await points();
  assert.ok(right[0] > left[0], JSON.stringify([left, right]));
  assert.match(await page.getAttribute('[aria-label="Second point"]', 'aria-valuetext'), /depth \d+ %, weight 80 %/);
  await rigged(page);
});

const OWN = '[aria-label="Softness of this joint"]';
const badges = (page) =>
  page.evaluate(() => [...document.querySelector('pliant-viewer').shadowRoot.querySelectorAll('.joint-label:not([hidden])')].map((each) => [each.dataset.joint, each.textContent]));

test('a joint has a softness of its own: badge, undo, double click, link', async () => {
  const { page, errors, close } = await openStudio(shared, { hash: '#arm' });
  const joint = (await state(page)).model.joints[1];
  await page.click(`[data-joint="${joint}"]`);
  assert.deepEqual(await badges(page), []);
  await page.fill('[aria-label="Softness of this joint, number"]', '1.5');
  await page.keyboard.press('Enter');
  await page.waitForFunction((joint) => document.querySelector('pliant-viewer').atlasKJoints[joint] === 1.5, joint);
  await rigged(page);
  assert.deepEqual(await badges(page), [[joint, 'K 1.5']]);
  assert.match(await page.textContent(`[data-joint="${joint}"] .joint-k`), /1\.5/);
  const near = await page.evaluate((joint) => {
    const viewer = document.querySelector('pliant-viewer');
    const [x, y] = viewer[Symbol.for('pliant.inside')].viewer.jointOnCanvas(joint);
    const box = viewer.shadowRoot.querySelector('.joint-label').getBoundingClientRect();
    const { left, top } = viewer.getBoundingClientRect();
    return Math.hypot(box.left - left - x, box.top - top - y);
  }, joint);
  assert.ok(near < 40, `the badge is ${near} pixels from its joint`);
  await page.click(`[aria-label="Undo softness of ${joint}"]`);
  assert.deepEqual(await badges(page), []);
  assert.equal(await page.locator('.joint-k').count(), 0);
  await page.click(`[aria-label="Redo softness of ${joint}"]`);
  assert.deepEqual(await badges(page), [[joint, 'K 1.5']]);
  await page.click('text=Copy link');
  const link = await page.evaluate(() => navigator.clipboard.readText());

  await page.locator(OWN).scrollIntoViewIfNeeded();
  const box = await page.locator(OWN).boundingBox();
  await page.mouse.dblclick(box.x + box.width * 0.25, box.y + box.height / 2);
  await page.waitForFunction(() => Object.keys(document.querySelector('pliant-viewer').atlasKJoints).length === 0);
  assert.deepEqual(await badges(page), []);
  await page.waitForFunction(() => document.querySelector('[aria-label="Softness of this joint, number"]').value === '0.5');
  assert.deepEqual(errors, []);
  await close();

  const second = await openStudio(shared, { hash: new URL(link).hash });
  assert.deepEqual((await state(second.page)).recipe.atlas.k_joints, { [joint]: 1.5 });
  assert.deepEqual(await badges(second.page), [[joint, 'K 1.5']]);
  // Another character has other joints.
  await second.page.click('.character');
  await second.page.click('[role=menuitemradio]:has-text("Hand")');
  await second.page.waitForFunction(() => document.querySelector('.character-name').textContent === 'Hand');
  await rigged(second.page);
  assert.deepEqual((await state(second.page)).recipe.atlas.k_joints, {});
  assert.deepEqual(second.errors, []);
  await second.close();
});

for (const colorScheme of ['light', 'dark']) {
  for (const phone of [false, true]) {
    test(`axe finds nothing serious in what softness brought: ${colorScheme}, ${phone ? 'phone' : 'desk'}`, async () => {
      const { page, errors, close } = await openStudio(shared, { colorScheme, phone });
      await page.evaluate(() => {
        const viewer = document.querySelector('pliant-viewer');
        viewer.pause();
        viewer.selectedJoint = 'forearm.L';
        viewer.show = 'overlaps';
      });
      await choose(page, 'Metric', 'euclidean');
      await choose(page, 'Transition', 'curve');
      await rigged(page);
      assert.ok(await page.isVisible('.curve-editor'));
      assert.deepEqual(await axe(page), [], 'choices and the curve');
      if (phone) {
        assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
        await page.tap('#tab-pose');
      }
      await page.fill('[aria-label="Softness of this joint, number"]', '1.5');
      await page.keyboard.press('Enter');
      await rigged(page);
      assert.deepEqual(await axe(page), [], 'the softness of a joint');
      if (phone) await page.tap('#tab-joints');
      assert.equal(await page.locator('.joint-k:visible').count(), 1);
      assert.deepEqual(await axe(page), [], 'the list of joints');
      assert.deepEqual(errors, []);
      await close();
    });
  }
}

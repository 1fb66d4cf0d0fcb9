/**
 * Handles on the skin: placed by clicks, pulled by the pointer, undone, and joints to everybody
 * else.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { axe, drop, jointAt, openStudio, rigged } from './studio.mjs';
import { barePage, drawn, require, setUp } from './support.mjs';
import { movedByThree } from './three.mjs';

const validator = require('gltf-validator');

const shared = setUp();

/** A card of `count` vertices a side, as somebody drops it. */
function card(count = 24) {
  const at = (i) => (i / (count - 1)) * 2 - 1;
  const lines = [];
  for (let y = 0; y < count; y++) for (let x = 0; x < count; x++) lines.push(`v ${at(x)} ${at(y)} 0`);
  for (let y = 0; y < count - 1; y++)
    for (let x = 0; x < count - 1; x++) {
      const corner = y * count + x + 1;
      lines.push(`f ${corner} ${corner + 1} ${corner + count + 1}`, `f ${corner} ${corner + count + 1} ${corner + count}`);
    }
  return lines.join('\n');
}

/** An element with the card, held by a handle in the middle of its left and of its right edge. */
async function heldCard(page) {
  await page.evaluate(async (text) => {
    const viewer = document.createElement('pliant-viewer');
    viewer.setAttribute('method', 'bbw');
    viewer.setAttribute('skeleton', 'none');
    document.body.append(viewer);
    globalThis.heard = [];
    for (const name of ['skeleton-needed', 'handle-change', 'gesture-start', 'gesture-end', 'select'])
      viewer.addEventListener(name, ({ detail }) => globalThis.heard.push({ name, detail }));
    await viewer.load({ kind: 'files', files: [new File([text], 'card.obj')] });
    viewer.camera = { target: [0, 0, 0], yaw: 0, pitch: 0, distance: 5 };
    globalThis.left = viewer.addHandle({ point: [-1.2, 0, 0] }, 'left');
    globalThis.right = viewer.addHandle({ vertex: 24 * 12 + 23 });
  }, card());
  await rigged(page);
  await drawn(page);
}

const inside = (page, work, argument) =>
  page.evaluate(`(async (argument) => {
    const viewer = document.querySelector('pliant-viewer');
    const inner = viewer[Symbol.for('pliant.inside')].viewer;
    return (${work})(viewer, inner, argument);
  })(${JSON.stringify(argument ?? null)})`);

/** Where a handle is in the window. */
async function handleAt(page, name) {
  const [x, y] = await inside(page, `(viewer, inner, name) => {
    const { left, top } = viewer.getBoundingClientRect();
    const [x, y] = inner.handleOnCanvas(name);
    return [left + x, top + y];
  }`, name);
  return { x, y };
}

async function drag(page, from, by) {
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move(from.x + by.x, from.y + by.y, { steps: 12 });
}

const vertices = (page) => inside(page, '(viewer, inner) => Array.from(inner.drawnVertices(0))');

test('the element: a mesh without bones is rigged by handles alone, which can be dragged and emit events', async () => {
  const { page, errors } = await barePage(shared.browser, shared.site);
  try {
    await heldCard(page);
    const told = await page.evaluate(() => ({
      heard: globalThis.heard.map(({ name }) => name),
      names: [globalThis.left, globalThis.right],
      joints: document.querySelector('pliant-viewer').report.joints.map(({ name, isHandle }) => [name, isHandle]),
      selected: document.querySelector('pliant-viewer').selectedHandle,
      handles: document.querySelector('pliant-viewer').handles,
    }));
    assert.ok(told.heard.includes('skeleton-needed') && told.heard.includes('handle-change'));
    assert.deepEqual(told.names, ['left', 'Handle 1']);
    assert.deepEqual(told.joints, [['left', true], ['Handle 1', true]]);
    assert.equal(told.selected, 'Handle 1', 'the newest is selected');
    assert.ok(Math.abs(told.handles[0].at[0] + 1) < 1e-6, 'a point snaps to the skin');

    const before = await vertices(page);
    const [start, other] = [await handleAt(page, 'Handle 1'), await handleAt(page, 'left')];
    await drag(page, start, { x: -30, y: -70 });
    const held = await handleAt(page, 'Handle 1');
    assert.ok(Math.hypot(held.x - start.x + 30, held.y - start.y + 70) < 1, 'it is where the pointer is');
    await page.mouse.up();
    const now = await handleAt(page, 'left');
    assert.ok(Math.hypot(now.x - other.x, now.y - other.y) < 1, 'the other stays');
    await drawn(page);
    const after = await vertices(page);
    const moved = before.map((x, i) => Math.abs(x - after[i]));
    assert.ok(Math.max(...moved) > 0.3 && moved.every(Number.isFinite));
    // As stiffly as it can: the card turns and hardly stretches.
    const length = (positions, a, b) => Math.hypot(...[0, 1, 2].map((c) => positions[3 * a + c] - positions[3 * b + c]));
    const stretch = length(after, 0, 23) / length(before, 0, 23);
    assert.ok(Math.abs(stretch - 1) < 0.15, `${stretch}`);

    const events = await page.evaluate(() => globalThis.heard.splice(0));
    const names = events.map(({ name }) => name);
    assert.equal(names.filter((name) => name === 'gesture-start').length, 1);
    assert.equal(names.at(-1), 'gesture-end');
    const changes = events.filter(({ name }) => name === 'handle-change').map(({ detail }) => detail);
    assert.ok(changes.some(({ final }) => !final) && changes.at(-1).final);
    assert.deepEqual(Object.keys(changes.at(-1).targets), ['Handle 1']);

    // A joint turned below the layer leaves it pinned; a double click lets it go.
    const pinned = await handleAt(page, 'Handle 1');
    await inside(page, "(viewer) => viewer.setPose({ left: [0, 0, 20] })");
    const still = await handleAt(page, 'Handle 1');
    assert.ok(Math.hypot(still.x - pinned.x, still.y - pinned.y) < 1.5);
    await inside(page, '(viewer) => viewer.resetPose()');
    assert.deepEqual(await inside(page, '(viewer) => viewer.handleTargets'), {});
    await inside(page, "(viewer) => viewer.moveHandle('Handle 1', [1, 0.5, 0.5])");
    assert.deepEqual(Object.keys(await inside(page, '(viewer) => viewer.handleTargets')), ['Handle 1']);
    const pulled = await handleAt(page, 'Handle 1');
    await page.mouse.dblclick(pulled.x, pulled.y);
    assert.deepEqual(await inside(page, '(viewer) => viewer.handleTargets'), {});
    await drawn(page);
    assert.deepEqual(await vertices(page), before);

    // Without any, the mesh is bare again.
    await inside(page, '(viewer) => { viewer.handles = []; }');
    await page.waitForFunction(() => document.querySelector('pliant-viewer').report === null);
    assert.equal(await page.evaluate(() => globalThis.heard.at(-1).name), 'skeleton-needed');
    assert.deepEqual(errors, []);
  } finally {
    await page.close();
  }
});

test('the export is a plain skin: valid, and three.js moves it by its joints as we do', async () => {
  const { page, errors } = await barePage(shared.browser, shared.site);
  try {
    await heldCard(page);
    const by = [0.25, 0.125, -0.5];
    const { glb, rest, moved } = await inside(page, `async (viewer, inner, by) => {
      const rest = Array.from(inner.drawnVertices(0));
      const targets = Object.entries(viewer.handlePositions).map(([name, at]) => [name, at.map((x, i) => x + by[i])]);
      viewer.handleTargets = Object.fromEntries(targets);
      await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
      const moved = Array.from(inner.drawnVertices(0));
      const bytes = new Uint8Array(await (await viewer.exportGLB()).arrayBuffer());
      return { glb: btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')), rest, moved };
    }`, by);
    const bytes = new Uint8Array(Buffer.from(glb, 'base64'));
    const { issues } = await validator.validateBytes(bytes, { maxIssues: 20 });
    assert.equal(issues.numErrors, 0, JSON.stringify(issues.messages, null, 1));
    // Both joints moved alike move the card as both handles do.
    const both = await movedByThree(bytes, { left: by, 'Handle 1': by });
    assert.equal(both.positions.length, moved.length);
    const worst = (a, b) => a.reduce((worst, x, i) => Math.max(worst, Math.abs(x - b[i])), 0);
    assert.ok(worst(both.positions, moved) < 1e-3, `${worst(both.positions, moved)}`);
    // One of them moves every vertex by its share.
    const one = await movedByThree(bytes, { 'Handle 1': by });
    const shares = one.weightsOf('Handle 1');
    assert.ok(shares.some((share) => share > 0.999) && shares.some((share) => share < 0.001));
    const expected = rest.map((x, i) => x + by[i % 3] * shares[Math.floor(i / 3)]);
    assert.ok(worst(one.positions, expected) < 1e-4);
    assert.deepEqual(errors, []);
  } finally {
    await page.close();
  }
});

test('the page: click, click, drag, undo, redo, rename, remove, and a link that restores them', async () => {
  const { page, errors, close } = await openStudio(shared, { hash: '#cylinder' });
  try {
    await inside(page, "(viewer) => { viewer.pause(); viewer.setPose({}); }");
    await page.keyboard.press('h');
    assert.ok(await page.getByRole('region', { name: 'Place handles' }).isVisible());
    const [first, second] = await inside(page, '(viewer) => viewer.model.joints.map(({ name }) => name)');
    const [low, high] = [await jointAt(page, first), await jointAt(page, second)];
    const click = async (share) => {
      await page.mouse.click(low.x + (high.x - low.x) * share, low.y + (high.y - low.y) * share);
      await page.waitForFunction(() => document.querySelector('pliant-viewer').busy === false);
      await rigged(page);
    };
    const handles = () => inside(page, '(viewer) => viewer.handles.map(({ name }) => name)');
    await click(1.6);
    assert.equal(await inside(page, '(viewer) => viewer.method'), 'bbw', 'the first handle brings its weights along');
    await click(0.5);
    assert.deepEqual(await handles(), ['Handle 1', 'Handle 2']);
    const before = await page.locator('pliant-viewer').screenshot();
    const from = await handleAt(page, 'Handle 1');
    await drag(page, from, { x: 70, y: 20 });
    await page.mouse.up();
    const to = await handleAt(page, 'Handle 1');
    assert.ok(Math.hypot(to.x - from.x - 70, to.y - from.y - 20) < 1);
    await drawn(page);
    assert.ok(!before.equals(await page.locator('pliant-viewer').screenshot()), 'the picture is another');
    assert.deepEqual(await axe(page), []);

    await page.keyboard.press('Control+z');
    assert.deepEqual(await inside(page, '(viewer) => viewer.handleTargets'), {});
    await page.keyboard.press('Control+Shift+z');
    assert.deepEqual(Object.keys(await inside(page, '(viewer) => viewer.handleTargets')), ['Handle 1']);
    await page.keyboard.press('r');
    assert.deepEqual(await inside(page, '(viewer) => viewer.handleTargets'), {});

    await page.getByLabel('Name of Handle 2').fill('grip');
    await page.keyboard.press('Enter');
    await rigged(page);
    assert.deepEqual(await handles(), ['Handle 1', 'grip']);
    await page.getByRole('button', { name: 'Copy link' }).click();
    const link = await page.evaluate(() => location.hash);
    assert.match(link, /method=bbw.*handle=Handle\+1%40.*handle=grip%40/);

    await page.getByRole('button', { name: 'Remove Handle 1' }).click();
    await rigged(page);
    assert.deepEqual(await handles(), ['grip']);
    await page.keyboard.press('Control+z');
    await rigged(page);
    assert.deepEqual(await handles(), ['Handle 1', 'grip']);

    const again = await openStudio(shared, { hash: link });
    assert.deepEqual(await inside(again.page, '(viewer) => viewer.handles.map(({ name }) => name)'), ['Handle 1', 'grip']);
    assert.ok(await inside(again.page, "(viewer) => viewer.report.joints.some(({ name, isHandle }) => name === 'grip' && isHandle)"));
    await again.close();
    assert.deepEqual(errors, []);
  } finally {
    await close();
  }
});

test('on a phone, a finger places handles on a mesh without a skeleton and drags them', async () => {
  const { page, errors, close } = await openStudio(shared, { phone: true, hash: '#cylinder' });
  try {
    await drop(page, [{ name: 'card.obj', bytes: Buffer.from(card()) }]);
    await page.waitForFunction(() => {
      const viewer = document.querySelector('pliant-viewer');
      const isAsking = document.querySelector('.skeleton-card').checkVisibility();
      return !viewer.busy && (viewer.skeletonFit !== null || isAsking);
    });
    // Also if a skeleton could be fitted, which is doubtful for a card.
    if (!(await page.isVisible('.skeleton-card'))) {
      await page.tap('#tab-skeleton');
      await page.tap('[aria-label="Other skeleton…"]');
    }
    await page.waitForSelector('.skeleton-card:not([hidden])');
    await page.locator('.skeleton-card').getByRole('button', { name: 'Place handles' }).tap();
    await inside(page, '(viewer) => { viewer.camera = { target: [0, 0, 0], yaw: 0, pitch: 0, distance: 6 }; }');
    const box = await page.locator('pliant-viewer').boundingBox();
    for (const share of [0.4, 0.6]) {
      await page.touchscreen.tap(box.x + box.width * share, box.y + box.height / 2);
      await rigged(page);
    }
    assert.equal(await inside(page, '(viewer) => viewer.handles.length'), 2);
    const from = await handleAt(page, 'Handle 2');
    const touch = await page.context().newCDPSession(page);
    const at = (share) => [{ x: from.x + 20 * share, y: from.y - 60 * share }];
    await touch.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: at(0) });
    for (let step = 1; step <= 8; step++)
      await touch.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: at(step / 8) });
    await touch.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
    const to = await handleAt(page, 'Handle 2');
    assert.ok(Math.hypot(to.x - from.x - 20, to.y - from.y + 60) < 1.5, `${to.x - from.x} ${to.y - from.y}`);
    assert.deepEqual(errors, []);
  } finally {
    await close();
  }
});

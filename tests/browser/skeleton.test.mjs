/** Automatic skeletons: a bare mesh is dropped, moves, gets a marker, and is exported. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bareSample, torusObj } from './bare.mjs';
import { exported, loadFiles } from './files.mjs';
import { drop, jointAt, openStudio, rigged, state, studioTests } from './studio.mjs';
import { onBarePage, require, setUp } from './support.mjs';
import { posedByThree } from './three.mjs';
import { tube } from './tube.mjs';

const validator = require('gltf-validator');

const shared = setUp();

const studioTest = studioTests(shared);

const person = async () => ({ name: 'person.obj', bytes: await bareSample('mannequin', 4000) });

/** What the element says about the fitted skeleton. */
const fitOf = (page) => page.evaluate(() => document.querySelector('pliant-viewer').skeletonFit);

const headOf = (fit, label) => fit.bones.find((bone) => bone.label === label).head;

const distance = (a, b) => Math.hypot(...a.map((x, i) => x - b[i]));

/** Waits until the fit is another one than before, and the character has weights. */
async function refitted(page, work) {
  await page.evaluate(() => {
    globalThis.fitBefore = document.querySelector('pliant-viewer').skeletonFit;
  });
  await work();
  await page.waitForFunction(() => document.querySelector('pliant-viewer').skeletonFit !== globalThis.fitBefore);
  await rigged(page);
}

test('the element: a bare mesh gets a skeleton, moves, and is exported with the names that were chosen', () =>
  onBarePage(shared, async (page) => {
    await page.evaluate(() => {
      const viewer = document.createElement('pliant-viewer');
      viewer.setAttribute('joint-names', 'mixamo');
      document.body.append(viewer);
      globalThis.fits = [];
      viewer.addEventListener('skeleton-fit', ({ detail }) => globalThis.fits.push(detail));
    });
    await loadFiles(page, [await person()]);
    const found = await page.evaluate(() => {
      const viewer = document.querySelector('pliant-viewer');
      const { model, skeletonFit, animations, report, state } = viewer;
      const isState = state.skeletonFit === skeletonFit && state.jointNames === 'mixamo' && state.skeleton === 'auto';
      return { fits: globalThis.fits, needed: window.needed, animations, bones: report.bones, isState, size: model.size };
    });
    assert.equal(found.needed, 0);
    assert.ok(found.isState);
    assert.equal(found.fits.length, 1);
    const [fit] = found.fits;
    assert.equal(fit.plan, 'humanoid');
    assert.deepEqual(fit.orientation.up.map(Math.round), [0, 1, 0]);
    assert.deepEqual(fit.orientation.front.map(Math.round), [0, 0, 1]);
    assert.ok(fit.bones.every(({ confidence }) => confidence >= 0 && confidence <= 1));
    assert.ok(found.bones > 15, `${found.bones} bones`);
    assert.ok(headOf(fit, 'forearm.L')[0] > 0.1 && headOf(fit, 'forearm.R')[0] < -0.1, 'left is +X');
    assert.deepEqual(found.animations.length, 1);

    const glb = await exported(page);
    const { issues } = await validator.validateBytes(glb, { maxIssues: 20 });
    assert.equal(issues.numErrors, 0, JSON.stringify(issues.messages, null, 1));
    const length = Buffer.from(glb).readUInt32LE(12);
    const { nodes, skins } = JSON.parse(Buffer.from(glb).subarray(20, 20 + length).toString());
    const joints = skins[0].joints.map((node) => nodes[node].name);
    assert.ok(joints.includes('mixamorig:LeftForeArm'), joints.join(' '));

    const time = 0.6;
    const ours = await page.evaluate((time) => {
      const viewer = document.querySelector('pliant-viewer');
      const inner = viewer[Symbol.for('pliant.inside')].viewer;
      viewer.currentTime = 0;
      const rest = Array.from(inner.posedVertices(0));
      viewer.currentTime = time;
      return { rest, posed: Array.from(inner.posedVertices(0)), clip: viewer.animationName };
    }, time);
    const moved = Math.max(...ours.posed.map((x, i) => Math.abs(x - ours.rest[i])));
    assert.ok(moved > 0.1, `the clip moves vertices by ${moved}`);
    const theirs = await posedByThree(glb, ours.clip, time);
    const worst = ours.posed.reduce((worst, x, i) => Math.max(worst, Math.abs(x - theirs[i])), 0);
    assert.ok(worst < 1e-4, `three.js is off by ${worst}`);
  }));

test('the element: markers are kept, others follow, and a wrong label is refused', () =>
  onBarePage(shared, async (page) => {
    await loadFiles(page, [await person()]);
    const before = await fitOf(page);
    const elbow = headOf(before, 'forearm.L').map((x, axis) => x + [0.02, 0.03, 0][axis]);
    const marked = await page.evaluate(
      (elbow) => document.querySelector('pliant-viewer').fitSkeleton({ markers: { 'forearm.L': elbow } }),
      elbow,
    );
    assert.ok(distance(headOf(marked, 'forearm.L'), elbow) < 1e-4);
    // A joint that no marker of the plan names is moved alone.
    const spine = headOf(before, 'spine').map((x, axis) => x + [0, 0, 0.02][axis]);
    const edited = await page.evaluate(async (spine) => {
      const viewer = document.querySelector('pliant-viewer');
      const chains = [{ label: 'tail', parent: 'hips', base: [0, 0.95, -0.1], tip: [0, 0.8, -0.5], count: 3 }];
      const edits = { chains, removed: ['toe.L'], names: { head: 'Kopf' } };
      await viewer.fitSkeleton({ markers: { ...viewer.markers, spine }, edits });
      return { fit: viewer.skeletonFit, joints: viewer.model.joints.map(({ name, parent }) => [name, parent]) };
    }, spine);
    assert.ok(distance(headOf(edited.fit, 'spine'), spine) < 1e-5);
    const parents = Object.fromEntries(edited.joints);
    assert.equal(parents['tail.1'], 'hips');
    assert.equal(parents['tail.3'], 'tail.2');
    assert.ok('Kopf' in parents && !('head' in parents) && !('toe.L' in parents) && 'toe.R' in parents);
    const refused = await page.evaluate(() => {
      const viewer = document.querySelector('pliant-viewer');
      return viewer.fitSkeleton({ markers: { knie: [0, 0, 0] } }).then(() => null, ({ code, message }) => ({ code, message }));
    });
    assert.equal(refused.code, 'unknown_marker');
    assert.match(refused.message, /knie/);
  }));

test('the element: skeleton="none" asks for a skeleton, and the fitter is fetched only when one is fitted', () =>
  onBarePage(shared, async (page) => {
    const fetched = [];
    page.on('request', (request) => /fitter_bg.*\.wasm$/.test(request.url()) && fetched.push(request.url()));
    await page.evaluate(() => {
      const viewer = document.createElement('pliant-viewer');
      viewer.setAttribute('skeleton', 'none');
      document.body.append(viewer);
    });
    await loadFiles(page, [{ name: 'tube.glb', bytes: tube() }]);
    assert.equal(await page.evaluate(() => window.needed), 0);
    await loadFiles(page, [await person()]);
    assert.ok((await page.evaluate(() => window.needed)) > 0);
    assert.deepEqual(fetched, []);
    await page.evaluate(() => document.querySelector('pliant-viewer').setAttribute('skeleton', 'humanoid'));
    await rigged(page);
    assert.equal(fetched.length, 1);
    assert.equal((await fitOf(page)).planConfidence, 1);
  }));

studioTest('a bare character is dropped, moves, a joint is dragged, and undo takes it back', {}, async (page) => {
  await drop(page, [await person()]);
  await page.waitForFunction(() => document.querySelector('pliant-viewer').skeletonFit !== null);
  await rigged(page);
  assert.equal((await state(page)).paused, false);
  await page.waitForFunction(() => document.querySelector('pliant-viewer').currentTime > 0.2);
  const before = await fitOf(page);

  await page.click('.panel-skeleton button:has-text("Place joints")');
  await page.waitForSelector('.tool-bar:not([hidden])');
  await page.keyboard.press('Shift+F');
  const from = await jointAt(page, 'forearm.L');
  await refitted(page, async () => {
    await page.mouse.move(from.x, from.y);
    await page.mouse.down();
    await page.mouse.move(from.x + 14, from.y - 10, { steps: 8 });
    await page.mouse.up();
  });
  const dragged = await fitOf(page);
  const to = await jointAt(page, 'forearm.L');
  assert.ok(Math.hypot(to.x - from.x - 14, to.y - from.y + 10) < 2, 'it is where the pointer was');
  assert.deepEqual(await page.evaluate(() => Object.keys(document.querySelector('pliant-viewer').markers).sort()), [
    'forearm.L',
    'forearm.R',
  ]);
  assert.ok(distance(headOf(dragged, 'forearm.R'), headOf(before, 'forearm.R')) > 0.01, 'its mirror image moved');

  await refitted(page, () => page.keyboard.press('Control+z'));
  const undone = await fitOf(page);
  for (const { label, head } of before.bones) assert.ok(distance(head, headOf(undone, label)) < 1e-6, label);
  await page.click('.tool-done');

  await refitted(page, () => page.selectOption('.panel-skeleton .field:has-text("Names") select', 'unreal'));
  assert.ok((await state(page)).model.joints.includes('lowerarm_l'));
  await refitted(page, () => page.click('.panel-skeleton button:has-text("Flip")'));
  assert.deepEqual((await fitOf(page)).orientation.front.map(Math.round), [0, 0, -1]);
});

studioTest('a marker is asked for with a picture of where it goes, and a chain takes two clicks', {}, async (page) => {
  await drop(page, [await person()]);
  await page.waitForFunction(() => document.querySelector('pliant-viewer').skeletonFit !== null);
  await rigged(page);
  await page.click('button[aria-label^="Add a chain"]');
  await page.keyboard.press('Shift+F');
  const [hips, knee] = [await jointAt(page, 'hips'), await jointAt(page, 'shin.L')];
  await page.mouse.click(hips.x, hips.y + 4);
  await page.waitForFunction(() => /it ends/.test(document.querySelector('.tool-hint').textContent));
  await refitted(page, () => page.mouse.click(knee.x, knee.y));
  const { joints } = (await state(page)).model;
  assert.deepEqual(joints.filter((name) => name.startsWith('chain')), ['chain1.1', 'chain1.2', 'chain1.3', 'chain1.4']);
});

studioTest('a torus gets a clear word', {}, async (page) => {
  await drop(page, [{ name: 'torus.obj', bytes: torusObj() }]);
  await page.waitForSelector('.doubt, .error-card, .skeleton-card:not([hidden])');
  const words = await page.locator('.doubt, .error-card').allTextContents();
  assert.ok(words.join(' ').length > 20, words.join(' '));
});

test('on a phone, a bare character moves and its skeleton has a tab', async () => {
  const { page, errors, close } = await openStudio(shared, { phone: true });
  try {
    await drop(page, [await person()]);
    await page.waitForFunction(() => document.querySelector('pliant-viewer').skeletonFit !== null);
    await rigged(page);
    await page.tap('#tab-skeleton');
    assert.ok(await page.isVisible('.panel-skeleton button:has-text("Flip")'));
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
    assert.deepEqual(errors, []);
  } finally {
    await close();
  }
});

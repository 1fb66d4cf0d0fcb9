/** Automatic skeletons: a bare mesh is dropped, moves, gets a marker, and is exported. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { bareSample, bareSampleGlb, torusObj } from './bare.mjs';
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

/** The JSON of a GLB. */
function documentOf(glb) {
  const bytes = Buffer.from(glb);
  return JSON.parse(bytes.subarray(20, 20 + bytes.readUInt32LE(12)).toString());
}

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
    const { nodes, skins } = documentOf(glb);
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

/** Drops a bare character on the studio, and waits until it moves. */
async function dropped(page, file) {
  await drop(page, [file]);
  await page.waitForFunction(() => document.querySelector('pliant-viewer').skeletonFit !== null);
  await rigged(page);
}

/** Enters the step in which joints are placed, seen from the front. */
async function placeJoints(page) {
  await page.click('.panel-skeleton button:has-text("Place joints")');
  await page.waitForSelector('.tool-bar:not([hidden])');
  await page.keyboard.press('Shift+F');
}

/** Presses a joint and moves the pointer, which stays down. */
async function drag(page, joint, [dx, dy]) {
  const from = await jointAt(page, joint);
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move(from.x + dx, from.y + dy, { steps: 8 });
  return { x: from.x + dx, y: from.y + dy };
}

/** Vertices at a time of the clip, and the name of the clip. */
const verticesAt = (page, time) =>
  page.evaluate((time) => {
    const viewer = document.querySelector('pliant-viewer');
    viewer.pause();
    viewer.currentTime = time;
    return { posed: Array.from(viewer[Symbol.for('pliant.inside')].viewer.posedVertices(0)), clip: viewer.animationName };
  }, time);

/** The largest difference of two lists of numbers. */
const apart = (a, b) => a.reduce((worst, x, i) => Math.max(worst, Math.abs(x - b[i])), 0);

const markersOf = (page) => page.evaluate(() => document.querySelector('pliant-viewer').markers);

studioTest('the whole path: drop, watch it move, drag a marker, choose names, export, play elsewhere', {}, async (page) => {
  await dropped(page, { name: 'person.glb', bytes: await bareSampleGlb('mannequin', 4000) });
  assert.equal((await state(page)).paused, false);
  const posed = () =>
    page.evaluate(() => Array.from(document.querySelector('pliant-viewer')[Symbol.for('pliant.inside')].viewer.posedVertices(0)));
  const early = await posed();
  await page.waitForFunction(() => document.querySelector('pliant-viewer').currentTime > 0.5);
  assert.ok(apart(early, await posed()) > 0.02, 'it moves by itself');
  const before = await fitOf(page);

  await placeJoints(page);
  await refitted(page, async () => {
    await drag(page, 'forearm.L', [12, -8]);
    await page.mouse.up();
  });
  const marked = await markersOf(page);
  await page.click('.tool-done');
  await refitted(page, () => page.selectOption('.panel-skeleton .field:has-text("Names") select', 'mixamo'));
  const fit = await fitOf(page);
  assert.ok(distance(headOf(fit, 'forearm.L'), marked['forearm.L']) < 1e-4, 'the marker is kept');
  assert.ok(distance(headOf(fit, 'forearm.L'), headOf(before, 'forearm.L')) > 0.01);

  const download = page.waitForEvent('download');
  await page.click('text=Export GLB');
  const path = await (await download).path();
  const glb = new Uint8Array(await readFile(path));
  const { issues } = await validator.validateBytes(glb, { maxIssues: 20 });
  assert.equal(issues.numErrors + issues.numWarnings, 0, JSON.stringify(issues.messages, null, 1));
  const { nodes, skins } = documentOf(glb);
  const joints = skins[0].joints.map((node) => nodes[node].name);
  assert.ok(joints.every((name) => name.startsWith('mixamorig:')), joints.join(' '));
  assert.deepEqual(joints.toSorted(), fit.bones.map(({ name }) => name).toSorted());

  // What plays is a walk, and it is exported. Its feet have changed places after half of it.
  const [start, ours] = [await verticesAt(page, 0), await verticesAt(page, 0.5)];
  assert.equal(ours.clip, 'walk');
  assert.ok(apart(start.posed, ours.posed) > 0.1);
  const theirs = await posedByThree(glb, ours.clip, 0.5);
  assert.ok(apart(ours.posed, theirs) < 1e-4, `three.js is off by ${apart(ours.posed, theirs)}`);
});

studioTest('a dragged joint takes the others along before it is released, and undo takes it back', {}, async (page) => {
  await dropped(page, await person());
  const before = await fitOf(page);
  await placeJoints(page);
  const positions = () => page.evaluate(() => document.querySelector('pliant-viewer').jointPositions);
  const start = await positions();
  const far = [60, -40];
  const to = await drag(page, 'forearm.L', far);
  // The wrist is no neighbour that a drag would move without a fit.
  await page.waitForFunction((start) => {
    const [x, y, z] = document.querySelector('pliant-viewer').jointPositions['hand.L'];
    return Math.hypot(x - start[0], y - start[1], z - start[2]) > 1e-3;
  }, start['hand.L']);
  assert.equal(await fitOf(page).then(({ bones }) => bones.length), before.bones.length);
  assert.deepEqual(await markersOf(page), {}, 'nothing is settled yet');
  const held = await jointAt(page, 'forearm.L');
  assert.ok(Math.hypot(held.x - to.x, held.y - to.y) < 2, 'the dragged joint stays under the pointer');
  await page.keyboard.press('Escape');
  await page.mouse.up();
  assert.deepEqual(await positions(), start, 'a cancelled drag takes all back');
  assert.deepEqual(await markersOf(page), {});

  if (!(await page.isVisible('.tool-bar'))) await placeJoints(page);
  const from = await jointAt(page, 'forearm.L');
  await refitted(page, async () => {
    await drag(page, 'forearm.L', [14, -10]);
    await page.mouse.up();
  });
  const now = await jointAt(page, 'forearm.L');
  assert.ok(Math.hypot(now.x - from.x - 14, now.y - from.y + 10) < 2, 'it is where the pointer was');
  assert.deepEqual(Object.keys(await markersOf(page)).sort(), ['forearm.L', 'forearm.R']);
  const dragged = await fitOf(page);
  assert.ok(distance(headOf(dragged, 'forearm.R'), headOf(before, 'forearm.R')) > 0.01, 'its mirror image moved');
  assert.deepEqual(await page.evaluate(() => document.querySelector('pliant-viewer').skeletonEdits), {}, 'ends of bones are the fit’s');

  await refitted(page, () => page.keyboard.press('Control+z'));
  const undone = await fitOf(page);
  for (const { label, head } of before.bones) assert.ok(distance(head, headOf(undone, label)) < 1e-6, label);
  await page.click('.tool-done');
  await refitted(page, () => page.click('.panel-skeleton button:has-text("Flip")'));
  assert.deepEqual((await fitOf(page)).orientation.front.map(Math.round), [0, 0, -1]);
});

studioTest('a second joint can be dragged while the first is still being fitted', {}, async (page) => {
  await dropped(page, await person());
  await placeJoints(page);
  await drag(page, 'forearm.L', [10, -8]);
  await page.mouse.up();
  // The skeleton of the first drag comes during this one, and must not end it.
  const to = await drag(page, 'shin.L', [6, 4]);
  await page.waitForTimeout(1500);
  const held = await jointAt(page, 'shin.L');
  assert.ok(Math.hypot(held.x - to.x, held.y - to.y) < 2, 'the drag goes on');
  await refitted(page, () => page.mouse.up());
  assert.deepEqual(Object.keys(await markersOf(page)).sort(), ['forearm.L', 'forearm.R', 'shin.L', 'shin.R']);
});

studioTest('joints have names on hover, and ends of leaf bones can be dragged', {}, async (page) => {
  await dropped(page, await person());
  await placeJoints(page);
  const elbow = await jointAt(page, 'forearm.L');
  await page.mouse.move(elbow.x, elbow.y);
  await page.waitForSelector('.hovered-joint:has-text("forearm.L"):has-text("Left elbow")');
  const end = await page.evaluate(() => {
    const viewer = document.querySelector('pliant-viewer');
    const { head } = Object.fromEntries(viewer.skeletonFit.bones.map((bone) => [bone.label, bone]));
    return head;
  });
  // The head's bone points up on screen, seen from the front.
  const neck = await jointAt(page, 'head');
  const scale = (await jointAt(page, 'hips')).y - neck.y;
  const hips = headOf(await fitOf(page), 'hips');
  const tip = { x: neck.x, y: neck.y - (scale * (end.tail[1] - end.head[1])) / (end.head[1] - hips[1]) };
  await page.mouse.move(tip.x, tip.y);
  await page.waitForSelector('.hovered-joint:has-text("head, end of the bone")');
  await refitted(page, async () => {
    await page.mouse.down();
    await page.mouse.move(tip.x + 9, tip.y - 14, { steps: 4 });
    await page.mouse.up();
  });
  const { tails } = await page.evaluate(() => document.querySelector('pliant-viewer').skeletonEdits);
  assert.ok(distance(tails.head, end.tail) > 0.01);
  const moved = (await fitOf(page)).bones.find(({ label }) => label === 'head');
  assert.ok(distance(moved.tail, tails.head) < 1e-5 && distance(moved.head, end.head) < 1e-5);
  assert.deepEqual(await markersOf(page), {});
});

studioTest('a marker is asked for with a picture of where it goes', {}, async (page) => {
  // An elephant is no humanoid: many joints are uncertain.
  await dropped(page, { name: 'elephant.obj', bytes: await bareSample('elephant', 3000) });
  assert.equal((await fitOf(page)).plan, 'quadruped');
  await refitted(page, () => page.selectOption('.panel-skeleton .select >> nth=0', 'humanoid'));
  await page.waitForSelector('.doubt:has-text("likely wrong")');
  const ask = page.locator('.doubt:has(button)').first();
  assert.ok(await ask.locator('svg .spot').isVisible());
  const wanted = await ask.locator('.doubt-text').textContent();
  await ask.locator('button').click();
  await page.waitForSelector('.tool-icon svg .spot');
  const title = await page.textContent('.tool-bar strong');
  assert.ok(wanted.startsWith(title), `${wanted} is asked for as ${title}`);
  const label = await page.evaluate(() => document.querySelector('pliant-viewer').selectedJoint);
  const body = await page.evaluate(() => {
    const viewer = document.querySelector('pliant-viewer');
    const { left, top, width, height } = viewer.getBoundingClientRect();
    return { x: left + width / 2, y: top + height / 2, point: viewer.bodyPointAt(width / 2, height / 2) };
  });
  await refitted(page, () => page.mouse.click(body.x, body.y));
  const marker = (await markersOf(page))[label];
  assert.ok(distance(marker, body.point) < 1e-3, 'in the middle of the body under the pointer');
  assert.ok(distance(headOf(await fitOf(page), label), marker) < 1e-4);
  await refitted(page, () => page.keyboard.press('Control+z'));
  assert.deepEqual(await markersOf(page), {});
});

studioTest('joints are added, renamed and removed; a chain takes two clicks and any number of joints', {}, async (page) => {
  await dropped(page, await person());
  const names = async () => (await state(page)).model.joints;
  const count = (await names()).length;
  await placeJoints(page);
  await page.evaluate(() => {
    document.querySelector('pliant-viewer').selectedJoint = 'forearm.L';
  });
  await refitted(page, () => page.click('button[aria-label^="Add a joint in the middle"]'));
  assert.ok((await names()).includes('forearm_2.L') && (await names()).includes('forearm_2.R'), 'mirrored');
  await page.fill('input[aria-label="Name of the joint"]', 'Ellbogen');
  await refitted(page, () => page.keyboard.press('Enter'));
  assert.equal(await page.evaluate(() => document.querySelector('pliant-viewer').selectedJoint), 'Ellbogen');
  await refitted(page, () => page.keyboard.press('Control+z'));
  await page.evaluate(() => {
    document.querySelector('pliant-viewer').selectedJoint = 'forearm_2.L';
  });
  await refitted(page, () => page.click('button[aria-label="Remove the joint"]'));
  assert.equal((await names()).length, count + 1);
  await refitted(page, () => page.keyboard.press('Control+z'));
  await refitted(page, () => page.keyboard.press('Control+z'));
  assert.equal((await names()).length, count);

  await page.click('button[aria-label^="Add a chain"]');
  await page.fill('.tool-bar .count-field input', '6');
  const [hips, knee] = [await jointAt(page, 'hips'), await jointAt(page, 'shin.L')];
  await page.mouse.click(hips.x, hips.y + 4);
  await page.waitForFunction(() => /it ends/.test(document.querySelector('.tool-hint').textContent));
  await refitted(page, () => page.mouse.click(knee.x, knee.y));
  const chain = async () => (await names()).filter((name) => name.startsWith('chain'));
  assert.deepEqual(await chain(), [1, 2, 3, 4, 5, 6].map((number) => `chain1.${number}`));
  await page.waitForFunction(() => document.querySelector('pliant-viewer').selectedJoint === 'chain1.1');
  await page.fill('.skeleton-joint .count-field input', '3');
  await refitted(page, () => page.keyboard.press('Enter'));
  assert.equal((await chain()).length, 3);
  await refitted(page, () => page.click('button[aria-label="Remove the chain"]'));
  assert.equal((await names()).length, count);
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
    await page.tap('.panel-skeleton button:has-text("Place joints")');
    await page.tap('.tool-bar button:has-text("Side")');
    await page.waitForFunction(() => Math.abs(Math.abs(document.querySelector('pliant-viewer').camera.yaw) - 90) < 1);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
    assert.deepEqual(errors, []);
  } finally {
    await close();
  }
});

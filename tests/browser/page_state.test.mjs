/** One state: panels show what the element has, whoever set it, and one tool is active. */
import assert from 'node:assert/strict';
import { drop, jointAt, rigged, studioTests } from './studio.mjs';
import { setUp } from './support.mjs';
import { tube } from './tube.mjs';

const shared = setUp();
const studioTest = studioTests(shared);

/** Sets properties of the element, as a script of another page would. */
const set = (page, properties) =>
  page.evaluate((properties) => {
    Object.assign(document.querySelector('pliant-viewer'), properties);
  }, properties);

const get = (page, name) => page.evaluate((name) => document.querySelector('pliant-viewer')[name], name);
const listed = (page, panel, label) => page.inputValue(`#panel-${panel} .field:has(label:text-is("${label}")) select`);
const pressed = (page, label) => page.getAttribute(`.viewbar [aria-label="${label}"]`, 'aria-pressed');
/** Waits until the function has the value; panels follow within a frame. */
async function becomes(get, value) {
  let last;
  for (let i = 0; i < 100; i++) {
    last = await get();
    if (JSON.stringify(last) === JSON.stringify(value)) return;
    await new Promise((done) => setTimeout(done, 50));
  }
  assert.deepEqual(last, value);
}

studioTest('panels follow properties that a script sets', {}, async (page) => {
  await set(page, { method: 'heat' });
  await becomes(() => listed(page, 'rig', 'Method'), 'heat');
  await page.waitForSelector('[aria-label="Conductance"]');
  await set(page, { volume: 'organic', foldGuard: true });
  await becomes(() => listed(page, 'volume', 'Preserve volume'), 'organic');
  assert.equal(await page.isChecked('#panel-volume >> text=Prevent self-intersection'), true);
  assert.ok(await page.isVisible('.readout'));
  await set(page, { show: 'weights' });
  await becomes(() => page.inputValue('.shows select'), 'weights');
  assert.equal(await page.inputValue('.shows :checked'), 'weights');
  await set(page, { bones: 'hidden' });
  await becomes(() => pressed(page, 'Bones'), 'false');
  await set(page, { compare: 'glow' });
  await becomes(() => pressed(page, 'Compare two methods'), 'true');
  await page.click('.side-choice .segment:has-text("Right")');
  await becomes(() => listed(page, 'rig', 'Method'), 'glow');
  await set(page, { compareShow: 'regions' });
  await becomes(() => listed(page, 'rig', 'View'), 'regions');
  await set(page, { compare: null });
  await becomes(() => listed(page, 'rig', 'Method'), 'heat');
  assert.equal(await page.isVisible('.side-choice'), false);
  await set(page, { volume: 'off', foldGuard: false });
  await becomes(() => page.isVisible('.readout'), false);
});

studioTest('a recipe that a script sets is shown, also by joint', {}, async (page) => {
  await page.evaluate(() => {
    const viewer = document.querySelector('pliant-viewer');
    const { recipe } = viewer;
    viewer.recipe = { ...recipe, atlas: { ...recipe.atlas, k: 1.25, k_joints: { 'forearm.L': 0.3 } } };
  });
  await becomes(() => page.inputValue('[aria-label="Softness (K), number"]'), '1.25');
  await becomes(() => page.locator('.joint-k').count(), 1);
});

studioTest('one tool is active, chosen by buttons, keys or a script, and Esc leaves it', { hash: '#volume=local' }, async (page) => {
  const active = () => page.$$eval('.tools [aria-pressed=true]', (all) => all.map((each) => each.getAttribute('aria-label')));
  assert.deepEqual(await active(), ['Rotate joints']);
  await page.click('.tools [aria-label="Place joints"]');
  await becomes(active, ['Place joints']);
  assert.equal(await get(page, 'placingJoints'), true);
  await page.keyboard.press('h');
  await becomes(active, ['Place handles']);
  assert.deepEqual([await get(page, 'placingJoints'), await get(page, 'placingHandles')], [false, true]);
  await page.keyboard.press('p');
  await becomes(active, ['Paint correction']);
  assert.deepEqual([await get(page, 'show'), await get(page, 'bones')], ['gamma', 'hidden']);
  await page.keyboard.press('Escape');
  await becomes(active, ['Rotate joints']);
  assert.deepEqual([await get(page, 'show'), await get(page, 'bones')], ['shaded', 'shown']);
  await set(page, { placingHandles: true });
  await becomes(active, ['Place handles']);
  assert.ok(await page.isVisible('.tool-bar'));
  await set(page, { volumeBrush: { size: 0.05, strength: 0.5, mode: 'add', symmetric: true } });
  await becomes(active, ['Paint correction']);
  assert.equal(await get(page, 'placingHandles'), false);
  // Without a correction there is nothing to paint.
  await set(page, { volume: 'off' });
  await becomes(active, ['Rotate joints']);
  await page.keyboard.press('p');
  assert.equal(await get(page, 'tool'), 'rotate');
});

studioTest('Esc deselects the joint, then leaves the split view', {}, async (page) => {
  await page.keyboard.press('c');
  await set(page, { selectedJoint: 'forearm.L' });
  await page.waitForFunction(() => document.querySelector('pliant-viewer').compareReport && !document.querySelector('pliant-viewer').busy);
  await page.keyboard.press('Escape');
  assert.deepEqual([await get(page, 'selectedJoint'), await get(page, 'compare')], [null, 'heat']);
  await page.keyboard.press('Escape');
  assert.equal(await get(page, 'compare'), null);
  assert.equal(await page.locator('[aria-label^="Undo"]').getAttribute('aria-label'), 'Undo split view');
});

studioTest('undo after scrubbing restores the pose at the time at which it was made', {}, async (page) => {
  const pose = () => get(page, 'pose');
  await page.evaluate(() => {
    const viewer = document.querySelector('pliant-viewer');
    viewer.pause();
    viewer.currentTime = 0.3;
  });
  await page.click('[data-joint="forearm.L"]');
  const before = await pose();
  await page.fill('[aria-label="Rotation about X, number"]', '77');
  await page.keyboard.press('Enter');
  await set(page, { currentTime: 0.9 });
  const later = await pose();
  await page.keyboard.press('Escape');
  await page.click('[aria-label="Undo rotation of forearm.L"]');
  const after = await pose();
  // Either the offset is gone at the current time, or the pose is that of the time of the step.
  const time = await get(page, 'currentTime');
  const reference = Math.abs(time - 0.3) < 1e-6 ? before : later;
  for (const joint of ['thigh.L', 'shin.R', 'upper_arm.R']) {
    for (const axis of [0, 1, 2])
      assert.ok(Math.abs((after[joint]?.[axis] ?? 0) - (reference[joint]?.[axis] ?? 0)) < 0.1, `${joint} at ${time}`);
  }
});

studioTest('a rotation on top of the clip stays when the clip advances, is shown, and can be cleared', {}, async (page) => {
  await page.evaluate(() => {
    const viewer = document.querySelector('pliant-viewer');
    viewer.pause();
    viewer.currentTime = 0.3;
  });
  const forearm = async () => (await get(page, 'pose'))['forearm.L'] ?? [0, 0, 0];
  await page.click('[data-joint="forearm.L"]');
  assert.equal(await page.isVisible('.offsets'), false);
  await page.fill('[aria-label="Rotation about X, number"]', '60');
  await page.keyboard.press('Enter');
  await page.waitForSelector('.offsets:has-text("1 joint rotated")');
  await set(page, { currentTime: 0.9 });
  const rotated = await forearm();
  await page.click('.offsets-clear');
  await page.waitForSelector('.offsets', { state: 'hidden' });
  const plain = await forearm();
  assert.ok(Math.hypot(...rotated.map((each, i) => each - plain[i])) > 10, `${rotated} and ${plain}`);
  await page.click('[aria-label="Undo pose offsets cleared"]');
  await page.waitForSelector('.offsets:has-text("1 joint rotated")');
  const again = await forearm();
  assert.ok(Math.hypot(...rotated.map((each, i) => each - again[i])) < 0.1, `${rotated} and ${again}`);
});

studioTest('resetting a pose with offsets can be undone and redone', {}, async (page) => {
  await page.evaluate(() => {
    const viewer = document.querySelector('pliant-viewer');
    viewer.pause();
    viewer.currentTime = 0.4;
  });
  await page.click('[data-joint="forearm.L"]');
  await page.fill('[aria-label="Rotation about X, number"]', '60');
  await page.keyboard.press('Enter');
  const before = await get(page, 'pose');
  await page.click('[aria-label="Reset pose"]');
  assert.deepEqual(await get(page, 'pose'), {});
  await page.click('[aria-label="Undo pose reset"]');
  const after = await get(page, 'pose');
  for (const [joint, angles] of Object.entries(before))
    for (const axis of [0, 1, 2]) assert.ok(Math.abs(angles[axis] - (after[joint]?.[axis] ?? 0)) < 0.1, joint);
  await page.click('[aria-label="Redo pose reset"]');
  assert.deepEqual(await get(page, 'pose'), {});
});

studioTest('the time of a run is that of all its stages, also after a slider', {}, async (page) => {
  const seconds = () => page.textContent('.stats div:has-text("Rigged in") dd');
  const before = await seconds();
  await page.fill('[aria-label="Softness (K), number"]', '0.9');
  await page.keyboard.press('Enter');
  await rigged(page);
  const toSeconds = (text) => Number.parseFloat(text) / (text.includes('ms') ? 1000 : 1);
  const last = await page.evaluate(() => document.querySelector('pliant-viewer').report.seconds);
  const shown = toSeconds(await seconds());
  assert.ok(shown > last && shown > 0.3 * toSeconds(before), `${before}, then ${await seconds()}, last stage ${last} s`);
});

studioTest('another file starts without the volume correction of the previous one', { hash: '#volume=local' }, async (page) => {
  await page.waitForFunction(() => document.querySelector('.readout-corrected').textContent.includes('%'));
  await drop(page, [{ name: 'tube.glb', bytes: tube() }]);
  await page.waitForFunction(() => document.querySelector('.character-name').textContent === 'tube');
  await rigged(page);
  await becomes(() => listed(page, 'volume', 'Preserve volume'), 'off');
  assert.deepEqual([await get(page, 'volume'), await get(page, 'volumeStats')], ['off', null]);
  await set(page, { volume: 'local' });
  await page.waitForFunction(() => document.querySelector('pliant-viewer').volumeStats?.segments.some(({ bone }) => bone === 'middle'));
});

studioTest('a prefix that most joints share is not repeated in the list, and the tooltip has the full name', {}, async (page) => {
  const names = ['Hips', 'Spine', 'LeftUpLeg', 'LeftLeg', 'LeftFoot'];
  await drop(page, [{ name: 'limb.glb', bytes: tube({ names: names.map((name) => `mixamorig:${name}`) }) }]);
  await page.waitForFunction(() => document.querySelectorAll('[role=treeitem]').length === 5);
  await rigged(page);
  assert.deepEqual(await page.locator('.joint-name').allTextContents(), names);
  const item = page.locator('[data-joint="mixamorig:Spine"]');
  assert.equal((await item.innerText()).includes('mixamorig'), false);
  await item.hover();
  const tip = page.locator('.tooltip:popover-open');
  await tip.waitFor();
  assert.match(await tip.innerText(), /mixamorig:Spine/);
  assert.deepEqual((await get(page, 'model')).joints.map(({ name }) => name), names.map((name) => `mixamorig:${name}`));
  await page.fill('.search-input', 'mixamorig:left');
  assert.equal(await page.locator('[role=treeitem]').count(), 3);
});

studioTest('the list of joints is made wider by dragging its edge and by keys', {}, async (page) => {
  const width = () => page.$eval('#left', (left) => left.offsetWidth);
  const before = await width();
  const box = await page.locator('.resizer').boundingBox();
  await page.mouse.move(box.x + 3, 300);
  await page.mouse.down();
  await page.mouse.move(box.x + 83, 300, { steps: 4 });
  await page.mouse.up();
  assert.ok(Math.abs((await width()) - before - 80) <= 4, `${before} → ${await width()}`);
  await page.focus('.resizer');
  await page.keyboard.press('ArrowLeft');
  assert.ok((await width()) < before + 70);
  await page.reload();
  await rigged(page);
  assert.ok((await width()) > before + 40, 'the width is kept');
});

studioTest('placing a handle says that the method has changed', {}, async (page) => {
  await page.keyboard.press('h');
  const { x, y } = await jointAt(page, 'spine');
  await page.mouse.click(x + 12, y + 6);
  await page.waitForSelector('.toast:has-text("Method changed to Biharmonic")');
  await page.click('[aria-label="Undo Handle 1"]');
  assert.equal(await get(page, 'method'), 'atlas');
});

studioTest('tapping a joint on a phone opens the controls of its pose', { phone: true }, async (page) => {
  await page.evaluate(() => document.querySelector('pliant-viewer').pause());
  const { x, y } = await jointAt(page, 'forearm.L');
  await page.touchscreen.tap(x, y);
  await page.waitForSelector('#tab-pose[aria-selected=true]');
  assert.ok(await page.isVisible('[aria-label="Rotation about X"]'));
});

studioTest('buttons stay where they are when their state changes', {}, async (page) => {
  const places = () => page.$$eval('.viewbar button', (all) => all.map((each) => each.getBoundingClientRect().x));
  const before = await places();
  for (const change of [{ volume: 'local' }, { show: 'folds' }, { compare: 'heat' }, { bones: 'hidden' }, { show: 'shaded' }]) {
    await set(page, change);
    await page.waitForTimeout(100);
    assert.deepEqual(await places(), before, JSON.stringify(change));
  }
});

studioTest('the help lists methods with papers, formats and all keys', {}, async (page) => {
  await page.keyboard.press('?');
  const text = await page.textContent('dialog[open]');
  for (const each of ['Hétroy', 'Baran', 'Wareham', 'Jacobson', 'Rohmer', 'Kavan', 'GLB', 'OBJ', 'TGF', 'never leave this machine'])
    assert.ok(text.includes(each), each);
  const keys = await page.$$eval('dialog[open] .help-columns section:first-child kbd', (all) => all.map((each) => each.textContent));
  for (const key of ['Space', 'F', 'B', 'C', 'J', 'H', 'P', 'R', '1', '7', '/', 'Esc', '?']) assert.ok(keys.includes(key), key);
});

studioTest('weights of the joints under the pointer are listed while weights are shown', {}, async (page) => {
  await page.evaluate(() => document.querySelector('pliant-viewer').pause());
  await set(page, { show: 'weights', selectedJoint: 'shin.L' });
  const { x, y } = await jointAt(page, 'shin.L');
  await page.mouse.move(x + 2, y + 2, { steps: 3 });
  const box = page.locator('.influences');
  await box.waitFor();
  const rows = await page.$$eval('.influences li', (all) => all.map((each) => [...each.children].map((cell) => cell.textContent)));
  const joints = rows.map(([joint]) => joint);
  assert.ok(joints.includes('shin.L') && joints.includes('thigh.L'), `at the knee: ${JSON.stringify(rows)}`);
  const weights = rows.map(([, weight]) => Number(weight));
  // Each is rounded to a hundredth, and those that round to zero are left out.
  const sum = weights.reduce((total, weight) => total + weight, 0);
  assert.ok(Math.abs(sum - 1) <= 0.005 * (weights.length + 1), `${100 * sum} % in all: ${JSON.stringify(rows)}`);
  assert.deepEqual(weights, weights.toSorted((a, b) => b - a), 'largest first');
  const found = await page.evaluate(([x, y]) => {
    const viewer = document.querySelector('pliant-viewer');
    const { left, top } = viewer.getBoundingClientRect();
    return viewer.influencesAt(x - left, y - top);
  }, [x + 2, y + 2]);
  assert.ok(Math.abs(found.reduce((total, { weight }) => total + weight, 0) - 1) < 1e-5, JSON.stringify(found));
  assert.deepEqual(rows, found.filter(({ weight }) => weight >= 0.005).map(({ joint, weight }) => [joint, weight.toFixed(2)]));
  // The box is beside the pointer, inside the picture.
  const [at, picture] = [await box.boundingBox(), await page.locator('pliant-viewer').boundingBox()];
  const isBeside = at.x > x + 2 && at.x < x + 40 && at.y > y + 2 && at.y < y + 40;
  assert.ok(isBeside, `${JSON.stringify(at)} for the pointer at ${x}, ${y}`);
  assert.ok(at.x + at.width <= picture.x + picture.width && at.y + at.height <= picture.y + picture.height);
  await page.mouse.move(picture.x + 5, picture.y + picture.height / 2);
  await box.waitFor({ state: 'hidden' });
  await page.mouse.move(x + 2, y + 2);
  await box.waitFor();
  await set(page, { show: 'shaded' });
  await box.waitFor({ state: 'hidden' });
});

studioTest('the right side can show the difference of the weights', {}, async (page) => {
  assert.equal(await page.locator('.shows option[value=difference]').count(), 0);
  await page.keyboard.press('c');
  await page.waitForFunction(() => document.querySelector('pliant-viewer').compareReport && !document.querySelector('pliant-viewer').busy);
  await page.selectOption('#panel-rig .field:has(label:text-is("View")) select', 'difference');
  assert.equal(await get(page, 'compareShow'), 'difference');
  await page.click('[aria-label="Undo view on the right"]');
  assert.equal(await get(page, 'compareShow'), null);
});

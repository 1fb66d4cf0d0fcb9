/** The studio: what a person does with it, done by a machine in a real Chromium. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { drop, exportedSize, jointAt, moments, opened, openStudio, rigged, state, studioTests } from './studio.mjs';
import { setUp } from './support.mjs';
import { rigOnly, tube, tubeObj } from './tube.mjs';

/** The radius of the ring that faces the camera, in CSS pixels (src/view/gizmo.rs). */
const OUTER_RING = 78 * 1.18;

const shared = setUp();

const studioTest = studioTests(shared);

const number = (page, axis) => page.inputValue(`[aria-label="Rotation about ${axis}, number"]`);

async function select(page, joint) {
  await page.click(`[data-joint="${joint}"]`);
  await page.waitForFunction((joint) => document.querySelector('pliant-viewer').selectedJoint === joint, joint);
}

/** Opens the card with templates for a mesh whose skeleton was fitted. */
async function chooseOther(page) {
  await page.waitForFunction(() => document.querySelector('pliant-viewer').skeletonFit !== null);
  await rigged(page);
  await page.click('button[aria-label="Other skeleton…"]');
  await page.waitForSelector('.skeleton-card:not([hidden])');
}

/** Waits until the number field beside a slider says so. */
function says(page, axis, text) {
  const selector = `[aria-label="Rotation about ${axis}, number"]`;
  return page.waitForFunction(([selector, text]) => document.querySelector(selector).value === text, [selector, text]);
}

studioTest('on opening, the mannequin is rigged and moves', {}, async (page) => {
  const first = await state(page);
  assert.equal(first.model.name, 'mannequin');
  assert.equal(first.paused, false);
  await page.waitForFunction((pose) => JSON.stringify(document.querySelector('pliant-viewer').pose) !== pose, JSON.stringify(first.pose));
  assert.equal(await page.textContent('.character-name'), 'Mannequin');
  assert.match(await page.title(), /Mannequin/);
});

studioTest('the export is compressed on request', {}, async (page) => {
  const plain = await exportedSize(page);
  const tick = async () => {
    await page.click('[aria-label="Export options"]');
    await page.click('role=menuitemcheckbox[name=/Compress/]');
  };
  await tick();
  assert.ok((await exportedSize(page)) < 0.7 * plain, 'it is smaller');
  await tick();
  assert.equal(await exportedSize(page), plain);
});

test('performance marks record the steps of opening', async () => {
  const studio = await opened(shared);
  const marks = await moments(studio.page);
  const names = ['compiled', 'solver-compiled', 'drawing', 'loaded', 'rigged', 'moving'];
  assert.deepEqual(Object.keys(marks).toSorted(), names.toSorted());
  assert.ok(marks.loaded <= marks.rigged && marks.rigged <= marks.moving, JSON.stringify(marks));
  await studio.close();
});

studioTest('everything the element offers can be chosen', {}, async (page) => {
  const options = await page.evaluate(async () => {
    const script = document.querySelector('script[type=module]').src;
    const { OPTIONS } = await import(new URL('../pliant-viewer.js', script).href);
    return OPTIONS;
  });
  const values = (selector) => page.$$eval(selector, (all) => all.map((each) => each.value));
  const listed = (label) => values(`#panel-rig .field:has(label:text-is("${label}")) option`);
  // The mannequin has no weights of its own.
  assert.deepEqual(['source', ...(await listed('Method'))], options.methods);
  assert.equal(options.fallbackMethod, 'atlas');
  const words = (path) => options.parameters.find((each) => each.path === path).kind.choices.map(({ value }) => value);
  assert.deepEqual(await listed('Metric'), words('atlas.distance'));
  assert.deepEqual(await listed('Overlap metric'), words('atlas.overlap_distance'));
  assert.deepEqual(await listed('Transition'), words('atlas.transition'));
  const deformers = words('deformer');
  assert.deepEqual((await values('#panel-rig .segmented input')).slice(-deformers.length), deformers);
  // The difference of two views needs two views.
  assert.deepEqual(await values('.viewbar input'), options.shows.filter((show) => show !== 'difference'));
  await page.click('.character');
  assert.equal(await page.locator('[role=menuitemradio]').count(), options.samples.length);
});

studioTest('a dropped GLB replaces the character, and its clip can be scrubbed', {}, async (page) => {
  await drop(page, [{ name: 'Tube one.glb', bytes: tube() }], { stay: true });
  assert.ok(await page.isVisible('.drop'));
  await drop(page, [{ name: 'Tube one.glb', bytes: tube() }]);
  await page.waitForFunction(() => document.querySelector('.character-name').textContent === 'Tube one');
  await rigged(page);
  assert.ok(!(await page.isVisible('.drop')));
  assert.deepEqual(await page.$$eval('[role=treeitem]', (all) => all.map((each) => each.dataset.joint)), ['base', 'middle', 'tip']);
  assert.deepEqual((await state(page)).animations, ['nod']);
  await page.click('[aria-label="Pause"]');
  await page.fill('[aria-label="Time in clip"]', '0.5');
  const { currentTime, pose, paused } = await state(page);
  assert.ok(paused && Math.abs(currentTime - 0.5) < 0.011, String(currentTime));
  assert.ok(Math.abs(pose.middle[2] - 45) < 1.5, JSON.stringify(pose));
});

studioTest('a whole folder can be opened', {}, async (page) => {
  const folder = await mkdtemp(join(tmpdir(), 'pliant-folder-'));
  try {
    await writeFile(join(folder, 'fox.glb'), tube());
    await writeFile(join(folder, 'notes.txt'), 'not a model');
    await page.click('.character');
    const [chooser] = await Promise.all([page.waitForEvent('filechooser'), page.click('text=Open a folder…')]);
    await chooser.setFiles(folder);
    await page.waitForFunction(() => document.querySelector('.character-name').textContent === 'fox');
    await rigged(page);
  } finally {
    await rm(folder, { recursive: true });
  }
});

studioTest('sliders rotate the selected joint; undo and redo work', {}, async (page) => {
  await select(page, 'forearm.L');
  await page.click('[aria-label="Reset pose"]');
  await page.locator('[aria-label="Rotation about Y"]').focus();
  for (let press = 0; press < 5; press += 1) await page.keyboard.press('ArrowRight');
  await says(page, 'Y', '5');
  await page.fill('[aria-label="Rotation about X, number"]', '-120');
  await page.locator('[aria-label="Rotation about Z"]').focus();
  assert.deepEqual([await number(page, 'X'), await number(page, 'Y')], ['-120', '5']);
  await page.keyboard.press('Control+z');
  await says(page, 'X', '0');
  assert.equal(await number(page, 'Y'), '5');
  await page.keyboard.press('Control+z');
  await says(page, 'Y', '0');
  await page.keyboard.press('Control+Shift+z');
  await page.keyboard.press('Control+Shift+z');
  await says(page, 'X', '-120');
  assert.equal(await number(page, 'Y'), '5');
  await page.dblclick('[aria-label="Rotation about X"]');
  await says(page, 'X', '0');
});

studioTest('a drag of the gizmo is one step of the history', {}, async (page) => {
  await page.keyboard.press(' ');
  await page.click('[aria-label="Reset pose"]');
  await select(page, 'forearm.L');
  const undo = page.locator('[aria-label^="Undo"]');
  const before = await undo.getAttribute('aria-label');
  const { x, y } = await jointAt(page, 'forearm.L');
  await page.mouse.move(x + OUTER_RING, y);
  await page.mouse.down();
  for (let step = 1; step <= 8; step += 1) {
    const angle = (step / 8) * 0.7;
    await page.mouse.move(x + OUTER_RING * Math.cos(angle), y + OUTER_RING * Math.sin(angle));
  }
  await page.mouse.up();
  assert.ok('forearm.L' in (await state(page)).pose, 'the ring was not turned');
  await page.waitForFunction((before) => document.querySelector('[aria-label^="Undo"]').getAttribute('aria-label') !== before, before);
  assert.equal(await undo.getAttribute('aria-label'), 'Undo rotation of forearm.L');
  await undo.click();
  assert.deepEqual((await state(page)).pose, {});
});

studioTest('a parameter is changed, undone and done again', {}, async (page) => {
  const influences = () => page.evaluate(() => document.querySelector('pliant-viewer').report.maxInfluences);
  await page.fill('[aria-label="Max influences, number"]', '2');
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.querySelector('pliant-viewer').report.maxInfluences === 2);
  await page.click('[aria-label="Undo max influences"]');
  await page.waitForFunction(() => document.querySelector('pliant-viewer').report.maxInfluences > 2);
  assert.equal(await page.inputValue('[aria-label="Max influences, number"]'), '4');
  await page.click('[aria-label="Redo max influences"]');
  await page.waitForFunction(() => document.querySelector('pliant-viewer').report.maxInfluences === 2);
  assert.equal(await influences(), 2);
});

studioTest('a joint can be excluded from deformation, with the reason shown', {}, async (page) => {
  await select(page, 'hand.L');
  await page.click('text=Deforms the skin');
  await page.waitForSelector('[data-joint="hand.L"].off');
  assert.match(await page.textContent('#panel-pose .about'), /switched off/i);
  await page.click('[aria-label^="Undo switch"]');
  await page.waitForSelector('[data-joint="hand.L"]:not(.off)');
});

studioTest('a long run can be cancelled, and work goes on', {}, async (page) => {
  await page.evaluate(() => {
    const viewer = document.querySelector('pliant-viewer');
    viewer.load({ kind: 'url', url: 'samples/giraffe-300000.glb' }).catch(() => {});
  });
  // In the page itself: on a busy machine a click from outside comes when the file is read.
  await page.waitForFunction(() => {
    const stop = document.querySelector('.progress:not([hidden]) button');
    stop?.click();
    return stop;
  });
  await page.waitForFunction(() => !document.querySelector('pliant-viewer').busy);
  await page.waitForSelector('.toast:has-text("Stopped")');
  assert.equal((await state(page)).model.name, 'mannequin');
  await page.fill('[aria-label="Max influences, number"]', '3');
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.querySelector('pliant-viewer').report.maxInfluences === 3);
});

studioTest('garbage is refused with a reason, and work goes on', {}, async (page) => {
  await drop(page, [{ name: 'garbage.glb', bytes: Buffer.from('this is no model at all, only text') }]);
  await page.waitForSelector('[role=alert] .error-message');
  assert.ok((await page.textContent('.error-message')).length > 10);
  assert.ok((await page.textContent('.error-hint')).length > 5);
  assert.equal(await page.textContent('.character-name'), 'Mannequin');
  await page.click('.error-card [aria-label=Dismiss]');
  assert.equal(await page.locator('.error-card').count(), 0);
  await drop(page, [{ name: 'tube.glb', bytes: tube() }]);
  await page.waitForFunction(() => document.querySelector('.character-name').textContent === 'tube');
});

studioTest('a template can replace the fitted skeleton; its joints can be placed', {}, async (page) => {
  await drop(page, [{ name: 'limb.obj', bytes: tubeObj() }]);
  await chooseOther(page);
  await page.click('.template:has-text("Arm")');
  await page.waitForSelector('.tool-bar:not([hidden])');
  await rigged(page);
  const joint = (await state(page)).model.joints[1];
  await select(page, joint);
  const place = () => page.evaluate((joint) => document.querySelector('pliant-viewer').jointPositions[joint], joint);
  const before = await place();
  await page.fill('[aria-label="Place along Y"]', String(before[1] + 0.1));
  await page.keyboard.press('Tab');
  await page.waitForFunction(
    ([joint, y]) => Math.abs(document.querySelector('pliant-viewer').jointPositions[joint][1] - y) < 1e-3,
    [joint, before[1] + 0.1],
  );
  await rigged(page);
  await page.click(`[aria-label="Undo move of ${joint}"]`);
  await page.waitForFunction(
    ([joint, y]) => Math.abs(document.querySelector('pliant-viewer').jointPositions[joint][1] - y) < 1e-3,
    [joint, before[1]],
  );
  await rigged(page);
  await page.click('.tool-bar .primary');
  assert.ok(!(await page.isVisible('.tool-bar')));
});

studioTest('a joint placed by numbers moves its mirror image too, and undo restores both', {}, async (page) => {
  await page.click('button[aria-label="Place joints"]');
  await select(page, 'forearm.L');
  const places = () => page.evaluate(() => document.querySelector('pliant-viewer').jointPositions);
  const before = await places();
  const moved = (by) =>
    page.waitForFunction(
      ([before, by]) => {
        const now = document.querySelector('pliant-viewer').jointPositions;
        return ['forearm.L', 'forearm.R'].every((joint) => Math.abs(now[joint][1] - before[joint][1] - by) < 2e-3);
      },
      [before, by],
    );
  await page.fill('[aria-label="Place along Y"]', String(before['forearm.L'][1] + 0.08));
  await page.keyboard.press('Tab');
  await moved(0.08);
  await rigged(page);
  await page.click('[aria-label="Undo move of forearm.L"]');
  await moved(0);
  await rigged(page);
  await page.click('[aria-label="Redo move of forearm.L"]');
  await moved(0.08);
});

studioTest('a view is chosen by its number, also from the list of joints', {}, async (page) => {
  await select(page, 'forearm.L');
  await page.keyboard.press('2');
  assert.equal((await state(page)).show, 'weights');
  // Letters are shortcuts there, too.
  assert.equal(await page.evaluate(() => document.activeElement.dataset.joint), 'forearm.L');
  await page.keyboard.press('b');
  assert.equal(await page.getAttribute('pliant-viewer', 'bones'), 'hidden');
  await page.keyboard.press('h');
  assert.equal(await page.evaluate(() => document.querySelector('pliant-viewer').tool), 'handles');
  await page.keyboard.press('Escape');
  assert.equal(await page.evaluate(() => document.querySelector('pliant-viewer').tool), 'rotate');
});

studioTest('a skeleton file dropped beside the mesh is used', {}, async (page) => {
  await drop(page, [{ name: 'limb.obj', bytes: tubeObj() }]);
  await page.waitForFunction(() => document.querySelector('pliant-viewer').skeletonFit !== null);
  await rigged(page);
  await drop(page, [{ name: 'rig.glb', bytes: tube() }], { onto: '.drop-zone:nth-child(2)' });
  await page.waitForFunction(() => document.querySelectorAll('[role=treeitem]').length === 3);
  await rigged(page);
  assert.equal(await page.textContent('.character-name'), 'limb');
});

for (const order of ['mesh first', 'rig first']) {
  studioTest(`a mesh and a rig dropped together are one character, ${order}`, {}, async (page) => {
    const mesh = { name: 'limb.glb', bytes: tube({ skin: false }) };
    const rig = { name: 'bones.glb', bytes: rigOnly() };
    await drop(page, order === 'mesh first' ? [mesh, rig] : [rig, mesh]);
    await page.waitForFunction(() => document.querySelectorAll('[role=treeitem]').length === 3);
    await rigged(page);
    assert.equal(await page.textContent('.character-name'), 'limb');
    assert.equal(await page.locator('.error-card, .toast').count(), 0);
  });
}

studioTest('of two characters dropped together one is opened, and the page says which was left out', {}, async (page) => {
  await drop(page, [
    { name: 'first.glb', bytes: tube() },
    { name: 'second.glb', bytes: tube() },
  ]);
  await page.waitForSelector('.toast');
  assert.match(await page.textContent('.toast'), /second\.glb.*skipped in favour of first\.glb/);
  assert.equal(await page.textContent('.character-name'), 'first');
});

studioTest('names of joints deep in a tree, or long ones, can be told apart', {}, async (page) => {
  const bones = Array.from({ length: 18 }, (_, i) => ({
    name: `Character_armature_joint_${i}`,
    ...(i ? { parent: `Character_armature_joint_${i - 1}` } : {}),
    head: [0, i / 6, 0],
    tail: [0, (i + 1) / 6, 0],
  }));
  await drop(page, [
    { name: 'limb.obj', bytes: tubeObj() },
    { name: 'deep.json', bytes: Buffer.from(JSON.stringify({ bones })) },
  ]);
  await page.waitForFunction(() => document.querySelectorAll('[role=treeitem]').length === 18);
  const last = await page.$eval('[role=treeitem]:last-child', (row) => {
    const name = row.querySelector('.joint-name');
    const end = document.createRange();
    end.selectNode(name.lastChild);
    const { width, right } = end.getBoundingClientRect();
    return { width, isInside: right <= row.getBoundingClientRect().right, text: name.lastChild.textContent };
  });
  assert.ok(last.width > 30 && last.isInside, JSON.stringify(last));
  assert.equal(last.text, 'joint_17');
  assert.equal(await page.getByRole('treeitem', { name: 'joint_17', exact: true }).count(), 1);
});

studioTest('a rotation by more than 90 degrees is shown as such', {}, async (page) => {
  await select(page, 'forearm.L');
  await page.evaluate(() => {
    const viewer = document.querySelector('pliant-viewer');
    viewer.pause();
    viewer.setPose({ 'forearm.L': [0, -100, 0] });
  });
  await says(page, 'Y', '-100');
  assert.deepEqual([await number(page, 'X'), await number(page, 'Z')], ['0', '0']);
});

studioTest('however narrow the stage, every button over the picture can be pressed', { hash: '#volume=local' }, async (page) => {
  for (const [width, height] of [[1280, 800], [1024, 768], [844, 390], [768, 1024], [390, 844], [320, 640]]) {
    await page.setViewportSize({ width, height });
    await page.waitForTimeout(300);
    const covered = await page.$$eval('.viewbar button', (buttons) =>
      buttons.flatMap((button) => {
        const { x, y, width, height } = button.getBoundingClientRect();
        return button.contains(document.elementFromPoint(x + width / 2, y + height / 2)) ? [] : [button.getAttribute('aria-label')];
      }),
    );
    assert.deepEqual(covered, [], `${width} × ${height}`);
    // All views are visible, as buttons or as a list.
    await page.keyboard.press('6');
    await page.waitForTimeout(50);
    const shown = await page.$eval('.shows', (box) => {
      const inside = (element) => {
        const [{ left, right }, { right: end }] = [element.getBoundingClientRect(), box.nextElementSibling.getBoundingClientRect()];
        return element.checkVisibility() && left >= 0 && right <= end;
      };
      const isList = inside(box.querySelector('select'));
      return isList ? box.querySelector('select').value : inside(box.querySelector('.segment:has(:checked)')) && box.querySelector(':checked').value;
    });
    assert.equal(shown, 'folds', `${width} × ${height}`);
    await page.keyboard.press('1');
  }
});

studioTest('export gives a GLB named after the model and says so', {}, async (page) => {
  await drop(page, [{ name: 'Red Fox.glb', bytes: tube() }]);
  await page.waitForFunction(() => document.querySelector('.character-name').textContent === 'Red Fox');
  await rigged(page);
  const [download] = await Promise.all([page.waitForEvent('download'), page.click('.export')]);
  assert.equal(download.suggestedFilename(), 'red-fox-rigged.glb');
  await page.waitForSelector('.toast:has-text("Exported red-fox-rigged.glb")');
});

test('a copied link restores character, parameters and view', async () => {
  const first = await openStudio(shared);
  await first.page.click('.character');
  await first.page.click('[role=menuitemradio]:has-text("Arm")');
  await first.page.waitForFunction(() => document.querySelector('.character-name').textContent === 'Arm');
  await rigged(first.page);
  await first.page.fill('[aria-label="Max influences, number"]', '2');
  await first.page.keyboard.press('Enter');
  await first.page.click('text=Dual quaternion');
  await first.page.click('text=Regions');
  await rigged(first.page);
  await first.page.click('text=Copy link');
  await first.page.waitForSelector('.toast:has-text("Link copied")');
  const link = await first.page.evaluate(() => navigator.clipboard.readText());
  await first.close();

  const second = await openStudio(shared, { hash: new URL(link).hash });
  const { model, recipe, deformer, show } = await state(second.page);
  assert.deepEqual([model.name, recipe.max_influences, deformer, show], ['arm', 2, 'dqs', 'regions']);
  assert.equal(await second.page.inputValue('[aria-label="Max influences, number"]'), '2');
  assert.deepEqual(second.errors, []);
  await second.close();
});

studioTest('unknown parts of a link are ignored with a notice', { hash: '#unicorn&max_influences=99&deformer=dqs' }, async (page) => {
  await page.waitForSelector('.toast:has-text("not understood")');
  const { model, deformer, recipe } = await state(page);
  assert.deepEqual([model.name, deformer, recipe.max_influences], ['mannequin', 'dqs', 4]);
});

/** `<pliant-viewer>` alone on a page, in a real Chromium. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { drawn, loadSample, onBarePage, setUp } from './support.mjs';
import { moreColourful, pictureOf } from './pictures.mjs';

const shared = setUp();

const onPage = (work, options) => onBarePage(shared, work, options);

const INSIDE = `document.querySelector('pliant-viewer')[Symbol.for('pliant.inside')]`;

test('a sample character is rigged, drawn and moves by itself', () =>
  onPage(async (page) => {
    await loadSample(page, 'mannequin', { vertices: 2000, attributes: { autoplay: '' } });
    await drawn(page);
    const state = () =>
      page.evaluate(() => {
        const viewer = document.querySelector('pliant-viewer');
        const { loaded, busy, paused, currentTime, duration, animations } = viewer;
        return { loaded, busy, paused, currentTime, duration, animations, joints: viewer.model.joints.length };
      });
    const first = await state();
    assert.equal(first.loaded, true);
    assert.equal(first.busy, false);
    assert.equal(first.paused, false);
    assert.ok(first.joints > 15 && first.duration > 0 && first.animations.length > 0);
    const one = await pictureOf(page);
    await page.waitForFunction((time) => document.querySelector('pliant-viewer').currentTime !== time, first.currentTime);
    await page.waitForTimeout(200);
    const other = await pictureOf(page);
    // Neither blank nor black, and the character fills a sensible share.
    assert.ok(one.colours > 200, `${one.colours} colours`);
    assert.ok(one.brightness > 0.2 && one.brightness < 0.98, `${one.brightness}`);
    assert.ok(one.difference(other) > 0.005, 'it moves');
    assert.ok(one.difference(other) < 0.5, 'only the character moves');
  }));

test('an element without a size of its own is 300 by 150, and sharp at any pixel ratio', () =>
  onPage(
    async (page) => {
      await loadSample(page, 'cylinder', { attributes: { class: 'plain' } });
      await drawn(page);
      const size = await page.evaluate(() => {
        const viewer = document.querySelector('pliant-viewer');
        const canvas = viewer.shadowRoot.querySelector('canvas');
        return [viewer.clientWidth, viewer.clientHeight, canvas.width, canvas.height];
      });
      assert.deepEqual(size, [300, 150, 600, 300]);
    },
    { deviceScaleFactor: 2 },
  ));

for (const deformer of ['lbs', 'dqs']) {
  test(`vertices skinned by the graphics card equal the CPU's (${deformer})`, () =>
    onPage(async (page) => {
      await loadSample(page, 'mannequin', { vertices: 3000, attributes: { deformer, 'max-influences': '6' } });
      const worst = await page.evaluate(async () => {
        const viewer = document.querySelector('pliant-viewer');
        const inside = viewer[Symbol.for('pliant.inside')].viewer;
        viewer.setPose({ 'forearm.L': [10, 20, 95], 'thigh.R': [-60, 0, 15], spine: [5, 40, 0] });
        const [cpu, gpu] = [inside.posedVertices(0), inside.drawnVertices(0)];
        if (cpu.length !== gpu.length || cpu.length === 0) return Infinity;
        const diagonal = Math.hypot(...viewer.model.size);
        let worst = 0;
        for (let i = 0; i < cpu.length; i++) worst = Math.max(worst, Math.abs(cpu[i] - gpu[i]) / diagonal);
        return worst;
      });
      assert.ok(worst < 2e-6, `${worst} of the diagonal`);
    }));
}

test('a pose that is set is read back, and a clip pauses for it', () =>
  onPage(async (page) => {
    await loadSample(page, 'arm', { attributes: { autoplay: '' } });
    const result = await page.evaluate(() => {
      const viewer = document.querySelector('pliant-viewer');
      const heard = [];
      viewer.addEventListener('pose-change', ({ detail }) => heard.push(detail.final));
      const joint = viewer.model.joints[1].name;
      viewer.setPose({ [joint]: [0, 0, 40] });
      const { pose, paused } = viewer;
      viewer.resetPose();
      return { angle: pose[joint]?.[2], paused, after: Object.keys(viewer.pose).length, heard };
    });
    assert.ok(Math.abs(result.angle - 40) < 1e-3);
    assert.equal(result.paused, true);
    assert.equal(result.after, 0);
    assert.equal(result.heard.at(-1), true);
  }));

test('a joint is selected by a click and rotated by dragging a ring; Escape cancels it', () =>
  onPage(async (page) => {
    await loadSample(page, 'mannequin', { vertices: 2000 });
    await drawn(page);
    const at = (joint) => page.evaluate(`Array.from(${INSIDE}.viewer.jointOnCanvas('${joint}'))`);
    await page.evaluate(() => {
      window.heard = [];
      const viewer = document.querySelector('pliant-viewer');
      for (const type of ['select', 'gesture-start', 'gesture-end', 'pose-change'])
        viewer.addEventListener(type, ({ detail }) => window.heard.push([type, detail.joint ?? detail.final ?? null]));
    });
    const [x, y] = await at('forearm.L');
    await page.mouse.click(x, y);
    assert.equal(await page.evaluate(() => document.querySelector('pliant-viewer').selectedJoint), 'forearm.L');
    // The outermost ring faces the camera: 78 × 1.18 pixels around the joint.
    const radius = 78 * 1.18;
    const turn = async () => {
      await page.mouse.move(x + radius, y);
      await page.mouse.down();
      await page.mouse.move(x + radius * 0.9, y - radius * 0.44, { steps: 4 });
      await page.mouse.move(x + radius * 0.7, y - radius * 0.7, { steps: 4 });
    };
    await turn();
    await page.mouse.up();
    const turned = await page.evaluate(() => document.querySelector('pliant-viewer').pose);
    assert.ok(Math.hypot(...turned['forearm.L']) > 20, JSON.stringify(turned));
    const heard = await page.evaluate(() => window.heard);
    assert.deepEqual(heard[0], ['select', 'forearm.L']);
    assert.deepEqual(heard[1], ['gesture-start', null]);
    assert.deepEqual(heard.at(-2), ['pose-change', true]);
    assert.deepEqual(heard.at(-1), ['gesture-end', null]);

    await turn();
    await page.keyboard.press('Escape');
    await page.mouse.up();
    assert.deepEqual(await page.evaluate(() => document.querySelector('pliant-viewer').pose), turned);
    await page.keyboard.press('r');
    assert.deepEqual(await page.evaluate(() => document.querySelector('pliant-viewer').pose), {});
  }));

test('keys and dragging orbit the camera', () =>
  onPage(async (page) => {
    await loadSample(page, 'elephant', { vertices: 1500 });
    await drawn(page);
    const front = await pictureOf(page);
    await page.focus('pliant-viewer');
    for (let i = 0; i < 6; i++) await page.keyboard.press('ArrowRight');
    await page.waitForTimeout(600);
    const side = await pictureOf(page);
    assert.ok(front.difference(side) > 0.05, 'the view turned');
    await page.mouse.move(100, 400);
    await page.mouse.down();
    await page.mouse.move(300, 380, { steps: 5 });
    await page.mouse.up();
    await page.waitForTimeout(600);
    assert.ok(side.difference(await pictureOf(page)) > 0.05, 'and again');
  }));

test('weights and regions are shown in colours, with a legend for weights', () =>
  onPage(async (page) => {
    await loadSample(page, 'mannequin', { vertices: 2000 });
    await drawn(page);
    const shaded = await pictureOf(page);
    const show = async (value) => {
      await page.evaluate((value) => {
        const viewer = document.querySelector('pliant-viewer');
        viewer.show = value;
        viewer.selectedJoint = 'chest';
      }, value);
      await drawn(page);
      const legend = await page.evaluate(() => {
        const box = document.querySelector('pliant-viewer').shadowRoot.querySelector('.legend');
        return box.hidden ? null : box.textContent;
      });
      return [await pictureOf(page), legend];
    };
    const [weights, legend] = await show('weights');
    assert.match(legend, /chest/);
    assert.ok(moreColourful(weights, shaded) > 2, 'weights are colourful');
    const [regions, none] = await show('regions');
    assert.equal(none, null);
    assert.ok(moreColourful(regions, shaded) > 2, 'regions are colourful');
    assert.ok(weights.difference(regions) > 0.02);
  }));

test('joints placed by hand move their mirror images too, and the skin follows the new skeleton', () =>
  onPage(async (page) => {
    await loadSample(page, 'mannequin', { vertices: 1500 });
    await drawn(page);
    const before = await page.evaluate(() => {
      const viewer = document.querySelector('pliant-viewer');
      viewer.placingJoints = true;
      viewer.mirrorJoints = true;
      window.rigged = new Promise((done) => viewer.addEventListener('rig-complete', done, { once: true }));
      return viewer.jointPositions;
    });
    const [x, y] = await page.evaluate(`Array.from(${INSIDE}.viewer.jointOnCanvas('forearm.L'))`);
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + 15, y - 25, { steps: 5 });
    await page.mouse.up();
    const after = await page.evaluate(async () => {
      await window.rigged;
      const viewer = document.querySelector('pliant-viewer');
      return { positions: viewer.jointPositions, placing: viewer.placingJoints };
    });
    assert.equal(after.placing, true);
    const moved = after.positions['forearm.L'][1] - before['forearm.L'][1];
    assert.ok(moved > 0.01, `moved up by ${moved}`);
    assert.ok(Math.abs(after.positions['forearm.R'][1] - before['forearm.R'][1] - moved) < 1e-5);
    assert.deepEqual(after.positions.head, before.head);
    const undone = await page.evaluate(async (before) => {
      const viewer = document.querySelector('pliant-viewer');
      await viewer.setJointPositions(before);
      return viewer.jointPositions['forearm.L'];
    }, before);
    assert.deepEqual(undone, before['forearm.L']);
  }));

test('another recipe computes weights again, and changes that cancel out do not', () =>
  onPage(async (page) => {
    await loadSample(page, 'arm');
    const counts = await page.evaluate(async () => {
      const viewer = document.querySelector('pliant-viewer');
      let runs = 0;
      viewer.addEventListener('rig-complete', () => runs++);
      const settle = () => new Promise((done) => setTimeout(done, 50));
      viewer.maxInfluences = 2;
      viewer.maxInfluences = 4;
      await settle();
      const none = runs;
      viewer.setAttribute('max-influences', '1');
      await new Promise((done) => viewer.addEventListener('rig-complete', done, { once: true }));
      return [none, runs, viewer.report.maxInfluences, viewer.recipe.max_influences];
    });
    assert.deepEqual(counts, [0, 1, 1, 1]);
  }));

test('a screenshot is a PNG of the size of the canvas', () =>
  onPage(async (page) => {
    await loadSample(page, 'hand', { vertices: 2000 });
    await drawn(page);
    const size = await page.evaluate(async () => {
      const blob = await document.querySelector('pliant-viewer').toBlob();
      const image = await createImageBitmap(blob);
      return [blob.type, image.width, image.height];
    });
    assert.deepEqual(size, ['image/png', 640, 480]);
  }));

test('properties set before the tag is defined count, and the page’s own load and error handlers are left alone', () =>
  onPage(async (page) => {
    const result = await page.evaluate(async () => {
      let loads = 0;
      window.addEventListener('load', () => loads++);
      // As a script does that runs before the element's module has arrived.
      const viewer = document.createElement('pliant-viewer');
      Object.defineProperty(viewer, 'src', { value: 'sample:arm', configurable: true, writable: true, enumerable: true });
      const rigged = new Promise((done) => viewer.addEventListener('rig-complete', done, { once: true }));
      document.body.append(viewer);
      await rigged;
      return { src: viewer.getAttribute('src'), name: viewer.model.name, loads };
    });
    assert.deepEqual(result, { src: 'sample:arm', name: 'arm', loads: 0 });
  }));

/** Morph targets: default weights and weight tracks act on screen, as in three.js. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exported, loadFiles } from './files.mjs';
import { pictureOf } from './pictures.mjs';
import { drawn, loadSample, loseContext, onBarePage, require, setUp } from './support.mjs';
import { posedByThree } from './three.mjs';
import { tube } from './tube.mjs';

const validator = require('gltf-validator');

const shared = setUp();

const INTERPOLATIONS = ['LINEAR', 'STEP', 'CUBICSPLINE'];

/** The vertices of a view at a time, as computed on the CPU and by the shader. */
async function verticesAt(page, time, view = 0) {
  return page.evaluate(
    async ([time, view]) => {
      const viewer = document.querySelector('pliant-viewer');
      viewer.pause();
      viewer.currentTime = time;
      await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())));
      const inside = viewer[Symbol.for('pliant.inside')].viewer;
      return { cpu: Array.from(inside.posedVertices(view)), gpu: Array.from(inside.drawnVertices(view)) };
    },
    [time, view],
  );
}

/** The largest difference of coordinates, as a share of the length of the tube. */
function apart(a, b) {
  return a.reduce((worst, x, i) => Math.max(worst, Math.abs(x - b[i]) / 3), a.length === b.length ? 0 : Infinity);
}

const plain = { name: 'tube.glb', bytes: tube() };

for (const interpolation of INTERPOLATIONS)
  test(`weight tracks (${interpolation}) show the vertices of three.js`, (context) =>
    onBarePage(shared, async (page) => {
      const bytes = tube({ morph: { interpolation, weights: [0.1, 0.2] } });
      const { issues } = await validator.validateBytes(bytes, { maxIssues: 20 });
      assert.equal(issues.numErrors, 0, JSON.stringify(issues.messages, null, 1));
      await loadFiles(page, [{ name: 'tube.glb', bytes }]);
      let worst = 0;
      for (const time of [0, 0.2, 0.41, 0.5, 0.83, 1]) {
        const { cpu, gpu } = await verticesAt(page, time);
        const theirs = await posedByThree(new Uint8Array(bytes), 'nod', time);
        worst = Math.max(worst, apart(cpu, theirs), apart(gpu, theirs));
      }
      context.diagnostic(`${worst.toExponential(1)} of the length from three.js`);
      assert.ok(worst < 1e-5, `${worst} of the length`);
    }));

test('default weights act without a track, also with new weights of joints, and are exported', () =>
  onBarePage(shared, async (page) => {
    const bytes = tube({ morph: { weights: [0.6, 0.3] } });
    await loadFiles(page, [{ name: 'tube.glb', bytes }]);
    assert.deepEqual(await page.evaluate(() => document.querySelector('pliant-viewer').model.warnings), []);
    const { cpu } = await verticesAt(page, 0.41);
    assert.ok(apart(cpu, await posedByThree(new Uint8Array(bytes), 'nod', 0.41)) < 1e-5);
    assert.ok(apart(cpu, await posedByThree(new Uint8Array(plain.bytes), 'nod', 0.41)) > 0.05);
    await loadFiles(page, [{ name: 'tube.glb', bytes }], { method: 'heat' });
    const heat = await verticesAt(page, 0.41);
    assert.ok(apart(heat.cpu, cpu) > 1e-3, 'other weights');
    const glb = await exported(page);
    assert.ok(apart(heat.cpu, await posedByThree(glb, 'nod', 0.41)) < 1e-5);
  }));

test('both views, dual quaternions and corrections show morph targets', () =>
  onBarePage(shared, async (page) => {
    const bytes = tube({ morph: { interpolation: 'LINEAR' } });
    await loadFiles(page, [{ name: 'tube.glb', bytes }], { compare: 'source', 'compare-deformer': 'dqs' });
    await page.waitForFunction(() => document.querySelector('pliant-viewer').compareReport !== null);
    const theirs = await posedByThree(new Uint8Array(bytes), 'nod', 0.41);
    const [first, second] = [await verticesAt(page, 0.41, 0), await verticesAt(page, 0.41, 1)];
    assert.ok(apart(first.gpu, theirs) < 1e-5 && apart(second.gpu, second.cpu) < 1e-5);
    assert.ok(apart(second.gpu, theirs) > 1e-4, 'dual quaternions differ where joints share vertices');
    assert.ok(apart(second.gpu, theirs) < 0.05);
    await page.evaluate(() => {
      document.querySelector('pliant-viewer').volume = 'local';
    });
    await drawn(page);
    const corrected = await verticesAt(page, 0.41, 0);
    assert.deepEqual(corrected.gpu, corrected.cpu);
    assert.ok(apart(corrected.cpu, theirs) < 0.05, 'the correction starts from the morphed shape');
  }));

test('the picture is that of a file with the shape of the target, at every time and after a lost context', (context) =>
  onBarePage(shared, async (page) => {
    const picture = async (options, time) => {
      await loadFiles(page, [{ name: 'tube.glb', bytes: tube(options) }]);
      await verticesAt(page, time);
      await drawn(page);
      return pictureOf(page);
    };
    // The first target has weight 1 at 0.5 seconds; the second one moves no vertex here.
    const expected = await picture({ bulge: 1 }, 0.5);
    const atRest = await picture({}, 0.5);
    const before = await picture({ morph: { weights: [1, 0] } }, 0.5);
    // Ground and occlusion scale with the rest shape, which differs a little.
    const [far, near] = [expected.difference(atRest), before.difference(expected)];
    context.diagnostic(`${near} of the pixels differ, ${far} without the target`);
    assert.ok(far > 0.02 && near < 0.1 * far, `${near} and ${far} of the pixels differ`);
    await loseContext(page);
    await verticesAt(page, 0.5);
    await drawn(page);
    const after = await pictureOf(page);
    assert.ok(after.difference(before) < 5e-4, 'after a lost context');
    // Buffers alternate: several times in a row.
    await loadFiles(page, [{ name: 'tube.glb', bytes: tube({ morph: { interpolation: 'LINEAR' } }) }]);
    const shots = [];
    for (const time of [0.1, 0.9, 0.1, 0.9]) {
      await verticesAt(page, time);
      await drawn(page);
      shots.push(await pictureOf(page));
    }
    assert.equal(shots[0].difference(shots[2]), 0);
    assert.equal(shots[1].difference(shots[3]), 0);
    assert.ok(shots[0].difference(shots[1]) > 0.005);
  }));

test('an exported file with baked corrections shows the corrected vertices again', (context) =>
  onBarePage(shared, async (page) => {
    await loadSample(page, 'mannequin', { vertices: 2000, attributes: { volume: 'local', 'animation-name': 'walk' } });
    const keys = 5;
    const glb = await exported(page, { bake: { keys } });
    const duration = await page.evaluate(() => document.querySelector('pliant-viewer').duration);
    const times = [1, 2, 3].map((key) => (duration * key) / (keys - 1));
    const corrected = [];
    for (const time of times) corrected.push((await verticesAt(page, time)).cpu);
    await page.evaluate(() => {
      document.querySelector('pliant-viewer').volume = 'off';
    });
    await loadFiles(page, [{ name: 'baked.glb', bytes: glb }], { method: 'source' });
    let [worst, three] = [0, 0];
    for (const [i, time] of times.entries()) {
      const { cpu, gpu } = await verticesAt(page, time);
      worst = Math.max(worst, apart(cpu, corrected[i]), apart(gpu, corrected[i]));
      three = Math.max(three, apart(gpu, await posedByThree(glb, 'walk', time)));
    }
    context.diagnostic(`${worst.toExponential(1)} from the corrected vertices, ${three.toExponential(1)} from three.js`);
    assert.ok(worst < 0.005 && three < 1e-5, `${worst}, ${three}`);
  }));

/** What is exported is valid glTF, and other people's software poses it as we do. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { barePage, drawn, loadSample, require, setUp } from './support.mjs';
import { posedByThree } from './three.mjs';

const validator = require('gltf-validator');

const shared = setUp();

/** The GLB, and where every vertex is at some moment of its first clip. */
async function exported(page, time, options = {}) {
  const { glb, posed, diagonal, clip } = await page.evaluate(async ([time, options]) => {
    const viewer = document.querySelector('pliant-viewer');
    const blob = await viewer.exportGLB(options);
    viewer.currentTime = time;
    const posed = viewer[Symbol.for('pliant.inside')].viewer.posedVertices(0);
    const bytes = new Uint8Array(await blob.arrayBuffer());
    let text = '';
    for (const byte of bytes) text += String.fromCharCode(byte);
    const diagonal = Math.hypot(...viewer.model.size);
    return { glb: btoa(text), posed: Array.from(posed), diagonal, clip: viewer.animationName };
  }, [time, options]);
  return { glb: new Uint8Array(Buffer.from(glb, 'base64')), posed, diagonal, clip };
}

for (const [member, influences] of [
  ['mannequin', 4],
  ['giraffe', 8],
]) {
  test(`${member}: the export is valid and three.js poses it as we do`, async () => {
    const { page, errors } = await barePage(shared.browser, shared.site);
    try {
      await loadSample(page, member, { vertices: 2000, attributes: { 'max-influences': String(influences) } });
      await drawn(page);
      const time = 0.37;
      const { glb, posed, diagonal, clip } = await exported(page, time);
      const { issues } = await validator.validateBytes(glb, { maxIssues: 20 });
      assert.equal(issues.numErrors, 0, JSON.stringify(issues.messages, null, 1));
      // three.js blends the four heaviest joints only.
      if (influences > 4) return;
      const theirs = await posedByThree(glb, clip, time);
      assert.equal(theirs.length, posed.length);
      const worst = posed.reduce((worst, x, i) => Math.max(worst, Math.abs(x - theirs[i]) / diagonal), 0);
      assert.ok(worst < 1e-5, `${worst} of the diagonal`);
      assert.deepEqual(errors, []);
    } finally {
      await page.close();
    }
  });
}

test('a compressed export is valid, smaller, and the same to three.js and to us', async () => {
  const { page, errors } = await barePage(shared.browser, shared.site);
  try {
    const encoders = [];
    page.context().on('request', (request) => {
      if (/meshopt-encoder.*\.wasm/.test(request.url())) encoders.push(request.url());
    });
    await loadSample(page, 'mannequin', { vertices: 2000 });
    await drawn(page);
    const time = 0.37;
    const plain = await exported(page, time);
    assert.deepEqual(encoders, [], 'the encoder is not loaded for a plain export');
    const compressed = await exported(page, time, { compress: true });
    const again = await exported(page, time, { compress: true });
    assert.equal(encoders.length, 1, 'the encoder is loaded once');
    assert.deepEqual(again.glb, compressed.glb);
    assert.ok(compressed.glb.length < 0.7 * plain.glb.length, `${compressed.glb.length} of ${plain.glb.length}`);
    const { issues } = await validator.validateBytes(compressed.glb, { maxIssues: 20 });
    assert.equal(issues.numErrors, 0, JSON.stringify(issues.messages, null, 1));
    const [theirs, expected] = [compressed, plain].map(({ glb, clip }) => posedByThree(glb, clip, time));
    assert.deepEqual(await theirs, await expected);
    // Weights are computed again, from triangles that may begin with other corners.
    const posed = await page.evaluate(async ([base64, time, clip]) => {
      const viewer = document.querySelector('pliant-viewer');
      const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
      await viewer.load({ kind: 'files', files: [new File([bytes], 'compressed.glb')] });
      await viewer.rig();
      viewer.animationName = clip;
      viewer.currentTime = time;
      return Array.from(viewer[Symbol.for('pliant.inside')].viewer.posedVertices(0));
    }, [Buffer.from(compressed.glb).toString('base64'), time, plain.clip]);
    assert.equal(posed.length, plain.posed.length);
    const worst = posed.reduce((worst, x, i) => Math.max(worst, Math.abs(x - plain.posed[i]) / plain.diagonal), 0);
    assert.ok(worst < 1e-4, `${worst} of the diagonal`);
    assert.deepEqual(errors, []);
  } finally {
    await page.close();
  }
});

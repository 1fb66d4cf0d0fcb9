/** What is exported is valid glTF, and other people's software poses it as we do. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { barePage, drawn, loadSample, require, setUp } from './support.mjs';
import { posedByThree } from './three.mjs';

const validator = require('gltf-validator');

const shared = setUp();

/** The GLB, and where every vertex is at some moment of its first clip. */
async function exported(page, time) {
  const { glb, posed, diagonal, clip } = await page.evaluate(async (time) => {
    const viewer = document.querySelector('pliant-viewer');
    const blob = await viewer.exportGLB();
    viewer.currentTime = time;
    const posed = viewer[Symbol.for('pliant.inside')].viewer.posedVertices(0);
    const bytes = new Uint8Array(await blob.arrayBuffer());
    let text = '';
    for (const byte of bytes) text += String.fromCharCode(byte);
    const diagonal = Math.hypot(...viewer.model.size);
    return { glb: btoa(text), posed: Array.from(posed), diagonal, clip: viewer.animationName };
  }, time);
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

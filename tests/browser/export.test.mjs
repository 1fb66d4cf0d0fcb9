/** What is exported is valid glTF, and other people's software poses it as we do. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { drawn, launch, loadCast, barePage, require, serve } from './support.mjs';

const validator = require('gltf-validator');

let browser;
let site;
before(async () => {
  site = await serve();
  browser = await launch();
});
after(async () => {
  await browser?.close();
  site?.close();
});

/** The GLB, and where every vertex is at some moment of its first clip. */
async function exported(page, time) {
  const { glb, posed, diagonal, clip } = await page.evaluate(async (time) => {
    const viewer = document.querySelector('pliant-viewer');
    const blob = await viewer.exportGLB();
    viewer.currentTime = time;
    const posed = viewer[Symbol.for('pliant.inside')].viewer.posedVertices();
    const bytes = new Uint8Array(await blob.arrayBuffer());
    let text = '';
    for (const byte of bytes) text += String.fromCharCode(byte);
    const diagonal = Math.hypot(...viewer.model.size);
    return { glb: btoa(text), posed: Array.from(posed), diagonal, clip: viewer.animationName };
  }, time);
  return { glb: new Uint8Array(Buffer.from(glb, 'base64')), posed, diagonal, clip };
}

/** Where three.js puts the vertices. */
async function posedByThree(glb, clip, time) {
  const THREE = await import(require.resolve('three').replace('three.cjs', 'three.module.js'));
  const { GLTFLoader } = await import(require.resolve('three/addons/loaders/GLTFLoader.js'));
  globalThis.self ??= globalThis;
  const gltf = await new GLTFLoader().parseAsync(glb.buffer.slice(glb.byteOffset, glb.byteOffset + glb.length), '');
  const mixer = new THREE.AnimationMixer(gltf.scene);
  const action = mixer.clipAction(THREE.AnimationClip.findByName(gltf.animations, clip));
  action.setLoop(THREE.LoopOnce, 1).clampWhenFinished = true;
  action.play();
  mixer.setTime(time);
  gltf.scene.updateMatrixWorld(true);
  const positions = [];
  const point = new THREE.Vector3();
  gltf.scene.traverse((node) => {
    if (!node.isSkinnedMesh) return;
    node.skeleton.update();
    for (let i = 0; i < node.geometry.attributes.position.count; i++) {
      node.getVertexPosition(i, point).applyMatrix4(node.matrixWorld);
      positions.push(point.x, point.y, point.z);
    }
  });
  return positions;
}

for (const [member, influences] of [
  ['mannequin', 4],
  ['giraffe', 8],
]) {
  test(`${member}: the export is valid and three.js poses it as we do`, async () => {
    const { page, errors } = await barePage(browser, site);
    try {
      await loadCast(page, member, { vertices: 2000, attributes: { 'max-influences': String(influences) } });
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

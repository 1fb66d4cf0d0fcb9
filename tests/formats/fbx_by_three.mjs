/**
 * Prints where the FBX loader of three.js puts vertices: `node fbx_by_three.mjs FILE CLIP TIME…`.
 * The output is JSON: for each time, a list of [x, y, z] in metres with all vertices of all meshes,
 * with morph targets and skins.
 */
import { readFileSync } from 'node:fs';
import { AnimationMixer, AnimationClip, LoopOnce, Vector3 } from '../../www/node_modules/three/build/three.module.js';
import { FBXLoader } from '../../www/node_modules/three/examples/jsm/loaders/FBXLoader.js';

// What its loader takes for granted, and Node lacks. Pictures do not matter here.
globalThis.self ??= globalThis;
globalThis.window ??= globalThis;
const image = () => ({ addEventListener() {}, removeEventListener() {} });
globalThis.document ??= { createElementNS: image };
console.warn = () => undefined;

const [file, name, ...times] = process.argv.slice(2);
const bytes = readFileSync(file);
const scene = new FBXLoader().parse(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length), '');
const metres = (scene.userData.unitScaleFactor ?? 1) / 100;
const mixer = new AnimationMixer(scene);
const action = mixer.clipAction(AnimationClip.findByName(scene.animations, name));
action.setLoop(LoopOnce, 1).clampWhenFinished = true;
action.play();
const poses = times.map((time) => {
  mixer.setTime(Number(time));
  scene.updateMatrixWorld(true);
  const positions = [];
  scene.traverse((node) => {
    if (!node.isMesh) return;
    node.skeleton?.update();
    for (let i = 0; i < node.geometry.attributes.position.count; i++) {
      const point = node.getVertexPosition(i, new Vector3()).applyMatrix4(node.matrixWorld);
      positions.push(point.multiplyScalar(metres).toArray());
    }
  });
  return positions;
});
console.log(JSON.stringify(poses));

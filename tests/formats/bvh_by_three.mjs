/**
 * Prints where the BVH loader of three.js puts joints: `node bvh_by_three.mjs FILE FRAME…`. The
 * output is JSON: for each frame, a list of [x, y, z] with all joints and end sites in file order.
 */
import { readFileSync } from 'node:fs';
import { Vector3 } from '../../www/node_modules/three/build/three.module.js';
import { BVHLoader } from '../../www/node_modules/three/examples/jsm/loaders/BVHLoader.js';

const [file, ...frames] = process.argv.slice(2);
const { skeleton, clip } = new BVHLoader().parse(readFileSync(file, 'utf8'));
const joints = skeleton.bones.filter((bone) => bone.name !== 'ENDSITE');
const poses = frames.map((frame) => {
  // Tracks are in the order of joints: a position, then a rotation. Names may occur twice.
  joints.forEach((joint, index) => {
    joint.position.fromArray(clip.tracks[2 * index].values, 3 * frame);
    joint.quaternion.fromArray(clip.tracks[2 * index + 1].values, 4 * frame);
  });
  skeleton.bones[0].updateMatrixWorld(true);
  return skeleton.bones.map((bone) => bone.getWorldPosition(new Vector3()).toArray());
});
console.log(JSON.stringify(poses));

/** Where three.js puts the vertices of a GLB. */
import { require } from './support.mjs';

export async function posedByThree(glb, clip, time) {
  // What its loader takes for granted, and Node lacks. Pictures do not matter here.
  globalThis.self ??= globalThis;
  globalThis.createImageBitmap ??= async () => ({ width: 1, height: 1, close() {} });
  const THREE = await import(require.resolve('three').replace('three.cjs', 'three.module.js'));
  const { GLTFLoader } = await import(require.resolve('three/addons/loaders/GLTFLoader.js'));
  const bytes = glb.buffer.slice(glb.byteOffset, glb.byteOffset + glb.length);
  const gltf = await new GLTFLoader().parseAsync(bytes, '');
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

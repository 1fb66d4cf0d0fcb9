/** Where three.js puts the vertices of a GLB. */
import { require } from './support.mjs';

async function loaded(glb) {
  // What its loader takes for granted, and Node lacks. Pictures do not matter here.
  globalThis.self ??= globalThis;
  globalThis.createImageBitmap ??= async () => ({ width: 1, height: 1, close() {} });
  const THREE = await import(require.resolve('three').replace('three.cjs', 'three.module.js'));
  const { GLTFLoader } = await import(require.resolve('three/addons/loaders/GLTFLoader.js'));
  const { MeshoptDecoder } = await import(require.resolve('three/addons/libs/meshopt_decoder.module.js'));
  const bytes = glb.buffer.slice(glb.byteOffset, glb.byteOffset + glb.length);
  const ktx2 = { load: (_url, done) => done(new THREE.Texture()) };
  const loader = new GLTFLoader().setMeshoptDecoder(MeshoptDecoder).setKTX2Loader(ktx2);
  return { THREE, gltf: await loader.parseAsync(bytes, '') };
}

export async function posedByThree(glb, clip, time) {
  const { THREE, gltf } = await loaded(glb);
  const mixer = new THREE.AnimationMixer(gltf.scene);
  const action = mixer.clipAction(THREE.AnimationClip.findByName(gltf.animations, clip));
  action.setLoop(THREE.LoopOnce, 1).clampWhenFinished = true;
  action.play();
  mixer.setTime(time);
  return positionsOf(THREE, gltf);
}

/**
 * The same with joints (by their names in the file) moved by steps, and how much every vertex
 * follows a joint.
 */
export async function movedByThree(glb, steps) {
  const { THREE, gltf } = await loaded(glb);
  // three.js has its own idea of what names may contain.
  const named = (name) => gltf.scene.getObjectByName(THREE.PropertyBinding.sanitizeNodeName(name));
  for (const [name, [x, y, z]] of Object.entries(steps)) named(name).position.add(new THREE.Vector3(x, y, z));
  const weightsOf = (name) => {
    const shares = [];
    gltf.scene.traverse((node) => {
      if (!node.isSkinnedMesh) return;
      const bone = node.skeleton.bones.indexOf(named(name));
      const { skinIndex, skinWeight } = node.geometry.attributes;
      for (let i = 0; i < skinIndex.count; i++)
        shares.push([0, 1, 2, 3].reduce((sum, c) => sum + (skinIndex.getComponent(i, c) === bone ? skinWeight.getComponent(i, c) : 0), 0));
    });
    return shares;
  };
  return { positions: positionsOf(THREE, gltf), weightsOf };
}

function positionsOf(THREE, gltf) {
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

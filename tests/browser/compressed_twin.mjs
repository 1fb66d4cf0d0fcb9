/** Compresses a GLB with glTF-Transform and the encoders of the codecs' own authors. */
import { require } from './support.mjs';

const load = (name) => import(require.resolve(name));

/** The bytes of the same file with geometry compressed by 'draco' or 'meshopt'. */
export async function compressedTwin(glb, codec) {
  const { NodeIO } = await load('@gltf-transform/core');
  const { ALL_EXTENSIONS } = await load('@gltf-transform/extensions');
  const { draco, meshopt } = await load('@gltf-transform/functions');
  const { MeshoptEncoder, MeshoptDecoder } = await load('meshoptimizer');
  const draco3d = require('draco3dgltf');
  await Promise.all([MeshoptEncoder.ready, MeshoptDecoder.ready]);
  const io = new NodeIO().registerExtensions(ALL_EXTENSIONS).registerDependencies({
    'draco3d.encoder': await draco3d.createEncoderModule(),
    'meshopt.encoder': MeshoptEncoder,
    'meshopt.decoder': MeshoptDecoder,
  });
  const document = await io.readBinary(new Uint8Array(glb));
  await document.transform(codec === 'draco' ? draco() : meshopt({ encoder: MeshoptEncoder, level: 'medium' }));
  return Buffer.from(await io.writeBinary(document));
}

/** Compresses a GLB with glTF-Transform and the encoders of the codecs' own authors. */
import { require } from './support.mjs';

const load = (name) => import(require.resolve(name));

/** What can be done to a twin, by name. */
export const CODECS = {
  'draco': { draco: { method: 'edgebreaker' } },
  'draco sequential': { draco: { method: 'sequential' } },
  'meshopt': { meshopt: { level: 'medium' } },
  'meshopt filters': { meshopt: { level: 'high' } },
};

let tools;

/** glTF-Transform with the codecs. */
async function start() {
  const { Logger, NodeIO } = await load('@gltf-transform/core');
  const { ALL_EXTENSIONS } = await load('@gltf-transform/extensions');
  const { draco, meshopt } = await load('@gltf-transform/functions');
  const { MeshoptEncoder, MeshoptDecoder } = await load('meshoptimizer');
  const draco3d = require('draco3dgltf');
  await Promise.all([MeshoptEncoder.ready, MeshoptDecoder.ready]);
  const io = new NodeIO().registerExtensions(ALL_EXTENSIONS).registerDependencies({
    'draco3d.encoder': await draco3d.createEncoderModule(),
    'draco3d.decoder': await draco3d.createDecoderModule(),
    'meshopt.encoder': MeshoptEncoder,
    'meshopt.decoder': MeshoptDecoder,
  });
  io.setLogger(new Logger(Logger.Verbosity.ERROR));
  return { io, draco, meshopt: (options) => meshopt({ encoder: MeshoptEncoder, ...options }) };
}

/** A GLB as a document of glTF-Transform. */
export async function documentOf(glb) {
  tools ??= start();
  return (await tools).io.readBinary(new Uint8Array(glb));
}

/**
 * The bytes of the same file with compressed geometry. `prepare` may change the document before
 * that.
 */
export async function compressedTwin(glb, codec, prepare = () => {}) {
  const document = await documentOf(glb);
  const { io, draco, meshopt } = await tools;
  prepare(document);
  const options = CODECS[codec];
  await document.transform(options.draco ? draco(options.draco) : meshopt(options.meshopt));
  return Buffer.from(await io.writeBinary(document));
}

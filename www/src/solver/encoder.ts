/** Compresses exports, by a module of its own that is fetched with the first one. */
import type { PliantError } from '../wasm.ts';
import { LazyModule } from './lazy_module.ts';

const meshopt = new LazyModule(
  'meshopt encoder',
  () => import('../../pkg/meshopt-encoder/meshopt-encoder.js'),
  () => import('../../pkg/meshopt-encoder/meshopt-encoder_bg.wasm?url'),
);

/** Compresses a GLB. The result is `glb` itself if that would not make it smaller. */
export async function compressed(glb: Uint8Array): Promise<Uint8Array> {
  const result = await meshopt.use(({ compressGlb }) => ({ glb: compressGlb(glb) ?? glb }));
  if ('glb' in result) return result.glb;
  const error: PliantError = {
    code: 'internal',
    message: `The export cannot be compressed: ${result.error}`,
    hint: 'Export without compression',
  };
  throw error;
}

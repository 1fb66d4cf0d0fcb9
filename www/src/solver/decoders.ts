/**
 * Decodes what the solver does not read by itself: archives, compressed parts of glTF, and FBX.
 * Each decoder is a module of its own. It is fetched when the first file needs it.
 */
import {
  type CompressedPart,
  type ConvertedFbx,
  type DecodedPart,
  type NamedFileBytes,
  Solver,
} from '../../pkg/solver/solver.js';
import { LazyModule } from './lazy_module.ts';
import type { Unpacked } from './zip.ts';

const draco = new LazyModule(
  'Draco decoder',
  () => import('../../pkg/draco-decoder/draco-decoder.js'),
  () => import('../../pkg/draco-decoder/draco-decoder_bg.wasm?url'),
);

const meshopt = new LazyModule(
  'meshopt decoder',
  () => import('../../pkg/meshopt-decoder/meshopt-decoder.js'),
  () => import('../../pkg/meshopt-decoder/meshopt-decoder_bg.wasm?url'),
);

const fbx = new LazyModule(
  'FBX decoder',
  () => import('../../pkg/fbx-decoder/fbx-decoder.js'),
  () => import('../../pkg/fbx-decoder/fbx-decoder_bg.wasm?url'),
);

/** Number of bytes by which the solver recognises FBX and archives. */
const HEAD = 4096;

/** Adds to files what was decoded, so that the solver can read them. Archives are unpacked. */
export async function withDecoded(given: readonly Unpacked[]): Promise<NamedFileBytes[]> {
  const files = (await Promise.all(given.map(unpacked))).flat();
  const read: NamedFileBytes[] = [];
  for (const file of files) {
    const head = file.bytes.subarray(0, HEAD);
    // The converted file replaces the content: the solver need not copy both.
    const isFbx = Solver.isFbx(head);
    read.push(isFbx ? { name: file.name, bytes: head, converted: await converted(file, files) } : file);
  }
  const [first, ...others] = read;
  if (!first) return read;
  const decoded: DecodedPart[] = [];
  for (const part of Solver.compressedParts(read)) {
    decoded.push({ key: part.key, ...(await decodedPart(part)) });
  }
  return [{ ...first, decoded }, ...others];
}

/** The files in an archive, or the file itself. */
async function unpacked(file: Unpacked): Promise<readonly Unpacked[]> {
  if (!Solver.isZip(file.bytes.subarray(0, HEAD))) return [file];
  const { unpack } = await import('./zip.ts');
  return unpack(file.bytes);
}

function decodedPart(part: CompressedPart): Promise<{ bytes: Uint8Array } | { error: string }> {
  switch (part.codec) {
    case 'draco':
      return draco.use(({ decode }) => ({ bytes: decode(part.bytes, part.attributes, part.limits) }));
    case 'meshopt': {
      const { bytes, count, stride, mode, filter } = part;
      return meshopt.use(({ decode }) => ({ bytes: decode(bytes, count, stride, mode, filter) }));
    }
  }
}

/** Converts an FBX file. The other files may be its textures. */
function converted(file: NamedFileBytes, files: readonly NamedFileBytes[]): Promise<ConvertedFbx> {
  const siblings = files.filter((other) => other !== file);
  const names = siblings.map(({ name }) => name);
  const contents = siblings.map(({ bytes }) => bytes);
  return fbx.use(({ convert }) => {
    const result = convert(file.bytes, names, contents);
    const answer = { glb: result.takeGlb(), warnings: result.warnings() };
    result.free();
    return answer;
  });
}

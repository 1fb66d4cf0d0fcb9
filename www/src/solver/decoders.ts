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
import type { PliantError } from '../wasm.ts';
import type { Unpacked } from './zip.ts';

/** The JavaScript of a module, as wasm-bindgen writes it. */
interface Glue {
  default(from: { module_or_path: Promise<Response> }): Promise<unknown>;
}

/** A module that is loaded at its first use. */
class Decoder<G extends Glue> {
  readonly #name: string;
  readonly #glue: () => Promise<G>;
  readonly #address: () => Promise<{ default: string }>;
  #started: Promise<G> | undefined;

  constructor(name: string, glue: () => Promise<G>, address: () => Promise<{ default: string }>) {
    this.#name = name;
    this.#glue = glue;
    this.#address = address;
  }

  /** The result of `call`, or the text of its error. */
  async use<R extends object>(call: (module: G) => R): Promise<R | { error: string }> {
    const module = await this.#module();
    try {
      return call(module);
    } catch (thrown) {
      if (typeof thrown === 'string') return { error: thrown };
      // The module ran out of memory. Its instance must not be used again.
      this.#started = undefined;
      return { error: `the decoder failed: ${thrown instanceof Error ? thrown.message : thrown}` };
    }
  }

  async #module(): Promise<G> {
    this.#started ??= this.#start();
    try {
      return await this.#started;
    } catch (thrown) {
      // The next file tries again.
      this.#started = undefined;
      const reason = thrown instanceof Error ? thrown.message : String(thrown);
      const error: PliantError = {
        code: 'network',
        message: `The ${this.#name} decoder cannot be loaded: ${reason}`,
        hint: 'Check the connection and open the file again',
      };
      throw error;
    }
  }

  async #start(): Promise<G> {
    const [glue, { default: url }] = await Promise.all([this.#glue(), this.#address()]);
    await glue.default({ module_or_path: found(url) });
    return glue;
  }
}

async function found(url: string): Promise<Response> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url} answered ${response.status}`);
  return response;
}

const draco = new Decoder(
  'Draco',
  () => import('../../pkg/draco-decoder/draco-decoder.js'),
  () => import('../../pkg/draco-decoder/draco-decoder_bg.wasm?url'),
);

const meshopt = new Decoder(
  'meshopt',
  () => import('../../pkg/meshopt-decoder/meshopt-decoder.js'),
  () => import('../../pkg/meshopt-decoder/meshopt-decoder_bg.wasm?url'),
);

const fbx = new Decoder(
  'FBX',
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

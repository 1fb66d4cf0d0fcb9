/**
 * Clips for the character of the solver: of the library, or of another skeleton. The module that
 * makes them is fetched when the first one is needed.
 */
import type { Mover, MadeClip as WasmClip } from '../../pkg/motion-library/motion-library.js';
import type { NamedFileBytes, Solver } from '../../pkg/solver/solver.js';
import type { PliantError, SkeletonPacket } from '../wasm.ts';
import { LazyModule } from './lazy_module.ts';
import type { MadeClip } from './protocol.ts';

type Glue = typeof import('../../pkg/motion-library/motion-library.js');

const module = new LazyModule<Glue>(
  'library of motions',
  () => import('../../pkg/motion-library/motion-library.js'),
  () => import('../../pkg/motion-library/motion-library_bg.wasm?url'),
);

/** The skeleton of the character, as the solver described it last. */
let skeleton: SkeletonPacket['meta'] | undefined;
/** The character in the module. */
let mover: Mover | undefined;

/** Memory of the module's instance, in bytes. */
export function motionsMemory(): number {
  return module.bytes;
}

/** Keeps the description of the skeleton of an answer. Its keys are transferred to the page. */
export function rememberSkeleton<
  T extends { readonly skeleton: SkeletonPacket } | { readonly asset: { readonly skeleton: SkeletonPacket } },
>(answer: T): T {
  mover?.free();
  mover = undefined;
  skeleton = ('asset' in answer ? answer.asset.skeleton : answer.skeleton).meta;
  return answer;
}

/** The names of the clips of the library that fit the character; none for unknown bodies. */
export async function libraryNames(solver: Solver): Promise<readonly string[]> {
  if (!hasSkeleton()) return [];
  return answered(await module.use((glue) => ({ names: opened(glue, solver).library() }))).names;
}

/** A clip of the library. */
export async function libraryClip(solver: Solver, name: string): Promise<MadeClip[]> {
  return answered(await module.use((glue) => [plain(opened(glue, solver).clip(name))]));
}

/** The clips of files on the character. */
export async function retargeted(
  solver: Solver,
  files: NamedFileBytes[],
  inPlace: boolean,
): Promise<MadeClip[]> {
  const motion = solver.readMotion(files);
  return answered(
    await module.use((glue) => opened(glue, solver).retarget(motion.meta, motion.keys, inPlace).map(plain)),
  );
}

function hasSkeleton(): boolean {
  return Boolean((skeleton as { skeleton?: unknown } | undefined)?.skeleton);
}

function opened({ Mover }: Glue, solver: Solver): Mover {
  mover ??= new Mover(skeleton, solver.fitInput().positions);
  return mover;
}

function plain(clip: WasmClip): MadeClip {
  const { name, duration, tracks } = clip;
  const made = { name, duration, tracks, numbers: Float64Array.from(clip.numbers()) };
  clip.free();
  return made;
}

function answered<T extends object>(result: T | { error: string }): T {
  if (!('error' in result)) return result;
  // After a failure of the module its memory is gone.
  mover = undefined;
  const hint = 'Use the motion of a person for people, and of an animal for animals';
  const message = `The motion cannot be used: ${result.error}`;
  throw { code: 'motion', message, hint } satisfies PliantError;
}

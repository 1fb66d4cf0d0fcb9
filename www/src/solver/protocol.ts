/** What the page and the solver's worker say to each other. */
import type {
  Bake,
  Energy,
  FitAnswer,
  LoadAnswer,
  PliantError,
  PosesAnswer,
  Recipe,
  RigAnswer,
  SampleCharacter,
  SkeletonAnswer,
} from '../wasm.ts';

/** A file and the path it was given under; the worker reads it, so the page never holds its bytes. */
export interface NamedFile {
  name: string;
  file: Blob;
}

export type Point = readonly [number, number, number];

/** Where poses to learn from are found. */
export type PoseSource =
  | { kind: 'files'; files: readonly NamedFile[]; frames: number }
  | { kind: 'morph-targets' }
  | { kind: 'clip'; name: string; frames: number };

export type Ask =
  | { kind: 'load'; files: readonly NamedFile[] }
  | { kind: 'sample'; member: SampleCharacter; vertices?: number | undefined; made?: Blob | undefined }
  | { kind: 'skeleton'; files: readonly NamedFile[] }
  | { kind: 'template'; member: SampleCharacter }
  | { kind: 'joints'; positions: Readonly<Record<string, Point>> }
  /** Changes nothing: what it finds must be given as `examples` to be learned from. */
  | { kind: 'poses'; from: PoseSource }
  /** All that is learned from, instead of what was before. */
  | { kind: 'examples'; poses: readonly Float32Array[] }
  /** One of those as weights reproduce it: those that learning began with, or those it ended with. */
  | { kind: 'fit'; example: number; isFinal: boolean }
  /** `known` is the token of what the page has of an earlier answer. */
  | { kind: 'rig'; recipe: Recipe; known?: string | undefined }
  /** Other weights to be seen beside those; what is exported stays. */
  | { kind: 'compare'; recipe: Recipe; known?: string | undefined }
  | { kind: 'end-comparison' }
  /** `bake` asks for morph targets; `painted` is the map they are found by. */
  | { kind: 'export'; bake?: Bake | undefined; painted?: Float32Array | null }
  /** Which vertices lie in folds where `positions` puts them. */
  | { kind: 'folds'; positions: Float32Array }
  | { kind: 'memory' };

export interface Answers {
  load: LoadAnswer;
  sample: LoadAnswer;
  skeleton: SkeletonAnswer;
  template: SkeletonAnswer;
  joints: SkeletonAnswer;
  poses: PosesAnswer;
  examples: undefined;
  fit: FitAnswer | undefined;
  rig: RigAnswer;
  compare: RigAnswer;
  'end-comparison': undefined;
  export: Uint8Array<ArrayBuffer>;
  folds: Uint32Array;
  /** Bytes the worker's instance has taken. */
  memory: number;
}

export type AnswerTo<A extends Ask> = Answers[A['kind']];

export type ToWorker =
  | { kind: 'start'; module: WebAssembly.Module }
  | { kind: 'ask'; id: number; ask: Ask }
  /** Nobody wants more of an answer that gets better with time: what there is, is the answer. */
  | { kind: 'stop'; id: number };

export type FromWorker =
  /** Its script runs; from now on the page may be as busy as it likes. */
  | { kind: 'ready' }
  | { kind: 'progress'; id: number; share: number; stage: string }
  /** Learning went on by a step. */
  | { kind: 'iteration'; id: number; energy: Energy }
  /** An answer that will get better. */
  | { kind: 'partial-result'; id: number; value: RigAnswer }
  | { kind: 'answer'; id: number; value: Answers[Ask['kind']] }
  /** After a fatal failure the worker is of no more use. */
  | { kind: 'failure'; id: number; error: PliantError; isFatal: boolean };

/** Every buffer in `value` that can be handed over instead of copied. */
export function transferables(value: unknown, found: Set<ArrayBuffer> = new Set()): Set<ArrayBuffer> {
  if (ArrayBuffer.isView(value)) {
    if (value.buffer instanceof ArrayBuffer) found.add(value.buffer);
  } else if (Array.isArray(value)) {
    // Long lists are numbers or names; buffers only ever come a few at a time.
    if (typeof value[0] === 'object') for (const item of value) transferables(item, found);
  } else if (value !== null && typeof value === 'object') {
    for (const member of Object.values(value)) transferables(member, found);
  }
  return found;
}

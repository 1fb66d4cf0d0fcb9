/** Messages between the page and the worker. */
import type {
  Bake,
  Energy,
  FitAnswer,
  FitOptions,
  FittedSkeleton,
  LoadAnswer,
  PliantError,
  PosesAnswer,
  Recipe,
  RigAnswer,
  SkeletonAnswer,
} from '../wasm.ts';
import type { SkeletonEdits } from './skeleton_edits.ts';

/** The first view, or the one right of the divider. */
export type ViewIndex = 0 | 1;

/** A file and its path. The worker reads it, so that the page never has its bytes. */
export interface NamedFile {
  name: string;
  file: Blob;
}

export type Point = readonly [number, number, number];

/** The source of example poses. */
export type PoseSource =
  | { kind: 'files'; files: readonly NamedFile[]; frames: number }
  | { kind: 'morph-targets' }
  | { kind: 'clip'; name: string; frames: number };

/** Morph targets of the correction. The worker starts the viewer module to compute them. */
export interface BakeAsk {
  settings: Bake;
  /** The painted map of the correction. */
  painted: Float32Array | null;
  viewer: WebAssembly.Module;
}

export type Ask =
  | { kind: 'load'; files: readonly NamedFile[] }
  | { kind: 'skeleton'; files: readonly NamedFile[] }
  /** The skeleton of a template character, scaled and moved onto the mesh. */
  | { kind: 'template'; files: readonly NamedFile[] }
  /** Fits a skeleton to the mesh, edits it, and binds the mesh to it. */
  | { kind: 'fit-skeleton'; options: FitOptions; edits: SkeletonEdits }
  /** Fits and edits a skeleton as `fit-skeleton` does. The mesh stays bound to the one it has. */
  | { kind: 'preview-skeleton'; options: FitOptions; edits: SkeletonEdits }
  /** Binds the mesh to a skeleton that was fitted before. */
  | { kind: 'fitted-skeleton'; fitted: FittedSkeleton }
  | { kind: 'joints'; positions: Readonly<Record<string, Point>> }
  /** Reads poses. They are used only when they are sent as `examples`. */
  | { kind: 'poses'; from: PoseSource }
  /** Replaces all example poses. */
  | { kind: 'examples'; poses: readonly Float32Array[] }
  /** One of them as reproduced by the initial or the final weights of the fit. */
  | { kind: 'fit'; example: number; isFinal: boolean }
  /**
   * Weights of a view; the export contains those of the first. `known` is the token of the skeleton
   * and regions that the page already has.
   */
  | { kind: 'rig'; view: ViewIndex; recipe: Recipe; known?: string | undefined }
  /** Frees what was computed for the second view. */
  | { kind: 'clear-view'; view: 1 }
  /** The names of the clips of the library that fit the character. */
  | { kind: 'motion-library' }
  /** One of them. */
  | { kind: 'library-clip'; name: string }
  /** The clips of other characters on this one. */
  | { kind: 'retarget'; files: readonly NamedFile[]; inPlace: boolean }
  /** The clips that are exported with those of the file, as numbers one after another. */
  | { kind: 'clips'; names: readonly string[]; numbers: Float64Array }
  | { kind: 'export'; bake?: BakeAsk | undefined; compress?: boolean }
  /** The vertices of triangles that intersect others at `positions`. */
  | { kind: 'intersecting-vertices'; positions: Float32Array }
  | { kind: 'memory' };

/** A clip that was made for the character. */
export interface MadeClip {
  readonly name: string;
  /** In seconds. */
  readonly duration: number;
  readonly tracks: number;
  /** As `setClips` of both modules takes them. */
  readonly numbers: Float64Array;
}

/** A skeleton that was fitted and edited, and what is doubtful about it. */
export interface SkeletonFit extends FittedSkeleton {
  /** A confidence below this is an uncertain one. */
  readonly uncertainBelow: number;
  /** Labels of joints whose place is uncertain. */
  readonly uncertain: readonly string[];
  /** Labels of joints outside of the body. */
  readonly outside: readonly string[];
  /** Seconds that the fit took. */
  readonly seconds: number;
}

export interface FitSkeletonAnswer extends SkeletonAnswer {
  readonly fit: SkeletonFit;
}

export interface Answers {
  load: LoadAnswer;
  skeleton: SkeletonAnswer;
  template: SkeletonAnswer;
  'fit-skeleton': FitSkeletonAnswer;
  'preview-skeleton': SkeletonFit;
  'fitted-skeleton': SkeletonAnswer;
  joints: SkeletonAnswer;
  poses: PosesAnswer;
  examples: undefined;
  fit: FitAnswer | undefined;
  rig: RigAnswer;
  'clear-view': undefined;
  'motion-library': readonly string[];
  'library-clip': readonly MadeClip[];
  retarget: readonly MadeClip[];
  clips: undefined;
  export: Uint8Array<ArrayBuffer>;
  'intersecting-vertices': Uint32Array;
  /** Memory of the worker's instances in bytes. */
  memory: number;
}

export type AnswerTo<A extends Ask> = Answers[A['kind']];

export type ToWorker =
  | { kind: 'start'; module: WebAssembly.Module }
  | { kind: 'ask'; id: number; ask: Ask }
  /** Ends example fitting: the current weights are the answer. */
  | { kind: 'stop'; id: number };

export type FromWorker =
  /** The script of the worker runs. */
  | { kind: 'ready' }
  | { kind: 'progress'; id: number; share: number; stage: string }
  /** An iteration of example fitting has ended. */
  | { kind: 'iteration'; id: number; energy: Energy }
  /** An intermediate result. */
  | { kind: 'partial-result'; id: number; value: RigAnswer }
  | { kind: 'answer'; id: number; value: Answers[Ask['kind']] }
  /** After a fatal failure the worker must be replaced. */
  | { kind: 'failure'; id: number; error: PliantError; isFatal: boolean };

/** All buffers in `value`, which are transferred instead of copied. */
export function transferables(value: unknown, found: Set<ArrayBuffer> = new Set()): Set<ArrayBuffer> {
  if (ArrayBuffer.isView(value)) {
    if (value.buffer instanceof ArrayBuffer) found.add(value.buffer);
  } else if (Array.isArray(value)) {
    // Long lists are numbers or names: only lists of objects can contain buffers.
    if (typeof value[0] === 'object') for (const item of value) transferables(item, found);
  } else if (value !== null && typeof value === 'object') {
    for (const member of Object.values(value)) transferables(member, found);
  }
  return found;
}

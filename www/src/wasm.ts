/**
 * The two WebAssembly modules: the viewer runs on the page, the solver in the worker. Both are
 * fetched and compiled once per page, in parallel. Types come from the generated packages; only
 * this file, the worker and the baker import them.
 */

import solverUrl from '../pkg/solver/solver_bg.wasm?url';
import type * as pkg from '../pkg/viewer/viewer.js';
import init, { type InitOutput, onPanic } from '../pkg/viewer/viewer.js';
import viewerUrl from '../pkg/viewer/viewer_bg.wasm?url';
import { note } from './perf_marks.ts';

export type {
  BodyPlan,
  FitOptions,
  FittedBone,
  FittedSkeleton,
  FitWarning,
  Names,
  Orientation,
} from '../pkg/fitter/fitter.js';
export type {
  BakeInputs,
  FitAnswer,
  LoadAnswer,
  PosesAnswer,
  RigAnswer,
  SkeletonAnswer,
} from '../pkg/solver/solver.js';
export type {
  AssetPacket,
  Bake,
  Brush,
  BrushMode,
  CameraPlace,
  ClipInfo,
  CorrectionMap,
  CorrectionMode,
  Deformer,
  Energy,
  ExampleFitReport,
  FormatInfo,
  ImageInfo,
  JointInfo,
  LoosePartWeights,
  Method,
  Metric,
  ModelInfo,
  Parameter,
  PliantError,
  PostSkinningOptions,
  RigPacket,
  RigReport,
  SampleCharacter,
  SampleInfo,
  SegmentVolumeStats,
  Show,
  SkeletonPacket,
  Transition,
  ViewerEvent,
  VolumeScope,
  VolumeStats,
  WarningInfo as Warning,
} from '../pkg/viewer/viewer.js';
export { Viewer } from '../pkg/viewer/viewer.js';

/** `T` with every field present: Rust fills in the defaults. Fields may still be null. */
type Complete<T> = T extends object ? { [K in keyof T]-?: Complete<Exclude<T[K], undefined>> } : T;
export type Recipe = Complete<pkg.Recipe>;
export type PlacedHandle = Recipe['handles'][number];
export type Options = Omit<pkg.Options, 'recipe' | 'brush'> & {
  recipe: Recipe;
  brush: Complete<pkg.Brush>;
};

/**
 * Returns a function that compiles the module at `url` at its first call and returns the same
 * promise later.
 */
function once(url: string, compiled: () => void): () => Promise<WebAssembly.Module> {
  let module: Promise<WebAssembly.Module> | undefined;
  return () => {
    module ??= compile(url).then(
      (module) => {
        compiled();
        return module;
      },
      (error) => {
        // After a network error the next call tries again.
        module = undefined;
        throw error;
      },
    );
    return module;
  };
}

/** The compiled viewer module. */
export const compiledViewer = once(viewerUrl, () => note('compiled'));

/** The compiled solver module, which is posted to every worker. */
export const compiledSolver = once(solverUrl, () => note('solver-compiled'));

let instance: Promise<InitOutput> | undefined;

/** The instance of the viewer module on this page. */
export function started(): Promise<InitOutput> {
  instance ??= compiledViewer()
    .then(async (module) => {
      const output = await init({ module_or_path: module });
      onPanic(broke);
      return output;
    })
    .catch((error) => {
      instance = undefined;
      throw error;
    });
  return instance;
}

const brokenListeners = new Set<(panic: string) => void>();
let panic: string | undefined;

/**
 * Calls `listener` after a panic in the viewer module, in a task of its own. The instance cannot be
 * used any more, so the listener must not call into it. Returns a function that removes the
 * listener.
 */
export function onBroken(listener: (panic: string) => void): () => void {
  brokenListeners.add(listener);
  if (panic !== undefined) listener(panic);
  return () => brokenListeners.delete(listener);
}

function broke(message: string): void {
  panic = message;
  queueMicrotask(() => {
    for (const listener of brokenListeners) listener(message);
  });
}

/** Memory of the viewer instance in bytes; zero before it started. */
export async function pageMemory(): Promise<number> {
  return instance ? (await instance).memory.buffer.byteLength : 0;
}

async function compile(url: string): Promise<WebAssembly.Module> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url} answered ${response.status}`);
  // Hosts that do not know .wasm send another type, which streaming compilation refuses.
  const isWasm = response.headers.get('Content-Type')?.startsWith('application/wasm');
  if (isWasm) return WebAssembly.compileStreaming(response);
  return WebAssembly.compile(await response.arrayBuffer());
}

/**
 * The compiled Rust, once per page. Types come from there; this file is the only one besides the worker that
 * names the generated package.
 */

import type * as pkg from '../pkg/pliant.js';
import init, { type InitOutput, onPanic } from '../pkg/pliant.js';
import wasmUrl from '../pkg/pliant_bg.wasm?url';
import { note } from './perf_marks.ts';

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
  FitAnswer,
  FormatInfo,
  JointInfo,
  LoadAnswer,
  Method,
  Metric,
  ModelInfo,
  Parameter,
  PliantError,
  PosesAnswer,
  PostSkinningOptions,
  RigAnswer,
  RigPacket,
  RigReport,
  SampleCharacter,
  SampleInfo,
  SegmentVolumeStats,
  Show,
  SkeletonAnswer,
  SkeletonPacket,
  Transition,
  ViewerEvent,
  VolumeScope,
  VolumeStats,
  WarningInfo as Warning,
} from '../pkg/pliant.js';
export { Viewer } from '../pkg/pliant.js';

/** Rust fills in what a recipe lacks; on this side nothing ever lacks, though some of it may be null. */
type Complete<T> = T extends object ? { [K in keyof T]-?: Complete<Exclude<T[K], undefined>> } : T;
export type Recipe = Complete<pkg.Recipe>;
export type PlacedHandle = Recipe['handles'][number];
export type Options = Omit<pkg.Options, 'recipe' | 'brush'> & {
  recipe: Recipe;
  brush: Complete<pkg.Brush>;
};

let module: Promise<WebAssembly.Module> | undefined;
let instance: Promise<InitOutput> | undefined;

/** The module, compiled while it arrives and only once; the worker gets the same one. */
export function compiled(): Promise<WebAssembly.Module> {
  module ??= compile(wasmUrl).then(
    (module) => {
      note('compiled');
      return module;
    },
    (error) => {
      // A lost connection must not spoil the next attempt.
      module = undefined;
      throw error;
    },
  );
  return module;
}

/** The page's own instance. */
export function started(): Promise<InitOutput> {
  instance ??= compiled()
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
 * Hears when the page's instance has met a bug of ours and can be used no more, in a task of its own: whoever
 * listens must not call back into it. Returns what stops that.
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

/** How much memory the page's instance has taken, in bytes; zero before it started. */
export async function pageMemory(): Promise<number> {
  return instance ? (await instance).memory.buffer.byteLength : 0;
}

async function compile(url: string): Promise<WebAssembly.Module> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url} answered ${response.status}`);
  // Hosts that do not know .wasm serve it under another type, which streaming refuses.
  const isWasm = response.headers.get('Content-Type')?.startsWith('application/wasm');
  if (isWasm) return WebAssembly.compileStreaming(response);
  return WebAssembly.compile(await response.arrayBuffer());
}

/**
 * The viewer module in the worker: bakes corrections as morph targets. The solver module has no
 * code for corrections. The worker imports this file when it first needs it.
 */
import init, { bakeMorphs, type InitOutput, lastPanic, type MorphsPacket } from '../../pkg/viewer/viewer.js';
import type { BakeInputs } from '../wasm.ts';
import type { BakeAsk } from './protocol.ts';

let instance: Promise<InitOutput> | undefined;

/** The morph targets of each clip. */
export async function bake(
  { asset, rig }: BakeInputs,
  { settings, painted, viewer }: BakeAsk,
): Promise<MorphsPacket[]> {
  instance ??= init({ module_or_path: viewer });
  await instance;
  try {
    return bakeMorphs(asset, rig, settings, painted ?? undefined);
  } catch (thrown) {
    const panic = lastPanic();
    throw panic ? new Error(panic) : thrown;
  }
}

/** Memory of the instance in bytes. */
export async function bakerMemory(): Promise<number> {
  return instance ? (await instance).memory.buffer.byteLength : 0;
}

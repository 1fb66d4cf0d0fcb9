//! TypeScript types of the packets, in the packages of both modules.

use wasm_bindgen::prelude::*;

#[wasm_bindgen(typescript_custom_section)]
const PACKETS: &str = r"
/** A skeleton with its clips. */
export interface SkeletonPacket { meta: unknown; keys: Float64Array }
/** A character. */
export interface AssetPacket {
  meta: unknown; mimes: string[]; skeleton: SkeletonPacket; textures: Uint8Array[];
  positions: Float32Array; normals: Float32Array; uvs: Float32Array; colors: Float32Array;
  triangles: Uint32Array; solveFromRender: Uint32Array;
}
/** The regions of an atlas. */
export interface PartitionPacket {
  joints: Uint32Array; margins: Float32Array; borders: Uint32Array; corners: Uint32Array;
  shares: Float32Array; curveEnds: Uint32Array;
}
/** Weights; without a base for a page that has the one of this token. */
export interface RigPacket {
  token: string; base: { skeleton: unknown; partition: PartitionPacket | null } | null;
  ends: Uint32Array; joints: Uint32Array; weights: Float32Array; overlapped: Uint8Array;
}
";

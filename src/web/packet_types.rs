//! TypeScript types of the packets, in the packages of both modules.

use wasm_bindgen::prelude::*;

#[wasm_bindgen(typescript_custom_section)]
const PACKETS: &str = r"
/** A skeleton with its clips. */
export interface SkeletonPacket { meta: unknown; keys: Float64Array }
/** A character. */
export interface AssetPacket {
  meta: unknown; images: ImageInfo[]; skeleton: SkeletonPacket; textures: Uint8Array[];
  positions: Float32Array; normals: Float32Array; uvs: Float32Array; colors: Float32Array;
  triangles: Uint32Array; solveFromRender: Uint32Array; storedWeights: WeightsPacket | null;
  morphTargets: Uint32Array;
}
/**
 * Where an encoded image is in the file, its media type, the index of an image that shows the same,
 * and whether a material uses it.
 */
export interface ImageInfo { place: string; mime: string; fallback: number | null; isUsed: boolean }
/** Weights: where the influences of each vertex end, and the joint and weight of each influence. */
export interface WeightsPacket { ends: Uint32Array; joints: Uint32Array; weights: Float32Array }
/** The regions of an atlas. */
export interface RegionsPacket {
  joints: Uint32Array; parents: Uint32Array; ofVertex: Uint32Array; pairs: Uint32Array;
  boundaryJoints: Uint32Array; loopLengths: Float64Array; curveEnds: Uint32Array;
  pointEnds: Uint32Array; points: Float32Array; triangles: Uint32Array;
}
/** Weights; without a base for a page that has the one of this token. */
export interface RigPacket {
  token: string; base: { skeleton: unknown; regions: RegionsPacket | null } | null;
  weights: WeightsPacket; overlapped: Uint8Array;
}
/** Baked morph targets of a clip: times, and for each three numbers per render vertex. */
export interface MorphsPacket { clip: string; times: Float32Array; displacements: Float32Array }
";

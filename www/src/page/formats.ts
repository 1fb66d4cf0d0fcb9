/** The file extensions of the page, for file dialogs and drops. There is no other list of them. */

/** Formats of meshes, the likeliest first: a character is named after the first file of these. */
const MESHES = ['.glb', '.gltf', '.obj', '.ply', '.stl'];

/** Formats that contain a skeleton and nothing else. */
const SKELETONS = ['.tgf', '.json'];

/** Formats of meshes that may contain a skeleton. */
const RIGGED = ['.glb', '.gltf'];

/** Files that a mesh refers to: buffers, materials and textures. */
const COMPANIONS = ['.bin', '.mtl', '.png', '.jpg', '.jpeg', '.webp', '.ktx2'];

/** Files that a mesh needs for its shape. */
const GEOMETRY = ['.bin', '.mtl'];

export const EXTENSIONS = {
  meshes: MESHES,
  skeletonsOnly: SKELETONS,
  /** What may be chosen as a skeleton for a mesh. */
  skeletons: [...RIGGED, ...SKELETONS],
  /** What may be chosen as poses for example fitting. */
  poses: [...MESHES, ...GEOMETRY],
  all: [...MESHES, ...SKELETONS, ...COMPANIONS],
} as const;

/** The part from the last dot on, in lower case; empty without a dot. */
export function extensionOf(name: string): string {
  const dot = name.lastIndexOf('.');
  return dot < 0 ? '' : name.slice(dot).toLowerCase();
}

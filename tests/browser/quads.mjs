/** A GLB of flat squares that face the camera, each with a material of its own. */
import { container } from './tube.mjs';

/** The width of a square and the distance between two. */
const SIDE = 1;
const STEP = 1.2;

/** The joints in the upper and in the lower half of a square. */
export const upperOf = (square) => `${square} upper`;
export const lowerOf = (square) => `${square} lower`;

/**
 * Squares in a row from left to right. Each has a `name`, a `material`, an `image` with its
 * `extension` or none, a `plain` image beside that of the extension, a `sampler`, `colors` (four
 * per corner), the part of its image that it shows (`top` and `bottom`, 0 and 1), and may be
 * `flipped` to show its back.
 */
export function quads(squares) {
  const [parts, views, accessors, images, textures, samplers] = [[], [], [], [], [], []];
  let at = 0;
  const view = (bytes) => {
    const padded = Buffer.concat([bytes, Buffer.alloc((4 - (bytes.length % 4)) % 4)]);
    views.push({ buffer: 0, byteOffset: at, byteLength: bytes.length });
    parts.push(padded);
    at += padded.length;
    return views.length - 1;
  };
  const accessor = (array, componentType, type, count, extra = {}) => {
    accessors.push({ bufferView: view(Buffer.from(array.buffer)), componentType, type, count, ...extra });
    return accessors.length - 1;
  };
  const addImage = ({ bytes, mime }) => ({ source: images.push({ bufferView: view(bytes), mimeType: mime }) - 1 });
  const materials = squares.map(({ material = {}, image, extension, plain, sampler }) => {
    if (!image) return material;
    const source = addImage(image);
    textures.push({
      ...(extension ? { extensions: { [extension]: source } } : source),
      ...(plain ? addImage(plain) : {}),
      ...(sampler ? { sampler: samplers.push(sampler) - 1 } : {}),
    });
    const baseColorTexture = { index: textures.length - 1 };
    return { ...material, pbrMetallicRoughness: { ...material.pbrMetallicRoughness, baseColorTexture } };
  });
  const primitives = squares.map(({ colors, flipped, top = 0, bottom = 1 }, index) => {
    const [left, right] = [index * STEP, index * STEP + SIDE];
    const corners = [left, 0, 0, right, 0, 0, right, SIDE, 0, left, SIDE, 0];
    const bound = { min: [left, 0, 0], max: [right, SIDE, 0] };
    const facing = flipped ? -1 : 1;
    const joints = [0, 0, 1, 1].flatMap((half) => [2 * index + 1 - half, 0, 0, 0]);
    const attributes = {
      POSITION: accessor(new Float32Array(corners), 5126, 'VEC3', 4, bound),
      NORMAL: accessor(new Float32Array([0, 1, 2, 3].flatMap(() => [0, 0, facing])), 5126, 'VEC3', 4),
      TEXCOORD_0: accessor(new Float32Array([0, bottom, 1, bottom, 1, top, 0, top]), 5126, 'VEC2', 4),
      JOINTS_0: accessor(new Uint8Array(joints), 5121, 'VEC4', 4),
      WEIGHTS_0: accessor(new Float32Array([0, 1, 2, 3].flatMap(() => [1, 0, 0, 0])), 5126, 'VEC4', 4),
    };
    if (colors) attributes.COLOR_0 = accessor(new Uint8Array(colors), 5121, 'VEC4', 4, { normalized: true });
    const indices = new Uint16Array(flipped ? [0, 2, 1, 0, 3, 2] : [0, 1, 2, 0, 2, 3]);
    return { attributes, indices: accessor(indices, 5123, 'SCALAR', 6), material: index };
  });
  const places = squares.flatMap(({ name }, index) => {
    const x = index * STEP + SIDE / 2;
    return [
      { name: upperOf(name), translation: [x, 0.75 * SIDE, 0] },
      { name: lowerOf(name), translation: [x, 0.25 * SIDE, 0] },
    ];
  });
  const inverse = places.flatMap(({ translation }) => {
    return [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, ...translation.map((x) => -x), 1];
  });
  const inverseBindMatrices = accessor(new Float32Array(inverse), 5126, 'MAT4', places.length);
  const joints = places.map((_, joint) => joint + 1);
  const used = new Set(squares.map(({ extension }) => extension).filter(Boolean));
  const unlit = squares.some(({ material }) => material?.extensions?.KHR_materials_unlit);
  const body = Buffer.concat(parts);
  const document = {
    asset: { version: '2.0', generator: 'pliant browser tests' },
    scene: 0,
    scenes: [{ nodes: [0, ...joints] }],
    nodes: [{ mesh: 0, skin: 0 }, ...places],
    meshes: [{ primitives }],
    skins: [{ joints, inverseBindMatrices }],
    materials,
    accessors,
    bufferViews: views,
    buffers: [{ byteLength: body.length }],
    ...(images.length ? { images, textures } : {}),
    ...(samplers.length ? { samplers } : {}),
    ...(used.size || unlit ? { extensionsUsed: [...used, ...(unlit ? ['KHR_materials_unlit'] : [])] } : {}),
    ...(used.size ? { extensionsRequired: [...used] } : {}),
  };
  return container(document, body);
}

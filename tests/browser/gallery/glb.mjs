/**
 * What pictures need to know of a GLB to change it: its document, its bytes, and where numbers lie
 * in them.
 */

const SIZES = { 5120: 1, 5121: 1, 5122: 2, 5123: 2, 5125: 4, 5126: 4 };
const COMPONENTS = { SCALAR: 1, VEC2: 2, VEC3: 3, VEC4: 4, MAT4: 16 };

/** `bin` is part of `glb`: writing to it changes the file. */
export function opened(glb) {
  const jsonLength = glb.readUInt32LE(12);
  return { document: JSON.parse(glb.subarray(20, 20 + jsonLength).toString()), bin: glb.subarray(20 + jsonLength + 8) };
}

/** A GLB of a document and its bytes. */
export function closed({ document, bin }) {
  const text = Buffer.from(JSON.stringify(document));
  const json = Buffer.concat([text, Buffer.alloc(-text.length & 3, ' ')]);
  const numbers = (...values) => Buffer.from(Uint32Array.from(values).buffer);
  const length = 12 + 8 + json.length + 8 + bin.length;
  return Buffer.concat([numbers(0x46546c67, 2, length, json.length, 0x4e4f534a), json, numbers(bin.length, 0x004e4942), bin]);
}

export function accessorOf(document, index) {
  const { bufferView, byteOffset = 0, componentType, count, type } = document.accessors[index];
  const view = document.bufferViews[bufferView];
  const stride = view.byteStride ?? SIZES[componentType] * COMPONENTS[type];
  return { count, componentType, offset: (view.byteOffset ?? 0) + byteOffset, stride };
}

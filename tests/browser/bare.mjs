/** Meshes without a skeleton. */
import { readFile } from 'node:fs/promises';
import { withJson } from './files.mjs';
import { sampleFile } from './support.mjs';

/** The mesh of a sample character as an OBJ file, without its skeleton. */
export async function bareSample(member, vertices) {
  return Buffer.from(toObj(await readFile(await sampleFile(member, vertices))));
}

/** A GLB without skins, clips and transforms: its meshes as they are stored. */
export function bareGlb(glb) {
  return withJson(glb, (document) => {
    const { meshes, extensionsUsed = [] } = document;
    for (const { attributes } of meshes.flatMap(({ primitives }) => primitives)) {
      delete attributes.JOINTS_0;
      delete attributes.WEIGHTS_0;
    }
    document.nodes = meshes.map((_, mesh) => ({ mesh }));
    document.scenes = [{ nodes: meshes.map((_, node) => node) }];
    document.scene = 0;
    for (const key of ['skins', 'animations', 'extensions']) delete document[key];
    const kept = extensionsUsed.filter((name) => !name.startsWith('VRM'));
    if (kept.length) document.extensionsUsed = kept;
    else delete document.extensionsUsed;
  });
}

/** A sample character as a GLB without its skeleton. */
export async function bareSampleGlb(member, vertices) {
  return bareGlb(await readFile(await sampleFile(member, vertices)));
}

/** The triangles of a GLB as an OBJ file. */
function toObj(glb) {
  const jsonLength = glb.readUInt32LE(12);
  const { meshes, accessors, bufferViews } = JSON.parse(glb.subarray(20, 20 + jsonLength).toString());
  const data = glb.subarray(20 + jsonLength + 8);
  const numbers = (index, width) => {
    const { bufferView, byteOffset = 0, componentType, count } = accessors[index];
    const { byteOffset: begin = 0, byteStride } = bufferViews[bufferView];
    const [size, read] = { 5123: [2, 'readUInt16LE'], 5125: [4, 'readUInt32LE'], 5126: [4, 'readFloatLE'] }[componentType];
    const stride = byteStride ?? size * width;
    const at = (i) => begin + byteOffset + Math.floor(i / width) * stride + (i % width) * size;
    return Array.from({ length: count * width }, (_, i) => data[read](at(i)));
  };
  const lines = [];
  let first = 1;
  for (const { attributes, indices } of meshes.flatMap(({ primitives }) => primitives)) {
    const positions = numbers(attributes.POSITION, 3);
    for (let i = 0; i < positions.length; i += 3) lines.push(`v ${positions.slice(i, i + 3).join(' ')}`);
    const corners = numbers(indices, 1).map((vertex) => vertex + first);
    for (let i = 0; i < corners.length; i += 3) lines.push(`f ${corners.slice(i, i + 3).join(' ')}`);
    first += positions.length / 3;
  }
  return lines.join('\n');
}

/** A torus around the vertical axis, as an OBJ file. */
export function torusObj({ around = 48, across = 16, radius = 1, tube = 0.3 } = {}) {
  const lines = [];
  for (let i = 0; i < around; i++)
    for (let j = 0; j < across; j++) {
      const [a, b] = [(i / around) * 2 * Math.PI, (j / across) * 2 * Math.PI];
      const r = radius + tube * Math.cos(b);
      lines.push(`v ${r * Math.cos(a)} ${tube * Math.sin(b)} ${r * Math.sin(a)}`);
    }
  const at = (i, j) => (i % around) * across + (j % across) + 1;
  for (let i = 0; i < around; i++)
    for (let j = 0; j < across; j++)
      lines.push(`f ${at(i, j)} ${at(i, j + 1)} ${at(i + 1, j + 1)} ${at(i + 1, j)}`);
  return Buffer.from(lines.join('\n'));
}

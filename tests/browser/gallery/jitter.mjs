/**
 * Noise on the vertices of a GLB: every position moved, copies of one vertex alike, always the same
 * for the same file.
 */
import { accessorOf, opened } from './glb.mjs';

/** `share` is how far vertices move at most, in mean edges. */
export function jittered(glb, share) {
  const out = Buffer.from(glb);
  const { document, bin } = opened(out);
  const primitive = document.meshes[0].primitives[0];
  const position = accessorOf(document, primitive.attributes.POSITION);
  const edge = meanEdge(bin, position, accessorOf(document, primitive.indices));
  for (let vertex = 0; vertex < position.count; vertex++) {
    const at = position.offset + vertex * position.stride;
    const place = [0, 4, 8].map((axis) => bin.readFloatLE(at + axis));
    const random = generator(place);
    place.forEach((value, axis) => bin.writeFloatLE(value + (2 * random() - 1) * share * edge, at + 4 * axis));
  }
  return out;
}

function meanEdge(bin, position, indices) {
  const index = (i) => {
    const at = indices.offset + i * indices.stride;
    return indices.componentType === 5125 ? bin.readUInt32LE(at) : bin.readUInt16LE(at);
  };
  const place = (vertex) => [0, 4, 8].map((axis) => bin.readFloatLE(position.offset + vertex * position.stride + axis));
  let sum = 0;
  for (let i = 0; i < indices.count; i += 3) {
    const [a, b] = [place(index(i)), place(index(i + 1))];
    sum += Math.hypot(...a.map((value, axis) => value - b[axis]));
  }
  return sum / (indices.count / 3);
}

/** Numbers from 0 to 1 that depend on a place alone (mulberry32). */
function generator(place) {
  let state = place.reduce((hash, value) => Math.imul(hash ^ Math.round(value * 1e5), 0x01000193), 0x811c9dc5);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

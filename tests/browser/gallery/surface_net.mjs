/** The surface of a body of round cones that blend into each other, as a GLB. */
import { closed } from './glb.mjs';

/** Signed distance of a point from a round cone: two balls and what is between them. */
function coneDistance([x, y, z], [[ax, ay, az], [bx, by, bz], ra, rb]) {
  const [ux, uy, uz] = [bx - ax, by - ay, bz - az];
  const along = ((x - ax) * ux + (y - ay) * uy + (z - az) * uz) / Math.max(ux * ux + uy * uy + uz * uz, 1e-9);
  const share = Math.min(1, Math.max(0, along));
  return Math.hypot(x - ax - share * ux, y - ay - share * uy, z - az - share * uz) - ra - share * (rb - ra);
}

/** The smaller of two distances, rounded where they are closer than `blend`. */
function smoothMin(a, b, blend) {
  const overlap = Math.max(blend - Math.abs(a - b), 0) / blend;
  return Math.min(a, b) - overlap * overlap * blend * 0.25;
}

/**
 * The zero level of the cones, by surface nets on a lattice of `cell` (Gibson 1998): one vertex per
 * cell that the surface crosses, one quad per edge that it crosses.
 */
export function surfaceNet(cones, cell, blend) {
  const pad = 3 * cell;
  const ends = cones.flatMap(([a, b, ra, rb]) => [[a, ra], [b, rb]]);
  const low = [0, 1, 2].map((axis) => Math.min(...ends.map(([p, r]) => p[axis] - r)) - pad);
  const high = [0, 1, 2].map((axis) => Math.max(...ends.map(([p, r]) => p[axis] + r)) + pad);
  const count = low.map((l, axis) => Math.ceil((high[axis] - l) / cell) + 1);
  const index = (i, j, k) => (k * count[1] + j) * count[0] + i;
  const value = new Float32Array(count[0] * count[1] * count[2]);
  for (let k = 0; k < count[2]; k++)
    for (let j = 0; j < count[1]; j++)
      for (let i = 0; i < count[0]; i++) {
        const point = [low[0] + i * cell, low[1] + j * cell, low[2] + k * cell];
        value[index(i, j, k)] = cones.reduce((sum, cone) => smoothMin(sum, coneDistance(point, cone), blend), 1e3);
      }
  const positions = [];
  const vertexOf = new Map();
  const corners = Array.from({ length: 8 }, (_, c) => [c & 1, (c >> 1) & 1, c >> 2]);
  const edges = corners.flatMap((a, i) => corners.slice(i + 1).filter((b) => a.filter((x, axis) => x !== b[axis]).length === 1).map((b) => [a, b]));
  for (let k = 0; k + 1 < count[2]; k++)
    for (let j = 0; j + 1 < count[1]; j++)
      for (let i = 0; i + 1 < count[0]; i++) {
        const at = ([x, y, z]) => value[index(i + x, j + y, k + z)];
        const crossed = edges.filter(([a, b]) => at(a) < 0 !== at(b) < 0);
        if (crossed.length === 0) continue;
        const sum = [0, 0, 0];
        for (const [a, b] of crossed) {
          const share = at(a) / (at(a) - at(b));
          a.forEach((x, axis) => (sum[axis] += x + share * (b[axis] - x)));
        }
        vertexOf.set(index(i, j, k), positions.length);
        positions.push([i, j, k].map((x, axis) => low[axis] + (x + sum[axis] / crossed.length) * cell));
      }
  const faces = [];
  const steps = [index(1, 0, 0), index(0, 1, 0), index(0, 0, 1)];
  for (let k = 1; k + 1 < count[2]; k++)
    for (let j = 1; j + 1 < count[1]; j++)
      for (let i = 1; i + 1 < count[0]; i++) {
        const from = index(i, j, k);
        for (const axis of [0, 1, 2]) {
          const isInside = value[from] < 0;
          if (isInside === value[from + steps[axis]] < 0) continue;
          const [u, v] = [steps[(axis + 1) % 3], steps[(axis + 2) % 3]];
          const quad = [from - u - v, from - v, from, from - u].map((cell) => vertexOf.get(cell));
          faces.push(isInside ? quad : quad.reverse());
        }
      }
  return { positions, faces };
}

/** A GLB of the mesh alone. */
export function toGlb({ positions, faces }) {
  const triangles = faces.flatMap(([a, b, c, d]) => [a, b, c, a, c, d]);
  const parts = [Float32Array.from(positions.flat()), Uint32Array.from(triangles)].map((array) => Buffer.from(array.buffer));
  const bin = Buffer.concat(parts);
  const bound = (of) => [0, 1, 2].map((axis) => Math.fround(positions.reduce((best, point) => of(best, point[axis]), positions[0][axis])));
  const document = {
    asset: { version: '2.0' },
    buffers: [{ byteLength: bin.length }],
    bufferViews: parts.map(({ length: byteLength }, i) => ({ buffer: 0, byteOffset: i * parts[0].length, byteLength })),
    accessors: [
      { bufferView: 0, componentType: 5126, count: positions.length, type: 'VEC3', min: bound(Math.min), max: bound(Math.max) },
      { bufferView: 1, componentType: 5125, count: triangles.length, type: 'SCALAR' },
    ],
    meshes: [{ primitives: [{ attributes: { POSITION: 0 }, indices: 1 }] }],
    nodes: [{ mesh: 0 }],
    scenes: [{ nodes: [0] }],
    scene: 0,
  };
  return closed({ document, bin });
}

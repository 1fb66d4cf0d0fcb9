/** Runs in the page: a character, what a JavaScript engine would do to pose it, and the clock. */
import init, { Frames } from './bench.js';

const JOINTS = 60;
const INFLUENCES = 4;

await init({ module_or_path: new URL('bench_bg.wasm', import.meta.url) });

/** A column of vertices, each held by the joints around its height; every joint turned a little more than the last. */
function character(vertices) {
  const positions = new Float32Array(vertices * 3);
  const normals = new Float32Array(vertices * 3);
  const joints = new Uint32Array(vertices * INFLUENCES);
  const weights = new Float32Array(vertices * INFLUENCES);
  for (let v = 0; v < vertices; v++) {
    const [x, z] = [Math.cos(v * 0.1), -Math.sin(v * 0.1)];
    normals.set([x, 0, z], v * 3);
    positions.set([x * 0.2, v / vertices, z * 0.2], v * 3);
    const lowest = Math.floor((v * (JOINTS - INFLUENCES)) / vertices);
    joints.set([lowest, lowest + 1, lowest + 2, lowest + 3], v * INFLUENCES);
    weights.set([0.125, 0.5, 0.25, 0.125], v * INFLUENCES);
  }
  const matrices = new Float32Array(JOINTS * 16);
  for (let j = 0; j < JOINTS; j++) {
    const [c, s] = [Math.cos(j * 0.05), Math.sin(j * 0.05)];
    matrices.set([c, s, 0, 0, -s, c, 0, 0, 0, 0, 1, 0, 0.1, 0, 0, 1], j * 16);
  }
  return { positions, normals, joints, weights, matrices };
}

/** Linear blending as a careful programmer writes it in JavaScript: typed arrays, no objects, one pass. */
function flatLoop({ positions, normals, joints, weights, matrices }, out) {
  const vertices = positions.length / 3;
  for (let v = 0; v < vertices; v++) {
    let a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0, i = 0, tx = 0, ty = 0, tz = 0;
    for (let k = v * INFLUENCES, end = k + INFLUENCES; k < end; k++) {
      const w = weights[k];
      const m = joints[k] * 16;
      a += w * matrices[m];
      b += w * matrices[m + 1];
      c += w * matrices[m + 2];
      d += w * matrices[m + 4];
      e += w * matrices[m + 5];
      f += w * matrices[m + 6];
      g += w * matrices[m + 8];
      h += w * matrices[m + 9];
      i += w * matrices[m + 10];
      tx += w * matrices[m + 12];
      ty += w * matrices[m + 13];
      tz += w * matrices[m + 14];
    }
    const p = v * 3;
    const x = positions[p], y = positions[p + 1], z = positions[p + 2];
    out.positions[p] = a * x + d * y + g * z + tx;
    out.positions[p + 1] = b * x + e * y + h * z + ty;
    out.positions[p + 2] = c * x + f * y + i * z + tz;
    const nx = normals[p], ny = normals[p + 1], nz = normals[p + 2];
    const ox = a * nx + d * ny + g * nz;
    const oy = b * nx + e * ny + h * nz;
    const oz = c * nx + f * ny + i * nz;
    const scale = 1 / Math.sqrt(ox * ox + oy * oy + oz * oz);
    out.normals[p] = ox * scale;
    out.normals[p + 1] = oy * scale;
    out.normals[p + 2] = oz * scale;
  }
}

function perFrame(run, frames) {
  const start = performance.now();
  for (let frame = 0; frame < frames; frame++) run();
  return (performance.now() - start) / frames;
}

/** Milliseconds a frame of every batch, by who does it, and how far the two linear ones are apart. */
export function measure({ vertices, rounds, batchMs }) {
  const made = character(vertices);
  const { positions, normals, joints, weights, matrices } = made;
  const frames = new Frames(positions, normals, joints, weights, matrices);
  const out = { positions: new Float32Array(vertices * 3), normals: new Float32Array(vertices * 3) };
  const contestants = {
    linear: () => frames.linear(),
    dualQuaternion: () => frames.dualQuaternion(),
    loop: () => flatLoop(made, out),
  };
  const entries = Object.entries(contestants).map(([name, run]) => {
    // Also gives both compilers the time to do their best.
    const guess = perFrame(run, Math.ceil(4_000_000 / vertices));
    return { name, run, frames: Math.max(1, Math.round(batchMs / guess)), times: [] };
  });
  for (let round = 0; round < rounds; round++) {
    for (const { run, frames, times } of entries) times.push(perFrame(run, frames));
  }
  frames.linear();
  const ours = frames.positions();
  const apart = ours.reduce((most, value, at) => Math.max(most, Math.abs(value - out.positions[at])), 0);
  frames.free();
  return { apart, batches: Object.fromEntries(entries.map(({ name, times }) => [name, times])) };
}

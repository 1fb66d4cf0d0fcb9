/**
 * Weights as a brush leaves them: rigid at a joint, then bands of a constant weight painted around
 * the limb with round dabs, always the same.
 * Stands for the painted weights in Figure 7 (c) of Hétroy et al. 2009, which took an artist half
 * an hour.
 */
import { accessorOf, opened } from './glb.mjs';

/** Dabs around the limb, bands along it, how often each is painted, and the opacity. */
const [AROUND, ROWS, TIMES, OPACITY] = [10, 7, 2, 0.5];

/**
 * The GLB with weights for the joints `upper` and `lower` only. `joint` is the place of the lower
 * one on the X axis, `radius` that of the limb there.
 */
export function painted(glb, { upper, lower, joint, radius }) {
  const { document, bin } = opened(Buffer.from(glb));
  const { attributes } = document.meshes[0].primitives[0];
  const place = accessorOf(document, attributes.POSITION);
  const points = Array.from({ length: place.count }, (_, v) => [0, 4, 8].map((axis) => bin.readFloatLE(place.offset + v * place.stride + axis)));
  const weights = points.map(([x]) => (x < joint ? 0 : 1));
  for (let row = 0; row < TIMES * ROWS; row++) {
    for (let i = 0; i < AROUND; i++) {
      const angle = (2 * Math.PI * (i + 0.5 * (row % 2))) / AROUND;
      const share = (row % ROWS) / (ROWS - 1);
      const dab = [joint + radius * (2 * share - 1), radius * Math.cos(angle), radius * Math.sin(angle)];
      dabbed(points, weights, { dab, reach: radius * 0.8, weight: share });
    }
  }
  const slots = [upper, lower].map((name) => document.skins[0].joints.findIndex((node) => document.nodes[node].name === name));
  const [joints, numbers] = [attributes.JOINTS_0, attributes.WEIGHTS_0].map((index) => accessorOf(document, index));
  weights.forEach((weight, v) => {
    [1 - weight, weight, 0, 0].forEach((value, i) => {
      bin.writeFloatLE(value, numbers.offset + v * numbers.stride + 4 * i);
      const slot = value > 0 ? slots[i] : 0;
      if (joints.componentType === 5121) bin.writeUInt8(slot, joints.offset + v * joints.stride + i);
      else bin.writeUInt16LE(slot, joints.offset + v * joints.stride + 2 * i);
    });
  });
  return glbOf(glb, bin);
}

/** Moves weights under a dab towards that of the brush. */
function dabbed(points, weights, { dab, reach, weight }) {
  points.forEach((point, v) => {
    const falloff = Math.max(0, 1 - (Math.hypot(...point.map((x, axis) => x - dab[axis])) / reach) ** 2);
    weights[v] += OPACITY * falloff * (weight - weights[v]);
  });
}

/** The file whose bytes `bin` changed: it is part of a copy. */
function glbOf(glb, bin) {
  const out = Buffer.from(glb);
  bin.copy(out, out.length - bin.length);
  return out;
}

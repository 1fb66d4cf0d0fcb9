/**
 * A GLB in another pose, as if it had been modelled so: its vertices, its joints and their inverse
 * bind matrices.
 */
import { accessorOf, closed, opened } from './glb.mjs';

/**
 * `positions` has three numbers per vertex, `angles` turns of joints in degrees as `setPose` takes
 * them.
 */
export function posed(glb, positions, angles) {
  const { document, bin } = opened(Buffer.from(glb));
  const place = accessorOf(document, document.meshes[0].primitives[0].attributes.POSITION);
  positions.forEach((value, i) => bin.writeFloatLE(value, place.offset + Math.floor(i / 3) * place.stride + 4 * (i % 3)));
  for (const node of document.nodes) {
    if (angles[node.name]) node.rotation = product(node.rotation ?? [0, 0, 0, 1], turn(angles[node.name]));
  }
  const [skin] = document.skins;
  const inverses = accessorOf(document, skin.inverseBindMatrices);
  const frames = framesOf(document);
  skin.joints.forEach((joint, i) => {
    inverseOf(frames[joint]).forEach((value, k) => bin.writeFloatLE(value, inverses.offset + i * inverses.stride + 4 * k));
  });
  return closed({ document, bin });
}

/** Where every node stands: a rotation and a place. Our cast has no scale. */
function framesOf({ nodes }) {
  const frames = new Array(nodes.length);
  const visit = (index, above) => {
    const { rotation = [0, 0, 0, 1], translation = [0, 0, 0], children = [], matrix, scale } = nodes[index];
    if (matrix || scale) throw new Error(`node ${index} has a matrix or a scale`);
    const place = turned(above.rotation, translation).map((value, axis) => value + above.place[axis]);
    frames[index] = { rotation: product(above.rotation, rotation), place };
    children.forEach((child) => visit(child, frames[index]));
  };
  const below = new Set(nodes.flatMap(({ children = [] }) => children));
  nodes.forEach((_, index) => below.has(index) || visit(index, { rotation: [0, 0, 0, 1], place: [0, 0, 0] }));
  return frames;
}

/** The matrix of the way back, column by column. */
function inverseOf({ rotation: [x, y, z, w], place }) {
  const back = [-x, -y, -z, w];
  const axes = [[1, 0, 0], [0, 1, 0], [0, 0, 1]].map((axis) => turned(back, axis));
  return [...axes.flatMap((axis) => [...axis, 0]), ...turned(back, place).map((value) => -value), 1];
}

/** Turns about X, then about the turned Y, then about the turned Z. */
function turn(degrees) {
  const about = (axis) => {
    const half = (degrees[axis] * Math.PI) / 360;
    const part = [0, 0, 0, Math.cos(half)];
    part[axis] = Math.sin(half);
    return part;
  };
  return product(product(about(0), about(1)), about(2));
}

function product([ax, ay, az, aw], [bx, by, bz, bw]) {
  return [
    aw * bx + ax * bw + ay * bz - az * by,
    aw * by - ax * bz + ay * bw + az * bx,
    aw * bz + ax * by - ay * bx + az * bw,
    aw * bw - ax * bx - ay * by - az * bz,
  ];
}

function turned([x, y, z, w], point) {
  const [px, py, pz] = product(product([x, y, z, w], [...point, 0]), [-x, -y, -z, w]);
  return [px, py, pz];
}

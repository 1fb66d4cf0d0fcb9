/**
 * How far a compressed twin, as Pliant reads it, is from its original, and how far it may be.
 *
 * Vertices of a twin carry their index in the original (`_INDEX`), because codecs reorder them. Of
 * each file there is its export, which has joints, weights and clips, and OBJ files of the rest
 * pose and of clips, whose vertices have been through the whole reader.
 */
import { documentOf } from './compressed_twin.mjs';

/** The bits of glTF-Transform's defaults. A sign is one of them. */
const BITS = { position: 14, uv: 12, dracoWeight: 12, meshoptWeight: 8, quaternion: 16, vector: 12 };

/** The mode of triangle lists. */
const TRIANGLES = 4;

/** Rounding of single precision through matrices and their inverses, as a share of the size. */
const ROUNDING = 4e-6;

/** Writes the index of each vertex into its attributes. */
export function numberVertices(document) {
  const buffer = document.getRoot().listBuffers()[0];
  const numbered = new Map();
  for (const primitive of document.getRoot().listMeshes().flatMap((mesh) => mesh.listPrimitives())) {
    const position = primitive.getAttribute('POSITION');
    if (!position) continue;
    if (!numbered.has(position)) {
      const halves = Uint16Array.from({ length: 2 * position.getCount() }, (_, i) => (i % 2 ? i >>> 17 : (i >>> 1) & 0xffff));
      numbered.set(position, document.createAccessor().setType('VEC2').setArray(halves).setBuffer(buffer));
    }
    primitive.setAttribute('_INDEX', numbered.get(position));
  }
}

/** A model as it was read: its parts by mesh and primitive, and its clips. */
export async function modelOf({ exported, rest, posed }) {
  const document = await documentOf(exported);
  const root = document.getRoot();
  const inScene = new Set();
  (root.getDefaultScene() ?? root.listScenes()[0]).traverse((node) => inScene.add(node));
  const nodes = root.listNodes();
  const meshes = root.listMeshes();
  const objs = [rest, ...posed].map(objOf);
  const [parts, counts] = [new Map(), new Map()];
  let triangle = 0;
  // Parts are in the order of nodes.
  for (const node of nodes.filter((node) => inScene.has(node) && node.getMesh())) {
    for (const [at, primitive] of node.getMesh().listPrimitives().entries()) {
      if (!primitive.getAttribute('POSITION') || primitive.getMode() < TRIANGLES) continue;
      const place = `meshes[${meshes.indexOf(node.getMesh())}].primitives[${at}]`;
      counts.set(place, (counts.get(place) ?? 0) + 1);
      const part = partOf(primitive, node.getSkin(), nodes, objs, triangle);
      triangle += part.triangles.length;
      parts.set(`${place} (${counts.get(place)})`, part);
    }
  }
  if (triangle !== objs[0].triangles.length) throw new Error(`${objs[0].triangles.length} triangles, not ${triangle}`);
  return { parts, clips: root.listAnimations().map((clip) => channelsOf(clip, nodes)), size: sizeOf(objs[0].positions) };
}

/** A primitive, with everything by the index of the original's vertices. */
function partOf(primitive, skin, nodes, objs, firstTriangle) {
  const indexOf = indices(primitive);
  const corners = cornersOf(primitive);
  const position = primitive.getAttribute('POSITION');
  // Vertices of a part follow each other. A mirrored triangle keeps its first corner.
  const first = objs[0].triangles[firstTriangle]?.[0] - corners[0];
  const vertices = new Map();
  for (const vertex of corners) {
    const index = indexOf(vertex);
    if (vertices.has(index)) continue;
    vertices.set(index, {
      stored: position.getElement(vertex, []),
      positions: objs.map(({ positions }) => positions[first + vertex]),
      uv: objs[0].uvs[first + vertex],
      influences: influencesOf(primitive, skin, nodes, vertex),
    });
  }
  const triangles = Array.from({ length: corners.length / 3 }, (_, i) => corners.slice(3 * i, 3 * i + 3).map(indexOf));
  const sets = primitive.listSemantics().filter((name) => name.startsWith('WEIGHTS_')).length;
  return { vertices, triangles, box: boxOf(primitive), sets, uvScale: uvScaleOf(primitive) };
}

/** The index in the original of each vertex of a primitive. */
function indices(primitive) {
  const attribute = primitive.getAttribute('_INDEX');
  if (!attribute) return (vertex) => vertex;
  return (vertex) => {
    const [low, high] = attribute.getElement(vertex, []);
    return low + high * 65536;
  };
}

/** Three vertices per triangle. */
function cornersOf(primitive) {
  if (primitive.getMode() !== TRIANGLES) throw new Error('strips and fans are not compared');
  const order = primitive.getIndices()?.getArray() ?? Array.from({ length: primitive.getAttribute('POSITION').getCount() }, (_, i) => i);
  return Array.from(order.slice(0, order.length - (order.length % 3)));
}

/** Weights by joint, which add up to one, and their sum as stored. */
function influencesOf(primitive, skin, nodes, vertex) {
  const weights = new Map();
  let sum = 0;
  for (let set = 0; skin && primitive.getAttribute(`WEIGHTS_${set}`); set++) {
    const shares = primitive.getAttribute(`WEIGHTS_${set}`).getElement(vertex, []);
    const joints = primitive.getAttribute(`JOINTS_${set}`).getElement(vertex, []);
    for (const [i, share] of shares.entries()) {
      if (!share) continue;
      const joint = nodes.indexOf(skin.listJoints()[joints[i]]);
      weights.set(joint, (weights.get(joint) ?? 0) + share);
      sum += share;
    }
  }
  for (const [joint, weight] of weights) weights.set(joint, weight / sum);
  return weights;
}

/** The lowest and highest coordinates of a primitive with its morph targets. */
function boxOf(primitive) {
  const position = primitive.getAttribute('POSITION');
  const targets = primitive.listTargets().map((target) => target.getAttribute('POSITION')).filter(Boolean);
  const low = (accessor) => accessor.getMinNormalized([]);
  const high = (accessor) => accessor.getMaxNormalized([]);
  return {
    low: low(position).map((x, axis) => x + Math.min(0, ...targets.map((target) => low(target)[axis]))),
    high: high(position).map((x, axis) => x + Math.max(0, ...targets.map((target) => high(target)[axis]))),
  };
}

/** The longest side of the box around some parts. */
function extentOf(parts) {
  const side = (axis) => Math.max(...parts.map(({ box }) => box.high[axis])) - Math.min(...parts.map(({ box }) => box.low[axis]));
  return Math.max(side(0), side(1), side(2));
}

/** By how much `KHR_texture_transform` enlarges texture coordinates. */
function uvScaleOf(primitive) {
  const transform = primitive.getMaterial()?.getBaseColorTextureInfo()?.getExtension('KHR_texture_transform');
  return transform ? Math.max(...transform.getScale().map(Math.abs)) : 1;
}

function channelsOf(clip, nodes) {
  const channels = clip.listChannels().map((channel) => {
    const sampler = channel.getSampler();
    const [input, output] = [sampler.getInput(), sampler.getOutput()];
    const elements = (accessor) => Array.from({ length: accessor.getCount() }, (_, i) => accessor.getElement(i, []));
    const place = `${nodes.indexOf(channel.getTargetNode())} ${channel.getTargetPath()}`;
    return [place, { path: channel.getTargetPath(), times: elements(input).flat(), values: elements(output), mode: sampler.getInterpolation() }];
  });
  return { name: clip.getName(), channels: new Map(channels) };
}

/** Positions, texture coordinates and triangles of an OBJ file of the command line. */
function objOf(text) {
  const [positions, uvs, triangles] = [[], [], []];
  for (const line of text.split('\n')) {
    const [kind, ...words] = line.split(' ');
    if (kind === 'v') positions.push(words.map(Number));
    else if (kind === 'vt') uvs.push(words.map(Number));
    else if (kind === 'f') triangles.push(words.map((word) => Number.parseInt(word, 10) - 1));
  }
  return { positions, uvs, triangles };
}

function sizeOf(positions) {
  const side = (axis) => {
    const [low, high] = positions.reduce(([low, high], p) => [Math.min(low, p[axis]), Math.max(high, p[axis])], [Infinity, -Infinity]);
    return high - low;
  };
  return Math.hypot(side(0), side(1), side(2));
}

const distance = (a, b) => Math.hypot(...a.map((x, i) => x - b[i]));

/** Largest differences of a twin, each with the largest that its quantisation allows. */
export class Differences {
  /** Positions, poses as shares of the size; all others as they are. */
  worst = { position: 0, uv: 0, weight: 0, clip: 0, pose: 0 };
  /** The same as multiples of what is allowed. */
  ratio = { position: 0, uv: 0, weight: 0, clip: 0, pose: 0 };
  /** What differs and must not. */
  failures = [];

  add(kind, value, allowed, place) {
    this.worst[kind] = Math.max(this.worst[kind], value);
    const ratio = value === 0 ? 0 : value / allowed;
    if (!(ratio <= 1) && !(this.ratio[kind] > 1)) this.failures.push(`${place}: ${kind} ${value.toExponential(2)}, allowed ${allowed.toExponential(2)}`);
    this.ratio[kind] = Math.max(this.ratio[kind], Number.isNaN(ratio) ? Infinity : ratio);
  }
}

/** Compares two models of `modelOf`. */
export function compare(original, twin, codec) {
  const differences = new Differences();
  const isDraco = codec.startsWith('draco');
  const keys = (map) => [...map.keys()].sort().join();
  if (keys(original.parts) !== keys(twin.parts)) {
    differences.failures.push(`parts ${keys(original.parts)} and ${keys(twin.parts)}`);
    return differences;
  }
  const clipError = compareClips(original.clips, twin.clips, codec, differences);
  const meshOf = (place) => place.slice(0, place.indexOf('.'));
  for (const [place, part] of original.parts) {
    // Draco quantises primitives; `KHR_mesh_quantization` has one transform for a mesh.
    const isTogether = ([other]) => other === place || (!isDraco && meshOf(other) === meshOf(place));
    const extent = extentOf([...original.parts].filter(isTogether).map(([, part]) => part));
    comparePart(place, part, twin.parts.get(place), { isDraco, extent, size: original.size, clipError }, differences);
  }
  return differences;
}

function comparePart(place, original, twin, { isDraco, extent, size, clipError }, differences) {
  // The encoder of Draco leaves out triangles without area.
  const isProper = (triangle) => new Set(triangle.map((index) => String(original.vertices.get(index)?.stored))).size === 3;
  const [before, after] = [original, twin].map(({ triangles }) => asSet(triangles.filter(isProper)));
  if (before !== after) differences.failures.push(`${place}: other triangles`);
  const stretch = stretches(original);
  // Half a step, and for meshopt the rounding of steps to integers of 16 bits.
  const step = extent / (2 ** BITS.position - 2) / 2 + (isDraco ? 0 : extent / 2 / 32767);
  const uvStep = original.uvScale * (0.5 / (2 ** BITS.uv - 1) + (isDraco ? 0 : 1 / 65535));
  // Every weight is rounded; then their sum, or the rest to one, is shared out.
  const weightStep = ((4 * original.sets + 1) * 0.5) / (2 ** (isDraco ? BITS.dracoWeight : BITS.meshoptWeight) - 1);
  const uvExtent = uvExtentOf(original) / original.uvScale;
  for (const [index, b] of twin.vertices) {
    const a = original.vertices.get(index);
    if (!a) continue;
    const moved = a.positions.map((p, pose) => (b.positions[pose] ? distance(p, b.positions[pose]) / size : Infinity));
    const allowed = stretch.map((factor) => (Math.sqrt(3) * step * factor) / size + ROUNDING);
    differences.add('position', moved[0], allowed[0], `${place} vertex ${index}`);
    if (a.uv && b.uv) differences.add('uv', distance(a.uv, b.uv), Math.SQRT2 * uvStep * Math.max(1, isDraco ? uvExtent : 1) + 1e-6, `${place} vertex ${index}`);
    else if (a.uv || b.uv) differences.failures.push(`${place}: texture coordinates of one only`);
    let apart = 0;
    for (const joint of new Set([...a.influences.keys(), ...b.influences.keys()])) {
      const error = Math.abs((a.influences.get(joint) ?? 0) - (b.influences.get(joint) ?? 0));
      differences.add('weight', error, weightStep + 1e-6, `${place} vertex ${index}`);
      apart += error;
    }
    // Weight that moves from one joint to another moves a vertex by their distance at most.
    for (let pose = 1; pose < moved.length; pose++) {
      differences.add('pose', moved[pose], allowed[pose] + apart / 2 + clipError, `${place} vertex ${index}`);
    }
  }
}

/** The same for triangles in any order that begin with any corner. */
function asSet(triangles) {
  const turned = triangles.map(([a, b, c]) => (a <= b && a <= c ? [a, b, c] : b <= c ? [b, c, a] : [c, a, b]));
  return turned.map(String).sort().join(' ');
}

/** By how much edges of a part are longer in each pose than as stored. */
function stretches({ vertices, triangles }) {
  const poses = vertices.values().next().value?.positions.length ?? 0;
  const worst = Array(poses).fill(0);
  for (const triangle of triangles) {
    for (let corner = 0; corner < 3; corner++) {
      const [a, b] = [vertices.get(triangle[corner]), vertices.get(triangle[(corner + 1) % 3])];
      const stored = distance(a.stored, b.stored);
      if (!(stored > 0)) continue;
      for (let pose = 0; pose < poses; pose++) worst[pose] = Math.max(worst[pose], distance(a.positions[pose], b.positions[pose]) / stored);
    }
  }
  return worst;
}

function uvExtentOf({ vertices }) {
  const side = (axis) => {
    let [low, high] = [Infinity, -Infinity];
    for (const { uv } of vertices.values()) [low, high] = [Math.min(low, uv?.[axis] ?? 0), Math.max(high, uv?.[axis] ?? 0)];
    return high - low;
  };
  return vertices.size ? Math.max(side(0), side(1)) : 0;
}

/** Compares all keys; returns what their errors may add to a pose, as a share of the size. */
function compareClips(original, twin, codec, differences) {
  if (original.length !== twin.length) differences.failures.push(`${original.length} and ${twin.length} clips`);
  const isFiltered = codec === 'meshopt filters';
  for (const [i, clip] of original.entries()) {
    for (const [place, a] of clip.channels) {
      const b = twin[i]?.channels.get(place);
      if (!b || a.mode !== b.mode || String(a.times) !== String(b.times) || a.values.length !== b.values.length) {
        differences.failures.push(`clip "${clip.name}", ${place}: other keys`);
        continue;
      }
      for (const [key, value] of a.values.entries()) {
        const other = b.values[key];
        const negative = other.map((x) => -x);
        const isRotation = a.path === 'rotation';
        const apart = isRotation ? Math.min(distance(value, other), distance(value, negative)) : distance(value, other);
        // The largest component of a vector gives all three their exponent.
        const exponent = Math.max(...value.map(Math.abs)) / 2 ** (BITS.vector - 2);
        const allowed = isFiltered ? (isRotation ? 4 / (2 ** (BITS.quaternion - 1) - 1) : a.path === 'weights' ? 0 : exponent) : 0;
        differences.add('clip', apart, allowed + 1e-6, `clip "${clip.name}", ${place}, key ${key}`);
      }
    }
  }
  return isFiltered ? 2e-3 : 0;
}

/** A skinned, textured, animated GLB made from nothing: a tube along Y with three joints. */
import { require } from './support.mjs';

const { PNG } = require('pngjs');

const SIDES = 16;
const RINGS = 25;
const RADIUS = 0.25;
const HEIGHT = 3;

/** A checkerboard, so that a missing texture is seen. */
export function checkers() {
  const png = new PNG({ width: 8, height: 8 });
  for (let i = 0; i < 64; i += 1) {
    const isDark = (i + Math.floor(i / 8)) % 2 === 0;
    png.data.set(isDark ? [30, 90, 200, 255] : [240, 200, 60, 255], i * 4);
  }
  return PNG.sync.write(png);
}

export function surface() {
  const [positions, normals, uvs, joints, weights, indices] = [[], [], [], [], [], []];
  const across = SIDES + 1;
  for (let ring = 0; ring < RINGS; ring += 1) {
    const y = (ring / (RINGS - 1)) * HEIGHT;
    const bone = Math.min(2, Math.floor(y));
    const share = Math.min(1, Math.max(0, (y - bone) * 2));
    for (let side = 0; side < across; side += 1) {
      const turn = (side / SIDES) * 2 * Math.PI;
      const [x, z] = [Math.cos(turn), Math.sin(turn)];
      positions.push(x * RADIUS, y, z * RADIUS);
      normals.push(x, 0, z);
      uvs.push(side / SIDES, ring / (RINGS - 1));
      joints.push(bone, Math.max(0, bone - 1), 0, 0);
      weights.push(bone === 0 ? 1 : share, bone === 0 ? 0 : 1 - share, 0, 0);
      if (ring === 0 || side === 0) continue;
      const at = ring * across + side;
      indices.push(at - 1 - across, at - 1, at, at - 1 - across, at, at - across);
    }
  }
  return { positions, normals, uvs, joints, weights, indices };
}

/**
 * The displacements of two morph targets: the first makes the middle thicker and has normals, the
 * second bends the tube sideways and has none.
 */
function targetsOf({ positions }) {
  const [bulge, bulgeNormals, lean] = [[], [], []];
  for (let i = 0; i < positions.length; i += 3) {
    const [x, y, z] = positions.slice(i, i + 3);
    const share = Math.sin((Math.PI * y) / HEIGHT) ** 2;
    bulge.push(1.5 * share * x, 0, 1.5 * share * z);
    bulgeNormals.push(0, -0.4 * Math.sin((2 * Math.PI * y) / HEIGHT), 0);
    lean.push(0.2 * y * (HEIGHT - y), 0, 0);
  }
  return { bulge, bulgeNormals, lean };
}

/** The weights of the targets at the keys 0, 0.5 and 1 of the clip, and tangents for splines. */
const MORPH_KEYS = [
  [0, 0.5],
  [1, -0.25],
  [0.25, 1],
];
const MORPH_TANGENTS = [
  [1, -2],
  [0.5, 3],
  [-1, 0],
];

/** The heights of the joints: one unit apart along the tube. Joints after the third are leaves. */
const heightOf = (joint) => (joint < 3 ? joint : 2 + (joint - 2) / 4);

/**
 * The bytes of the file; `skin: false` leaves the joints out, `prop: true` adds a triangle without
 * a skin that is attached to the third joint. More than three `names` add joints without weights.
 * `texture` has the bytes and the type of an image, and the extension that refers to it, if any.
 * `morph` adds two morph targets with default `weights`, which the clip drives with
 * `interpolation`; `bulge` is the weight of the first target with which positions and normals are
 * written.
 */
export function tube({
  name = 'tube',
  skin = true,
  prop = false,
  names = ['base', 'middle', 'tip'],
  texture = { bytes: checkers(), mime: 'image/png' },
  morph = null,
  bulge = 0,
} = {}) {
  const parts = [];
  const views = [];
  const accessors = [];
  const view = (bytes) => {
    const offset = parts.reduce((sum, part) => sum + part.length, 0);
    parts.push(bytes, Buffer.alloc((4 - (bytes.length % 4)) % 4));
    views.push({ buffer: 0, byteOffset: offset, byteLength: bytes.length });
    return views.length - 1;
  };
  const accessor = (array, componentType, type, extra = {}) => {
    const wide = { SCALAR: 1, VEC2: 2, VEC3: 3, VEC4: 4, MAT4: 16 }[type];
    const bufferView = view(Buffer.from(array.buffer));
    accessors.push({ bufferView, componentType, type, count: array.length / wide, ...extra });
    return accessors.length - 1;
  };
  const floats = (values, type, extra) => accessor(new Float32Array(values), 5126, type, extra);

  const mesh = surface();
  const shapes = targetsOf(mesh);
  if (bulge) {
    mesh.positions = mesh.positions.map((value, i) => value + bulge * shapes.bulge[i]);
    mesh.normals = mesh.normals.map((value, i) => value + bulge * shapes.bulgeNormals[i]);
  }
  const radius = RADIUS * (1 + 1.5 * bulge);
  const attributes = {
    POSITION: floats(mesh.positions, 'VEC3', { min: [-radius, 0, -radius], max: [radius, HEIGHT, radius] }),
    NORMAL: floats(mesh.normals, 'VEC3'),
    TEXCOORD_0: floats(mesh.uvs, 'VEC2'),
  };
  if (skin) {
    attributes.JOINTS_0 = accessor(new Uint8Array(mesh.joints), 5121, 'VEC4');
    attributes.WEIGHTS_0 = floats(mesh.weights, 'VEC4');
  }
  const indices = accessor(new Uint16Array(mesh.indices), 5123, 'SCALAR');
  const image = view(texture.bytes);
  const { extension } = texture;
  const document = {
    asset: { version: '2.0', generator: 'pliant browser tests' },
    scene: 0,
    scenes: [{ nodes: skin ? [0, 1] : [0] }],
    nodes: [
      { name, mesh: 0, ...(skin ? { skin: 0 } : {}) },
      ...(skin ? names.map((name, joint) => jointNode(name, joint, names.length)) : []),
    ],
    meshes: [{ name, primitives: [{ attributes, indices, material: 0 }] }],
    materials: [{ pbrMetallicRoughness: { baseColorTexture: { index: 0 }, metallicFactor: 0 } }],
    textures: [extension ? { extensions: { [extension]: { source: 0 } } } : { source: 0 }],
    images: [{ bufferView: image, mimeType: texture.mime }],
    ...(extension ? { extensionsUsed: [extension], extensionsRequired: [extension] } : {}),
  };
  if (skin) {
    const inverse = names.flatMap((_, joint) => [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, -heightOf(joint), 0, 1]);
    document.skins = [{ joints: names.map((_, joint) => joint + 1), inverseBindMatrices: floats(inverse, 'MAT4') }];
    const half = Math.sin(Math.PI / 8);
    const input = floats([0, 0.5, 1], 'SCALAR', { min: [0], max: [1] });
    const output = floats([0, 0, 0, 1, 0, 0, half, Math.cos(Math.PI / 8), 0, 0, 0, 1], 'VEC4');
    document.animations = [
      {
        name: 'nod',
        samplers: [{ input, output }],
        channels: [{ sampler: 0, target: { node: 2, path: 'rotation' } }],
      },
    ];
    if (morph?.interpolation) {
      const { interpolation } = morph;
      const isCubic = interpolation === 'CUBICSPLINE';
      const values = MORPH_KEYS.flatMap((key, i) => (isCubic ? [...MORPH_TANGENTS[i], ...key, ...MORPH_TANGENTS[2 - i]] : key));
      const [nod] = document.animations;
      nod.samplers.push({ input, output: floats(values, 'SCALAR'), interpolation });
      nod.channels.push({ sampler: 1, target: { node: 0, path: 'weights' } });
    }
  }
  if (morph) {
    const target = (values) => {
      const [min, max] = [Math.min, Math.max].map((of) => [0, 1, 2].map((axis) => of(...values.filter((_, i) => i % 3 === axis))));
      const float = (value) => Math.fround(value);
      return floats(values, 'VEC3', { min: min.map(float), max: max.map(float) });
    };
    document.meshes[0].primitives[0].targets = [
      { POSITION: target(shapes.bulge), NORMAL: target(shapes.bulgeNormals) },
      { POSITION: target(shapes.lean) },
    ];
    document.meshes[0].weights = morph.weights ?? [0, 0];
  }
  if (prop) {
    const POSITION = floats([0, 1, 0, 0.8, 1.2, 0, 0, 1.6, 0.4], 'VEC3', { min: [0, 1, 0], max: [0.8, 1.6, 0.4] });
    document.meshes.push({ name: 'prop', primitives: [{ attributes: { POSITION } }] });
    document.nodes.push({ name: 'prop', mesh: 1 });
    document.nodes[3].children = [...(document.nodes[3].children ?? []), document.nodes.length - 1];
  }
  const body = Buffer.concat(parts);
  document.accessors = accessors;
  document.bufferViews = views;
  document.buffers = [{ byteLength: body.length }];
  return container(document, body);
}

/** The node of a joint. Node 0 is the mesh. */
function jointNode(name, joint, count) {
  const translation = joint ? { translation: [0, heightOf(joint) - heightOf(joint - 1), 0] } : {};
  return { name, ...translation, ...(joint + 1 < count ? { children: [joint + 2] } : {}) };
}

/** The tube's joints and nothing else. */
export function rigOnly() {
  const inverse = new Float32Array([0, 1, 2].flatMap((y) => [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, -y, 0, 1]));
  const body = Buffer.from(inverse.buffer);
  const document = {
    asset: { version: '2.0', generator: 'pliant browser tests' },
    scene: 0,
    scenes: [{ nodes: [0] }],
    nodes: [
      { name: 'base', children: [1] },
      { name: 'middle', translation: [0, 1, 0], children: [2] },
      { name: 'tip', translation: [0, 1, 0] },
    ],
    skins: [{ joints: [0, 1, 2], inverseBindMatrices: 0 }],
    accessors: [{ bufferView: 0, componentType: 5126, type: 'MAT4', count: 3 }],
    bufferViews: [{ buffer: 0, byteOffset: 0, byteLength: body.length }],
    buffers: [{ byteLength: body.length }],
  };
  return container(document, body);
}

/** A GLB of a document and its buffer. */
export function container(document, body) {
  const text = Buffer.from(JSON.stringify(document));
  const json = Buffer.concat([text, Buffer.alloc((4 - (text.length % 4)) % 4, ' ')]);
  const chunk = (bytes, kind) => {
    const head = Buffer.alloc(8);
    head.writeUInt32LE(bytes.length, 0);
    head.write(kind, 4, 'latin1');
    return Buffer.concat([head, bytes]);
  };
  const chunks = Buffer.concat([chunk(json, 'JSON'), chunk(body, 'BIN\0')]);
  const head = Buffer.alloc(12);
  head.write('glTF', 0, 'latin1');
  head.writeUInt32LE(2, 4);
  head.writeUInt32LE(12 + chunks.length, 8);
  return Buffer.concat([head, chunks]);
}

/**
 * The tube bent like a hinge at the joint in the middle, about the axis of Z; its vertices and
 * triangles in the same order.
 */
function bent(positions, degrees) {
  const [cos, sin] = [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)];
  return positions.map((value, i) => {
    const [x, y] = [positions[i - (i % 3)], positions[i - (i % 3) + 1] - 1];
    if (y <= 0 || i % 3 === 2) return value;
    return i % 3 === 0 ? cos * x - sin * y : 1 + sin * x + cos * y;
  });
}

/**
 * A mesh and nothing else: the same tube as an OBJ, bent, or with its triangles in another order.
 */
export function tubeObj({ bend = 0, isReordered = false, isShort = false } = {}) {
  const { positions, indices } = surface();
  const rows = (values, letter, plus) =>
    Array.from({ length: values.length / 3 }, (_, row) =>
      [letter, ...values.slice(row * 3, row * 3 + 3).map((value) => value + plus)].join(' '),
    );
  const faces = rows(indices, 'f', 1);
  if (isReordered) faces.push(...faces.splice(6, 1));
  if (isShort) faces.length -= 2;
  return Buffer.from(`${[...rows(bent(positions, bend), 'v', 0), ...faces].join('\n')}\n`);
}

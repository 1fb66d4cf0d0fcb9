/** The tube of tube.mjs as text FBX in centimetres, with its texture in a file beside it. */
import { surface } from './tube.mjs';

/** Ticks of FBX per second. */
const SECOND = 46_186_158_000;

/** The joints, each a metre above the one before. */
const JOINTS = ['base', 'middle', 'tip'];

/** The keys of the clip: seconds, and degrees about Z of the second joint. */
const KEYS = [[0, 0], [0.5, 45], [1, 0]];

/** A translation along Y, column by column. */
const along = (y) => [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, y, 0, 1];

const list = (numbers) => `*${numbers.length} {\n a: ${numbers.join(',')}\n}`;
const properties = (entries) =>
  `Properties70: {\n${entries.map(([name, ...values]) => `P: "${name}", "", "", "A",${values.join(',')}`).join('\n')}\n}`;

/** The polygons, each ended by −index − 1. */
const polygons = (indices) => indices.map((index, corner) => (corner % 3 === 2 ? -index - 1 : index));

/** FBX counts V from below. */
const upwards = (uvs) => uvs.map((x, i) => (i % 2 ? 1 - x : x));

/** The weights of a joint by vertex. */
function influences({ joints, weights }, joint) {
  const found = new Map();
  for (const [slot, bone] of joints.entries())
    if (bone === joint && weights[slot] > 0) found.set(Math.floor(slot / 4), weights[slot]);
  return found;
}

/** The bytes of a file of version 7.4. The clip bends the second joint by 45 degrees. */
export function tubeFbx(texture = 'checkers.png') {
  const tube = surface();
  const { positions, uvs, indices } = tube;
  const objects = [];
  const connections = [];
  const object = (type, id, name, kind, body) =>
    objects.push(`${type}: ${id}, "${type}::${name}", "${kind}" {\n${body}\n}`);
  const connect = (source, target, property) =>
    connections.push(property ? `C: "OP",${source},${target}, "${property}"` : `C: "OO",${source},${target}`);

  const geometry = [
    `Vertices: ${list(positions.map((x) => 100 * x))}`,
    `PolygonVertexIndex: ${list(polygons(indices))}`,
    'LayerElementUV: 0 {\nMappingInformationType: "ByVertice"\nReferenceInformationType: "Direct"',
    `UV: ${list(upwards(uvs))}\n}`,
    'Layer: 0 {\nLayerElement: {\nType: "LayerElementUV"\nTypedIndex: 0\n}\n}',
  ];
  object('Geometry', 1, 'tube', 'Mesh', geometry.join('\n'));
  object('Model', 2, 'tube', 'Mesh', properties([]));
  connect(1, 2);
  connect(2, 0);
  object('Material', 3, 'checkers', '', properties([['DiffuseColor', 1, 1, 1]]));
  object('Texture', 4, 'checkers', '', `RelativeFilename: "textures\\${texture}"`);
  connect(3, 2);
  connect(4, 3, 'DiffuseColor');
  object('Deformer', 10, 'skin', 'Skin', '');
  connect(10, 1);
  for (const [joint, name] of JOINTS.entries()) {
    const place = joint ? [['Lcl Translation', 0, 100, 0]] : [];
    object('Model', 20 + joint, name, 'LimbNode', properties(place));
    connect(20 + joint, joint ? 19 + joint : 0);
    const vertices = influences(tube, joint);
    const cluster = [
      `Indexes: ${list([...vertices.keys()])}`,
      `Weights: ${list([...vertices.values()])}`,
      `Transform: ${list(along(-100 * joint))}`,
      `TransformLink: ${list(along(100 * joint))}`,
    ];
    object('Deformer', 30 + joint, name, 'Cluster', cluster.join('\n'));
    connect(30 + joint, 10);
    connect(20 + joint, 30 + joint);
  }
  object('AnimationStack', 40, 'nod', '', properties([]));
  object('AnimationLayer', 41, 'layer', '', properties([]));
  object('AnimationCurveNode', 42, 'R', '', properties([]));
  // Linear interpolation.
  const curve = [
    `KeyTime: ${list(KEYS.map(([time]) => time * SECOND))}`,
    `KeyValueFloat: ${list(KEYS.map(([, angle]) => angle))}`,
    `KeyAttrFlags: ${list([4])}`,
    `KeyAttrDataFloat: ${list([0, 0, 0, 0])}`,
    `KeyAttrRefCount: ${list([3])}`,
  ];
  object('AnimationCurve', 43, '', '', curve.join('\n'));
  connect(41, 40);
  connect(42, 41);
  connect(42, 21, 'Lcl Rotation');
  connect(43, 42, 'd|Z');
  const settings = properties([['UpAxis', 1], ['UpAxisSign', 1], ['FrontAxis', 2], ['CoordAxis', 0], ['UnitScaleFactor', 1]]);
  return Buffer.from(
    `; FBX 7.4.0 project file\nFBXHeaderExtension: {\nFBXVersion: 7400\n}\nGlobalSettings: {\n${settings}\n}\n` +
      `Objects: {\n${objects.join('\n')}\n}\nConnections: {\n${connections.join('\n')}\n}\n`,
  );
}

/** The bytes of a file of version 5.8 with the same content: models hold all the rest. */
export function oldTubeFbx(texture = 'checkers.png') {
  const tube = surface();
  const { positions, uvs, indices } = tube;
  const model = (name, ...lines) => `Model: "Model::${name}" {\nVersion: 194\n${lines.join('\n')}\n}`;
  const link = (name, joint) => {
    const vertices = influences(tube, joint);
    return [
      `Link: "Model::${name}" {\nMode: "Total1"\nIndexes: ${[...vertices.keys()]}`,
      `Weights: ${[...vertices.values()]}\nTransform: ${along(-100 * joint)}\nTransformLink: ${along(100 * joint)}\n}`,
    ].join('\n');
  };
  const body = model(
    'tube',
    'Material: "Material::checkers" {\nVersion: 100\nDiffuse: 1,1,1\nAlpha: 1\n}',
    `Texture: "Texture::checkers" {\nType: "TextureVideoClip"\nRelativeFilename: "textures\\${texture}"\n}`,
    `GeometryVersion: 123\nVertices: ${positions.map((x) => 100 * x)}`,
    'MaterialAssignation: "AllSame"\nMaterials: 0\nTextureId: 0',
    `PolygonVertexIndex: ${polygons(indices)}`,
    `GeometryUVInfo: {\nMappingInformationType: "ByPolygon"\nTextureUV: ${upwards(uvs)}`,
    `TextureUVVerticeIndex: ${indices}\n}`,
    ...JOINTS.map(link),
  );
  const limbs = JOINTS.map((name, joint) =>
    model(name, 'Type: "LimbNode"', ...JOINTS.slice(joint + 1, joint + 2).map((child) => `Children: "Model::${child}"`)),
  );
  const channel = (name, ...lines) => `Channel: "${name}" {\n${lines.join('\n')}\n}`;
  const axes = (name, values, keys = []) =>
    channel(name, ...['X', 'Y', 'Z'].map((axis, i) => channel(axis, `Default: ${values[i]}`, ...(i === 2 ? keys : []))));
  const key = `KeyVer: 4005\nKeyCount: ${KEYS.length}\nKey: ${KEYS.map(([time, angle]) => [time * SECOND, angle, 'L'])}`;
  const moved = ['tube', ...JOINTS].map((name, i) => {
    const parts = [axes('T', [0, i > 1 ? 100 : 0, 0]), axes('R', [0, 0, 0], name === 'middle' ? [key] : [])];
    return `Model: "Model::${name}" {\n${channel('Transform', ...parts, axes('S', [1, 1, 1]))}\n}`;
  });
  return Buffer.from(
    `; FBX 5.8.0 project file\nFBXHeaderExtension: {\nFBXVersion: 5800\n}\n${[body, ...limbs].join('\n')}\n` +
      `Takes: {\nCurrent: "nod"\nTake: "nod" {\nLocalTime: 0,${SECOND}\n${moved.join('\n')}\n}\n}\n`,
  );
}

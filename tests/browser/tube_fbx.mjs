/** The tube of tube.mjs as a text FBX in centimetres, with its texture in a file beside it. */
import { surface } from './tube.mjs';

/** Ticks of FBX per second. */
const SECOND = 46_186_158_000;

const list = (numbers) => `*${numbers.length} {\n a: ${numbers.join(',')}\n}`;
const properties = (entries) =>
  `Properties70: {\n${entries.map(([name, ...values]) => `P: "${name}", "", "", "A",${values.join(',')}`).join('\n')}\n}`;

/** The bytes of the file. The clip bends the second joint by 45 degrees in half a second. */
export function tubeFbx(texture = 'checkers.png') {
  const { positions, uvs, joints, weights, indices } = surface();
  const corners = indices.map((index, corner) => (corner % 3 === 2 ? -index - 1 : index));
  const objects = [];
  const connections = [];
  const object = (type, id, name, kind, body) =>
    objects.push(`${type}: ${id}, "${type}::${name}", "${kind}" {\n${body}\n}`);
  const connect = (source, target, property) =>
    connections.push(property ? `C: "OP",${source},${target}, "${property}"` : `C: "OO",${source},${target}`);

  const geometry = [
    `Vertices: ${list(positions.map((x) => 100 * x))}`,
    `PolygonVertexIndex: ${list(corners)}`,
    'LayerElementUV: 0 {\nMappingInformationType: "ByVertice"\nReferenceInformationType: "Direct"',
    `UV: ${list(uvs.map((x, i) => (i % 2 ? 1 - x : x)))}\n}`,
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
  for (const [joint, name] of ['base', 'middle', 'tip'].entries()) {
    const place = joint ? [['Lcl Translation', 0, 100, 0]] : [];
    object('Model', 20 + joint, name, 'LimbNode', properties(place));
    connect(20 + joint, joint ? 19 + joint : 0);
    const influences = new Map();
    for (const [slot, bone] of joints.entries())
      if (bone === joint && weights[slot] > 0) influences.set(Math.floor(slot / 4), weights[slot]);
    const at = (y) => list([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, y, 0, 1]);
    const cluster = [
      `Indexes: ${list([...influences.keys()])}`,
      `Weights: ${list([...influences.values()])}`,
      `Transform: ${at(-100 * joint)}`,
      `TransformLink: ${at(100 * joint)}`,
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
    `KeyTime: ${list([0, SECOND / 2, SECOND])}`,
    `KeyValueFloat: ${list([0, 45, 0])}`,
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

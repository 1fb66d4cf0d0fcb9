/**
 * One file of every kind: drawn with its texture, moving with its own weights, exported, valid, and
 * posed by three.js as here.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { compressedTwin } from './compressed_twin.mjs';
import { exported, loadFiles, withJson, zip } from './files.mjs';
import { pictureOf, vivid } from './pictures.mjs';
import { drawn, onBarePage, require, setUp } from './support.mjs';
import { posedByThree } from './three.mjs';
import { checkers, tube } from './tube.mjs';
import { oldTubeFbx, tubeFbx } from './tube_fbx.mjs';

const validator = require('gltf-validator');

const shared = setUp();

const png = { name: 'checkers.png', bytes: checkers() };

/** The tube with another texture. */
const withTexture = (name, mime, extension) =>
  tube({ texture: { bytes: readFileSync(new URL(`./fixtures/${name}`, import.meta.url)), mime, extension } });

/** The tube as an avatar. */
const avatar = withJson(tube(), (document) => {
  const humanBones = { hips: { node: 1 }, spine: { node: 2 }, head: { node: 3 } };
  document.extensions = { VRMC_vrm: { specVersion: '1.0', humanoid: { humanBones } } };
  document.extensionsUsed = ['VRMC_vrm'];
});

/** Files that are dropped together, and the decoder that they need. */
const KINDS = [
  { kind: 'GLB', files: async () => [{ name: 'tube.glb', bytes: tube() }], decoders: [] },
  { kind: 'FBX', files: async () => [{ name: 'tube.fbx', bytes: tubeFbx(png.name) }, png], decoders: ['fbx-decoder'] },
  {
    kind: 'FBX before 6.0',
    files: async () => [{ name: 'tube.fbx', bytes: oldTubeFbx(png.name) }, png],
    decoders: ['fbx-decoder'],
  },
  {
    kind: 'Draco',
    files: async () => [{ name: 'tube.glb', bytes: await compressedTwin(tube(), 'draco') }],
    decoders: ['draco-decoder'],
    // The quantisation of 14 bits.
    tolerance: 3e-4,
  },
  {
    kind: 'meshopt',
    files: async () => [{ name: 'tube.glb', bytes: await compressedTwin(tube(), 'meshopt') }],
    decoders: ['meshopt-decoder'],
    tolerance: 3e-4,
  },
  { kind: 'VRM', files: async () => [{ name: 'tube.vrm', bytes: avatar }], decoders: [] },
  { kind: 'ZIP', files: async () => [{ name: 'tube.zip', bytes: zip('tube.glb', tube()) }], decoders: [] },
  ...[
    ['WebP', 'image.webp', 'image/webp', 'EXT_texture_webp'],
    ['AVIF', 'image.avif', 'image/avif', 'EXT_texture_avif'],
    ['KTX2', 'etc1s.ktx2', 'image/ktx2', 'KHR_texture_basisu'],
  ].map(([kind, ...texture]) => ({
    kind,
    files: async () => [{ name: 'tube.glb', bytes: withTexture(...texture) }],
    decoders: [],
  })),
];

const TIME = 0.41;

for (const { kind, files, decoders, tolerance = 1e-5 } of KINDS)
  test(`${kind}: textured, moving, exported and valid, and three.js poses it as we do`, () =>
    onBarePage(shared, async (page) => {
      const fetched = new Set();
      page.on('request', (request) => fetched.add(/([a-z]+-decoder|fitter)_bg.*\.wasm$/.exec(request.url())?.[1]));
      await loadFiles(page, await files());
      fetched.delete(undefined);
      assert.deepEqual([...fetched], decoders, 'a decoder is loaded by the files that need it, and no fitter');
      const ours = await page.evaluate((time) => {
        const viewer = document.querySelector('pliant-viewer');
        viewer.currentTime = time;
        const posed = viewer[Symbol.for('pliant.inside')].viewer.posedVertices(0);
        const { textures, storedInfluences, size } = viewer.model;
        const { method, animationName: clip } = viewer;
        return { posed: Array.from(posed), clip, method, textures, storedInfluences, size };
      }, TIME);
      assert.deepEqual([ours.method, ours.textures, ours.storedInfluences, ours.clip], ['source', 1, 2, 'nod']);
      assert.ok(Math.abs(ours.size[1] - 3) < 1e-3, `it is ${ours.size} large`);
      assert.ok(await isColourful(page), 'the checkers are blue and yellow, other images red and blue');
      const glb = await exported(page);
      const { issues } = await validator.validateBytes(glb, { maxIssues: 20 });
      assert.equal(issues.numErrors, 0, JSON.stringify(issues.messages, null, 1));
      const diagonal = Math.hypot(...ours.size);
      assert.ok(apart(await posedByThree(glb, 'nod', TIME), ours.posed) / diagonal < 1e-5, 'as three.js poses it');
      // The same character in another format is posed alike, whatever the order of its vertices.
      const plain = await posedByThree(new Uint8Array(tube()), 'nod', TIME);
      assert.ok(farthest(plain, ours.posed) / diagonal < tolerance, `${farthest(plain, ours.posed)} from the plain file`);
    }));

test('a damaged FBX is refused with a reason, and work goes on', () =>
  onBarePage(shared, async (page) => {
    await loadFiles(page, [{ name: 'tube.glb', bytes: tube() }]);
    const bytes = tubeFbx();
    const cut = bytes.subarray(0, bytes.length / 2);
    const error = await loadFiles(page, [{ name: 'cut.fbx', bytes: cut }]).then(() => null, String);
    assert.match(error ?? '', /does not end/);
    await loadFiles(page, [{ name: 'tube.fbx', bytes }]);
    assert.equal(await page.evaluate(() => document.querySelector('pliant-viewer').model.name), 'tube.fbx');
  }));

/** Whether the picture has colours, at once or when the texture has been decoded. */
async function isColourful(page) {
  for (let attempt = 0; attempt < 100; attempt++) {
    await drawn(page);
    if (vivid(await pictureOf(page)) > 0.005) return true;
    await new Promise((done) => setTimeout(done, 100));
  }
  return false;
}

/** The largest difference of coordinates. */
function apart(a, b) {
  return a.reduce((worst, x, i) => Math.max(worst, Math.abs(x - b[i])), a.length === b.length ? 0 : Infinity);
}

/** The largest distance of a point of one list from the nearest point of the other. */
function farthest(a, b) {
  const points = (list) => Array.from({ length: list.length / 3 }, (_, i) => list.slice(3 * i, 3 * i + 3));
  const distance = (p, q) => Math.hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]);
  const others = points(b);
  return points(a).reduce((worst, p) => Math.max(worst, Math.min(...others.map((q) => distance(p, q)))), 0);
}

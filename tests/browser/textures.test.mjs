/** Textures of every format, and materials that use alpha, vertex colours and no light. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { pictureOf } from './pictures.mjs';
import { lowerOf, quads, upperOf } from './quads.mjs';
import { jointAt } from './studio.mjs';
import { drawn, onBarePage, require, setUp } from './support.mjs';

const { PNG } = require('pngjs');

/** The halves of the images in `fixtures`. */
const [UPPER, LOWER] = [
  [220, 40, 40],
  [40, 60, 210],
];

/** Lossy formats and the polynomials of the shader are this near. */
const TOLERANCE = 8;

const UNLIT = { extensions: { KHR_materials_unlit: {} } };

const fixture = (name, mime) => ({ bytes: readFileSync(new URL(`./fixtures/${name}`, import.meta.url)), mime });

/** A PNG of one column, from the top. */
function png(...pixels) {
  const image = new PNG({ width: 1, height: pixels.length });
  for (const [i, pixel] of pixels.entries()) image.data.set(pixel, i * 4);
  return { bytes: PNG.sync.write(image), mime: 'image/png' };
}

const shared = setUp(new Map());

/** A site whose policy refuses functions made from text, and a worker that tries to make one. */
const POLICY = "script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'";
const ATTEMPT = "try { new Function(''); postMessage('made'); } catch { postMessage('refused'); }";
const strict = setUp(new Map([['/attempt.js', Buffer.from(ATTEMPT)]]), { 'Content-Security-Policy': POLICY });

/** Shows squares, and calls `work` with a function that reads the colour at a joint. */
function onSquares(squares, work, site = shared) {
  return onBarePage(site, async (page) => {
    const requests = [];
    page.on('request', (request) => requests.push(request.url()));
    await page.evaluate(async (base64) => {
      const viewer = document.createElement('pliant-viewer');
      Object.assign(viewer, { bones: 'hidden', method: 'source' });
      document.body.append(viewer);
      const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
      await viewer.load({ kind: 'files', files: [new File([bytes], 'squares.glb')] });
      viewer.camera = { ...viewer.camera, yaw: 0, pitch: 0 };
    }, Buffer.from(quads(squares)).toString('base64'));
    const colourAt = async (joint) => {
      await drawn(page);
      const [{ data, width }, { x, y }] = [await pictureOf(page), await jointAt(page, joint)];
      return [...data.subarray((Math.round(y) * width + Math.round(x)) * 4).subarray(0, 3)];
    };
    await work({ page, colourAt, requests });
  });
}

const isNear = (a, b) => a.every((channel, i) => Math.abs(channel - b[i]) <= TOLERANCE);

/** Waits until a joint has a colour. */
async function becomes(colourAt, joint, expected) {
  let colour = [];
  for (let attempt = 0; attempt < 100; attempt++) {
    colour = await colourAt(joint);
    if (isNear(colour, expected)) return;
    await new Promise((done) => setTimeout(done, 100));
  }
  assert.deepEqual(colour, expected, joint);
}

const warningsOf = (page) =>
  page.evaluate(() => document.querySelector('pliant-viewer').model.warnings.map(({ message }) => message));

test('textures of WebP, AVIF and KTX2 are shown in their colours, the right way up', () =>
  onSquares(
    [
      { name: 'webp', image: fixture('image.webp', 'image/webp'), extension: 'EXT_texture_webp', material: UNLIT },
      { name: 'avif', image: fixture('image.avif', 'image/avif'), extension: 'EXT_texture_avif', material: UNLIT },
      { name: 'etc1s', image: fixture('etc1s.ktx2', 'image/ktx2'), extension: 'KHR_texture_basisu', material: UNLIT },
      { name: 'uastc', image: fixture('uastc_zstd.ktx2', 'image/ktx2'), extension: 'KHR_texture_basisu', material: UNLIT },
    ],
    async ({ page, colourAt, requests }) => {
      for (const name of ['webp', 'avif', 'etc1s', 'uastc']) {
        await becomes(colourAt, upperOf(name), UPPER);
        await becomes(colourAt, lowerOf(name), LOWER);
      }
      assert.deepEqual(await warningsOf(page), []);
      assert.equal(requests.filter((url) => url.includes('transcoder')).length, 2, 'one worker and one module');
    },
  ));

test('KTX2 textures are shown under a strict content security policy', () =>
  onSquares(
    ['etc1s', 'uastc_zstd'].map((name) => ({
      name,
      image: fixture(`${name}.ktx2`, 'image/ktx2'),
      extension: 'KHR_texture_basisu',
      material: UNLIT,
    })),
    async ({ page, colourAt }) => {
      for (const name of ['etc1s', 'uastc_zstd']) {
        await becomes(colourAt, upperOf(name), UPPER);
        await becomes(colourAt, lowerOf(name), LOWER);
      }
      assert.deepEqual(await warningsOf(page), []);
      const answer = await page.evaluate(
        () => new Promise((heard) => (new Worker('attempt.js').onmessage = ({ data }) => heard(data))),
      );
      assert.equal(answer, 'refused', 'workers of the site are under the policy');
    },
    strict,
  ));

test('without a KTX2 texture the transcoder is not loaded', () =>
  onSquares([{ name: 'png', image: png([...UPPER, 255]), material: UNLIT }], async ({ colourAt, requests }) => {
    await becomes(colourAt, upperOf('png'), UPPER);
    assert.deepEqual(requests.filter((url) => url.includes('transcoder')), []);
  }));

test('an image that cannot be decoded gives a warning, and the plain colour and all else are shown', () =>
  onSquares(
    [
      { name: 'tga', image: { bytes: Buffer.alloc(64, 7), mime: 'image/x-tga' }, material: { ...UNLIT, pbrMetallicRoughness: { baseColorFactor: [0, 1, 0, 1] } } },
      { name: 'ktx2', image: { bytes: fixture('etc1s.ktx2').bytes.subarray(0, 120), mime: 'image/ktx2' }, extension: 'KHR_texture_basisu', material: UNLIT },
      { name: 'png', image: png([...UPPER, 255]), material: UNLIT },
    ],
    async ({ page, colourAt }) => {
      await becomes(colourAt, upperOf('png'), UPPER);
      await becomes(colourAt, upperOf('tga'), [0, 255, 0]);
      const warnings = await warningsOf(page);
      assert.equal(warnings.length, 2, warnings.join('\n'));
      assert.match(warnings[0], /^images\[0\]: the image \(image\/x-tga\) cannot be decoded/);
      assert.match(warnings[1], /^images\[1\]: the image \(image\/ktx2\) cannot be decoded: it is not ETC1S or UASTC/);
      // Other joints come with another description of the character.
      await page.evaluate(async (joint) => {
        const viewer = document.querySelector('pliant-viewer');
        await viewer.setJointPositions({ ...viewer.jointPositions, [joint]: [0.5, 0.6, 0] });
      }, upperOf('tga'));
      assert.deepEqual(await warningsOf(page), warnings);
    },
  ));

test('the plain image is shown if that of an extension cannot be decoded, with the warning', () => {
  const plain = png([...UPPER, 255]);
  const broken = { bytes: fixture('image.webp').bytes.subarray(0, 40), mime: 'image/webp' };
  return onSquares(
    [
      { name: 'broken', image: broken, extension: 'EXT_texture_webp', plain, material: UNLIT },
      { name: 'whole', image: fixture('image.webp', 'image/webp'), extension: 'EXT_texture_webp', plain, material: UNLIT },
    ],
    async ({ page, colourAt }) => {
      await becomes(colourAt, lowerOf('broken'), UPPER);
      await becomes(colourAt, lowerOf('whole'), LOWER);
      const warnings = await warningsOf(page);
      assert.equal(warnings.length, 1, warnings.join('\n'));
      assert.match(warnings[0], /^images\[0\]: the image \(image\/webp\) cannot be decoded: .*; images\[1\] is shown$/);
      const { textures } = await page.evaluate(() => document.querySelector('pliant-viewer').model);
      assert.equal(textures, 2, 'images that nothing shows are not counted');
    },
  );
});

test('samplers say what is outside of an image', () => {
  const rows = [UPPER, LOWER, [40, 200, 60], [230, 210, 40]];
  const image = png(...rows.map((row) => [...row, 255]));
  const [NEAREST, REPEAT, CLAMP, MIRROR] = [9728, 10497, 33071, 33648];
  // The joints are in the middle of the first row, and of the third row of the image below.
  const square = (name, wrapT) => ({
    name,
    image,
    sampler: { magFilter: NEAREST, minFilter: NEAREST, wrapT },
    top: -0.625,
    bottom: 2.375,
    material: UNLIT,
  });
  const squares = [square('repeat', REPEAT), square('clamp', CLAMP), square('mirror', MIRROR)];
  return onSquares(squares, async ({ colourAt }) => {
    for (const { name } of squares) await becomes(colourAt, upperOf(name), rows[0]);
    await becomes(colourAt, lowerOf('repeat'), rows[2]);
    await becomes(colourAt, lowerOf('clamp'), rows[3]);
    await becomes(colourAt, lowerOf('mirror'), rows[1]);
  });
});

test('samplers say how texels are filtered', () => {
  const [NEAREST, LINEAR] = [9728, 9729];
  const [black, white, grey] = [[0, 0, 0], [255, 255, 255], [128, 128, 128]];
  const steps = png([...black, 255], [...white, 255]);
  // Four rows to a pixel, or more.
  const lines = png(...Array.from({ length: 2048 }, (_, i) => [...(i % 2 ? white : black), 255]));
  const enlarged = (name, magFilter) => ({ name, image: steps, sampler: { magFilter }, top: 0.4, bottom: 0.6, material: UNLIT });
  const squares = [
    enlarged('nearest', NEAREST),
    enlarged('linear', LINEAR),
    { name: 'single', image: lines, sampler: { minFilter: NEAREST }, material: UNLIT },
    { name: 'mipmaps', image: lines, material: UNLIT },
  ];
  return onSquares(squares, async ({ colourAt }) => {
    await becomes(colourAt, upperOf('nearest'), black);
    await becomes(colourAt, lowerOf('nearest'), white);
    await becomes(colourAt, upperOf('linear'), [102, 102, 102]);
    await becomes(colourAt, lowerOf('linear'), [153, 153, 153]);
    await becomes(colourAt, upperOf('mipmaps'), grey);
    const single = await colourAt(upperOf('single'));
    assert.ok(isNear(single, black) || isNear(single, white), `${single}`);
  });
});

test('unlit materials have exactly their colours, others are lit', () => {
  const pbrMetallicRoughness = { baseColorFactor: [0.5, 0.25, 0.1, 1] };
  const squares = [
    { name: 'unlit', material: { ...UNLIT, pbrMetallicRoughness } },
    { name: 'lit', material: { pbrMetallicRoughness } },
  ];
  return onSquares(squares, async ({ colourAt }) => {
    await becomes(colourAt, upperOf('unlit'), [188, 137, 89]);
    assert.ok(!isNear(await colourAt(upperOf('lit')), [188, 137, 89]));
  });
});

test('vertex colours multiply the base colour', () => {
  const tinted = [0, 1, 2, 3].flatMap(() => [255, 128, 0, 255]);
  const white = png([255, 255, 255, 255]);
  const squares = [{ name: 'tinted', image: white, colors: tinted, material: UNLIT }, { name: 'plain', image: white, material: UNLIT }];
  return onSquares(squares, async ({ colourAt }) => {
    // Vertex colours are linear.
    await becomes(colourAt, upperOf('tinted'), [255, 188, 0]);
    await becomes(colourAt, upperOf('plain'), [255, 255, 255]);
  });
});

test('masks cut out, blends mix, and materials without alpha ignore it', () => {
  const image = png([...UPPER, 40], [...LOWER, 200]);
  const squares = [
    { name: 'mask', image, material: { ...UNLIT, alphaMode: 'MASK', alphaCutoff: 0.5 } },
    { name: 'low', image, material: { ...UNLIT, alphaMode: 'MASK', alphaCutoff: 0.1 } },
    { name: 'blend', image, material: { ...UNLIT, alphaMode: 'BLEND' } },
    { name: 'opaque', image, material: UNLIT },
    { name: 'hidden', image: png([...UPPER, 0], [...LOWER, 0]), material: UNLIT },
  ];
  return onSquares(squares, async ({ page, colourAt }) => {
    for (const name of ['low', 'opaque', 'hidden']) {
      await becomes(colourAt, upperOf(name), UPPER);
      await becomes(colourAt, lowerOf(name), LOWER);
    }
    await becomes(colourAt, lowerOf('mask'), LOWER);
    const behind = await colourAt(upperOf('mask'));
    assert.ok(!isNear(behind, UPPER), `cut out, but ${behind}`);
    const mixed = LOWER.map((channel, i) => channel * (200 / 255) + behind[i] * (55 / 255));
    await becomes(colourAt, lowerOf('blend'), mixed.map(Math.round));
    const influences = async (joint) => {
      const { x, y } = await jointAt(page, joint);
      return page.evaluate(([x, y]) => document.querySelector('pliant-viewer').influencesAt(x, y).length, [x, y]);
    };
    assert.equal(await influences(upperOf('mask')), 0, 'nothing is picked where the mask cuts out');
    assert.ok((await influences(lowerOf('mask'))) > 0);
    assert.ok((await influences(upperOf('low'))) > 0);
  });
});

test('backs are drawn, and lit from their side, only if the material is double-sided', () => {
  const pbrMetallicRoughness = { baseColorFactor: [0.5, 0.25, 0.1, 1] };
  const squares = [
    { name: 'front', material: { pbrMetallicRoughness } },
    { name: 'double', flipped: true, material: { pbrMetallicRoughness, doubleSided: true } },
    { name: 'single', flipped: true, material: { pbrMetallicRoughness } },
  ];
  return onSquares(squares, async ({ colourAt }) => {
    const front = await colourAt(upperOf('front'));
    assert.ok(isNear(await colourAt(upperOf('double')), front));
    assert.ok(!isNear(await colourAt(upperOf('single')), front));
  });
});

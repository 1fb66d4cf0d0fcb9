/**
 * The atlas in `<pliant-viewer>`: attributes, properties, and the views of regions and overlaps.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { moreColourful, pictureOf } from './pictures.mjs';
import { drawn, loadSample, onBarePage, setUp } from './support.mjs';

const shared = setUp();

const onPage = (work, options) => onBarePage(shared, work, options);

/** Changes something on the element and waits for the weights that follow from it. */
function changed(page, change) {
  return page.evaluate(async (change) => {
    const viewer = document.querySelector('pliant-viewer');
    const rigged = new Promise((done) => viewer.addEventListener('rig-complete', done, { once: true }));
    for (const [name, value] of Object.entries(change)) viewer[name] = value;
    await rigged;
    const { atlasK, atlasDistance, atlasOverlapDistance, atlasTransition, atlasKJoints, report } = viewer;
    const { recipe } = viewer;
    return { atlasK, atlasDistance, atlasOverlapDistance, atlasTransition, atlasKJoints, share: report.overlap, atlas: recipe.atlas };
  }, change);
}

/** Shows something and takes its picture, without bones. */
async function look(page, show) {
  await page.evaluate((show) => {
    const viewer = document.querySelector('pliant-viewer');
    viewer.bones = 'hidden';
    viewer.show = show;
  }, show);
  await drawn(page);
  return pictureOf(page);
}

/** The share of pixels darker than anything but bands and curves. */
function dark({ data }) {
  let count = 0;
  for (let i = 0; i < data.length; i += 4) if (Math.max(data[i], data[i + 1], data[i + 2]) < 60) count++;
  return count / (data.length / 4);
}

test('atlas is the default method, and its parameters are attributes', () =>
  onPage(async (page) => {
    const attributes = { 'atlas-k': '1.25', 'atlas-distance': 'dijkstra', 'atlas-overlap-distance': 'euclidean', 'atlas-transition': '0.3,0.1 0.7,0.9' };
    await loadSample(page, 'arm', { vertices: 1500, attributes });
    const { method, atlas, report } = await page.evaluate(() => {
      const { method, recipe, report } = document.querySelector('pliant-viewer');
      return { method, atlas: recipe.atlas, report };
    });
    assert.equal(method, 'atlas');
    assert.equal(report.method, 'atlas');
    assert.ok(report.regions.length > 1 && report.overlap > 0);
    const { k, distance, overlap_distance, transition } = atlas;
    const curve = [
      [0.3, 0.1],
      [0.7, 0.9],
    ];
    assert.deepEqual({ k, distance, overlap_distance, transition }, { k: 1.25, distance: 'dijkstra', overlap_distance: 'euclidean', transition: { curve } });
  }));

test('invalid attributes mean the default, and K is clamped to its range', () =>
  onPage(async (page) => {
    const attributes = { 'atlas-k': 'soft', 'atlas-distance': 'magic', 'atlas-overlap-distance': '', 'atlas-transition': '0.9,0.9 0.1,0.1' };
    await loadSample(page, 'arm', { vertices: 1500, attributes });
    const atlas = await page.evaluate(() => document.querySelector('pliant-viewer').recipe.atlas);
    assert.deepEqual([atlas.k, atlas.distance, atlas.overlap_distance, atlas.transition], [0.5, 'smooth', null, 'cubic']);
    assert.equal((await changed(page, { atlasK: -3 })).atlas.k, 0);
    assert.equal((await changed(page, { atlasK: 1e9 })).atlas.k, 100);
  }));

test('properties and attributes reflect each other, and a recipe sets both', () =>
  onPage(async (page) => {
    await loadSample(page, 'arm', { vertices: 1500 });
    const narrow = await changed(page, { atlasK: 0.1 });
    const wide = await changed(page, { atlasK: 2 });
    assert.ok(wide.share > 3 * narrow.share, `${wide.share} and ${narrow.share} overlap`);
    await changed(page, { atlasDistance: 'harmonic', atlasOverlapDistance: 'smooth', atlasTransition: 'linear' });
    const attributes = await page.evaluate(() => {
      const viewer = document.querySelector('pliant-viewer');
      return ['atlas-k', 'atlas-distance', 'atlas-overlap-distance', 'atlas-transition'].map((name) => viewer.getAttribute(name));
    });
    assert.deepEqual(attributes, ['2', 'harmonic', 'smooth', 'linear']);
    const after = await page.evaluate(async () => {
      const viewer = document.querySelector('pliant-viewer');
      const { recipe } = viewer;
      Object.assign(recipe.atlas, { k: 0.4, overlap_distance: null });
      viewer.recipe = recipe;
      return [viewer.getAttribute('atlas-k'), viewer.getAttribute('atlas-overlap-distance'), viewer.atlasK, viewer.atlasOverlapDistance];
    });
    assert.deepEqual(after, ['0.4', null, 0.4, null]);
  }));

test('one joint can be softer than the others, and a joint that is not there is named', () =>
  onPage(async (page) => {
    await loadSample(page, 'arm', { vertices: 1500, attributes: { 'atlas-k': '0.1' } });
    const [before, joint] = await page.evaluate(() => {
      const viewer = document.querySelector('pliant-viewer');
      return [viewer.report.overlap, viewer.model.joints[1].name];
    });
    const soft = await changed(page, { atlasKJoints: { [joint]: 1.5 } });
    assert.deepEqual(soft.atlasKJoints, { [joint]: 1.5 });
    assert.ok(soft.share > 1.5 * before, `${soft.share} after ${before}`);
    const badges = () => page.evaluate(() => [...document.querySelector('pliant-viewer').shadowRoot.querySelectorAll('.joint-label')].filter((each) => each.checkVisibility()).length);
    await drawn(page);
    assert.equal(await badges(), 1);
    await page.evaluate(() => document.querySelector('pliant-viewer').setAttribute('bones', 'hidden'));
    assert.equal(await badges(), 0, 'joints that are not drawn have no badges');
    const error = await page.evaluate(async () => {
      const viewer = document.querySelector('pliant-viewer');
      const failed = new Promise((done) => viewer.addEventListener('error', ({ detail }) => done(detail)));
      viewer.atlasKJoints = { knee: 1 };
      return failed;
    });
    assert.equal(error.code, 'unknown_joint');
    assert.match(error.message, /knee/);
  }));

test('regions have curves between them that move with the skin; overlaps are dark and grow with K', () =>
  onPage(async (page) => {
    await loadSample(page, 'mannequin', { vertices: 4000, attributes: { 'atlas-k': '0.1' } });
    const shaded = await look(page, 'shaded');
    const regions = await look(page, 'regions');
    assert.ok(moreColourful(regions, shaded) > 2, 'regions are colourful');
    assert.ok(dark(regions) > dark(shaded) + 0.0005, `curves are seen: ${dark(shaded)}, ${dark(regions)}`);
    await page.evaluate(() => document.querySelector('pliant-viewer').setPose({ 'upper_arm.L': [0, 0, 60], 'thigh.R': [-70, 0, 0] }));
    const posed = await look(page, 'regions');
    assert.ok(dark(posed) > dark(shaded) + 0.0005, 'and in a pose');
    assert.ok(posed.difference(regions) > 0.01);
    const narrow = dark(await look(page, 'overlaps'));
    // Nothing but K changes from here on: the colours must follow by themselves.
    const bands = [];
    for (const atlasK of [0.6, 0.2, 0.1, 0]) {
      await changed(page, { atlasK });
      await drawn(page);
      bands.push(dark(await pictureOf(page)));
    }
    const [wide, middle, again, none] = bands;
    assert.ok(narrow > 0.001 && wide > 1.5 * middle && middle > 1.5 * narrow, `bands of ${[narrow, ...bands]}`);
    assert.ok(Math.abs(again - narrow) < 0.1 * narrow, `${narrow} came back as ${again}`);
    assert.ok(none < 0.5 * narrow, `${none} without overlaps`);
    const legend = () => page.evaluate(() => document.querySelector('pliant-viewer').shadowRoot.querySelector('.legend').textContent);
    assert.match(await legend(), /Overlaps: 0 % of the skin/);
    await changed(page, { method: 'distance' });
    assert.ok(dark(await look(page, 'overlaps')) < narrow / 2, 'a method without regions has no bands');
    assert.match(await legend(), /no overlapping regions/);
    assert.ok(dark(await look(page, 'regions')) < dark(regions) / 2, 'and no curves');
    assert.ok(moreColourful(await look(page, 'regions'), shaded) > 2, 'but colours by joint');
  }));

test('the camera can be read and set, and a transition curve be sampled', () =>
  onPage(async (page) => {
    await loadSample(page, 'arm', { vertices: 1500 });
    await drawn(page);
    const before = await pictureOf(page);
    const places = await page.evaluate(() => {
      const viewer = document.querySelector('pliant-viewer');
      const first = viewer.camera;
      viewer.camera = { ...first, yaw: first.yaw + 90, distance: first.distance * 1.5 };
      const second = viewer.camera;
      viewer.camera = { ...first, distance: Number.NaN };
      return { first, second, third: viewer.camera, curve: [...viewer.transitionCurve('linear', 5)] };
    });
    assert.ok(Math.abs(places.second.yaw - places.first.yaw - 90) < 1e-3);
    assert.deepEqual(places.third, places.second, 'nonsense is no place');
    assert.deepEqual(places.curve, [0, 0.25, 0.5, 0.75, 1]);
    await drawn(page);
    assert.ok(before.difference(await pictureOf(page)) > 0.02);
  }));

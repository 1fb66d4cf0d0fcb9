/** Files of others: textured, skinned, in pieces, without a skeleton; and back out again. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exported, loadFiles, withJson, zip } from './files.mjs';
import { pictureOf, vivid } from './pictures.mjs';
import { drawn, onBarePage, require, setUp } from './support.mjs';
import { posedByThree } from './three.mjs';
import { tube } from './tube.mjs';

const validator = require('gltf-validator');

const shared = setUp(new Map([['/models/tube.glb', tube()]]));

const onPage = (work) => onBarePage(shared, work);

test('a URL is fetched, its texture drawn and its clip played', () =>
  onPage(async (page) => {
    await page.evaluate(async () => {
      const viewer = document.createElement('pliant-viewer');
      viewer.setAttribute('src', 'models/tube.glb');
      viewer.setAttribute('autoplay', '');
      const rigged = new Promise((done) => viewer.addEventListener('rig-complete', done, { once: true }));
      document.body.append(viewer);
      await rigged;
    });
    await page.waitForTimeout(300);
    await drawn(page);
    const state = await page.evaluate(() => {
      const { model, paused, animations } = document.querySelector('pliant-viewer');
      return { name: model.name, textures: model.textures, stored: model.storedInfluences, paused, animations };
    });
    assert.match(state.name, /tube/);
    assert.deepEqual([state.textures, state.stored, state.paused], [1, 2, false]);
    assert.equal(state.animations.length, 1);
    assert.ok(vivid(await pictureOf(page)) > 0.005, 'the checkers are blue and yellow');
  }));

test('a rigged file is exported valid, with its texture, and three.js poses it as we do', () =>
  onPage(async (page) => {
    await loadFiles(page, [{ name: 'tube.glb', bytes: tube() }]);
    const glb = await exported(page);
    const { issues, info } = await validator.validateBytes(glb, { maxIssues: 20 });
    assert.equal(issues.numErrors, 0, JSON.stringify(issues.messages, null, 1));
    assert.equal(info.resources.filter(({ mimeType }) => mimeType === 'image/png').length, 1);
    const time = 0.41;
    const ours = await page.evaluate((time) => {
      const viewer = document.querySelector('pliant-viewer');
      viewer.currentTime = time;
      const posed = viewer[Symbol.for('pliant.inside')].viewer.posedVertices(0);
      return { posed: Array.from(posed), clip: viewer.animationName, diagonal: Math.hypot(...viewer.model.size) };
    }, time);
    const theirs = await posedByThree(glb, ours.clip, time);
    assert.equal(theirs.length, ours.posed.length);
    const worst = ours.posed.reduce((worst, x, i) => Math.max(worst, Math.abs(x - theirs[i])), 0);
    assert.ok(worst / ours.diagonal < 1e-5, `${worst / ours.diagonal} of the diagonal`);
  }));

test('when rigging fails, clips play with the weights of the file', () =>
  onPage(async (page) => {
    // A recipe of another character: this one has no such joint.
    const failed = await page.evaluate(async () => {
      const viewer = document.createElement('pliant-viewer');
      document.body.append(viewer);
      viewer.recipe = { ...viewer.recipe, deforms: { 'shin.L': false } };
      const heard = [];
      viewer.addEventListener('error', ({ detail }) => heard.push(detail.code));
      const code = await viewer.load({ kind: 'url', url: 'models/tube.glb' }).then(() => null, ({ code }) => code);
      return { code, heard, report: viewer.report, clip: viewer.animationName };
    });
    assert.deepEqual(failed, { code: 'unknown_joint', heard: ['unknown_joint'], report: null, clip: 'nod' });
    const shapeAt = (time) =>
      page.evaluate((time) => {
        const viewer = document.querySelector('pliant-viewer');
        viewer.currentTime = time;
        return Array.from(viewer[Symbol.for('pliant.inside')].viewer.drawnVertices(0));
      }, time);
    const apart = (a, b) => a.reduce((worst, x, i) => Math.max(worst, Math.abs(x - b[i])), a.length === b.length ? 0 : Infinity);
    const time = 0.41;
    const [rest, posed] = [await shapeAt(0), await shapeAt(time)];
    assert.ok(apart(rest, posed) > 0.5, `the clip moves vertices by ${apart(rest, posed)}`);
    const theirs = await posedByThree(new Uint8Array(tube()), 'nod', time);
    assert.ok(apart(posed, theirs) < 1e-4, `${apart(posed, theirs)} from the weights of the file`);
    const advances = page.waitForFunction(() => document.querySelector('pliant-viewer').currentTime > 0.5);
    await page.evaluate(() => document.querySelector('pliant-viewer').play());
    await advances;
    // With a recipe for this character, computed weights replace those of the file.
    await page.evaluate(() => {
      const viewer = document.querySelector('pliant-viewer');
      viewer.pause();
      viewer.recipe = { ...viewer.recipe, method: 'atlas', deforms: {} };
    });
    await page.waitForFunction(() => document.querySelector('pliant-viewer').report !== null);
    assert.ok(apart(await shapeAt(time), theirs) > 0.01, 'computed weights differ from those of the file');
  }));

test('a part without a skin is drawn, follows its joint and is exported as it was', () =>
  onPage(async (page) => {
    await loadFiles(page, [{ name: 'tube.glb', bytes: tube({ prop: true }) }]);
    const at = (time) =>
      page.evaluate((time) => {
        const viewer = document.querySelector('pliant-viewer');
        viewer.currentTime = time;
        const { viewer: inside } = viewer[Symbol.for('pliant.inside')];
        return [Array.from(inside.posedVertices(0)), Array.from(inside.drawnVertices(0))];
      }, time);
    const [rest] = await at(0);
    const [posed, onGpu] = await at(0.5);
    const worst = posed.reduce((worst, x, i) => Math.max(worst, Math.abs(x - onGpu[i])), 0);
    assert.ok(worst < 1e-4, `the GPU is off by ${worst}`);
    const corners = (shape) => [0, 1, 2].map((i) => shape.slice(shape.length - 9 + 3 * i).slice(0, 3));
    const length = ([a, b]) => Math.hypot(...a.map((x, i) => x - b[i]));
    const [before, after] = [corners(rest), corners(posed)];
    assert.ok(length([before[1], after[1]]) > 0.1, 'it moves with the clip');
    assert.ok(Math.abs(length(before) - length(after)) < 1e-5, 'as a rigid body');
    for (const show of ['weights', 'regions', 'overlaps', 'shaded']) {
      await page.evaluate((show) => document.querySelector('pliant-viewer').setAttribute('show', show), show);
      await drawn(page);
    }
    const glb = Buffer.from(await exported(page));
    const { nodes, meshes } = JSON.parse(glb.subarray(20, 20 + glb.readUInt32LE(12)).toString());
    const node = nodes.find(({ name }) => name === 'prop');
    assert.equal(node.skin, undefined);
    assert.deepEqual(Object.keys(meshes[node.mesh].primitives[0].attributes), ['POSITION']);
    const theirs = await posedByThree(new Uint8Array(glb), 'nod', 0.5);
    assert.ok(theirs.length > 0);
  }));

test('a mesh without a skeleton asks for one, accepts a template or a file, and bends', () =>
  onPage(async (page) => {
    await loadFiles(page, [{ name: 'bare.glb', bytes: tube({ skin: false }) }], { skeleton: 'none' });
    assert.equal(await page.evaluate(() => window.needed), 1);
    const joints = await page.evaluate(async () => {
      const viewer = document.querySelector('pliant-viewer');
      await viewer.useTemplate('arm');
      const fromTemplate = viewer.report.joints.length;
      const bones = [
        { name: 'low', head: [0, 0, 0], tail: [0, 1.5, 0] },
        { name: 'high', parent: 'low', head: [0, 1.5, 0], tail: [0, 3, 0] },
      ];
      await viewer.loadSkeleton([new File([JSON.stringify({ bones })], 'skeleton.json')]);
      viewer.setPose({ high: [0, 0, 90] });
      const posed = viewer[Symbol.for('pliant.inside')].viewer.posedVertices(0);
      return { fromTemplate, names: viewer.model.joints.map(({ name }) => name), reach: Math.min(...posed) };
    });
    assert.ok(joints.fromTemplate > 1);
    assert.deepEqual(joints.names, ['low', 'high']);
    assert.ok(joints.reach < -1, `bent over to ${joints.reach}`);
    const { issues } = await validator.validateBytes(await exported(page), { maxIssues: 20 });
    assert.equal(issues.numErrors, 0, JSON.stringify(issues.messages, null, 1));
  }));

test('a mesh and a skeleton dropped together become one character', () =>
  onPage(async (page) => {
    const tgf = '1 0 0 0\n2 0 1.5 0\n3 0 3 0\n#\n1 2 1\n2 3 1\n';
    await loadFiles(page, [
      { name: 'bare.glb', bytes: tube({ skin: false }) },
      { name: 'bones.tgf', bytes: Buffer.from(tgf) },
    ]);
    const [needed, bones] = await page.evaluate(() => [
      window.needed,
      document.querySelector('pliant-viewer').report.bones,
    ]);
    assert.equal(needed, 0);
    assert.ok(bones >= 2);
  }));

test('an avatar is opened from an archive and looks at the camera', () =>
  onPage(async (page) => {
    let joint;
    const avatar = withJson(tube(), (document) => {
      joint = document.skins[0].joints[0];
      const humanBones = [{ bone: 'leftThumbProximal', node: joint }];
      document.extensions = { ...document.extensions, VRM: { humanoid: { humanBones } } };
    });
    await loadFiles(page, [{ name: 'avatar.zip', bytes: zip('avatar/avatar.vrm', avatar) }]);
    const found = await page.evaluate(() => {
      const { model, camera } = document.querySelector('pliant-viewer');
      const bones = model.joints.flatMap(({ humanBone }) => humanBone ?? []);
      return { name: model.name, vrm: model.vrm, bones, yaw: camera.yaw };
    });
    assert.equal(found.name, 'avatar/avatar.vrm');
    assert.deepEqual([found.vrm, found.bones], ['0.x', ['leftThumbMetacarpal']]);
    assert.ok(Math.cos((found.yaw * Math.PI) / 180) < -0.8, `the camera is at ${found.yaw}°`);
    await loadFiles(page, [{ name: 'bad.zip', bytes: zip('a.obj', Buffer.from('v 0 0 0')).subarray(0, 40) }]).then(
      () => assert.fail('a damaged archive was opened'),
      (error) => assert.match(error.message, /archive is missing/),
    );
  }));

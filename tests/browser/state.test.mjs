/** The state of `<pliant-viewer>`: one snapshot, one event for every change, one active tool. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadSample, onBarePage, setUp } from './support.mjs';

const shared = setUp();

const onPage = (work) => onBarePage(shared, work);

/** Runs `act` with the element and returns the keys of the state that were reported as changed. */
const keysOf = (page, act, argument) =>
  page.evaluate(
    async ([text, argument]) => {
      const viewer = document.querySelector('pliant-viewer');
      const keys = [];
      const listen = ({ detail }) => keys.push(...detail.keys);
      viewer.addEventListener('state-change', listen);
      await new Function('viewer', 'argument', `return (${text})(viewer, argument)`)(viewer, argument);
      await Promise.resolve();
      viewer.removeEventListener('state-change', listen);
      return keys;
    },
    [String(act), argument],
  );

test('every change is reported, by attribute, property or method, and the snapshot has it', () =>
  onPage(async (page) => {
    await loadSample(page, 'arm', { vertices: 1500 });
    const joint = await page.evaluate(() => document.querySelector('pliant-viewer').model.joints[1].name);
    const changes = [
      [(viewer) => viewer.setAttribute('show', 'weights'), 'show'],
      [(viewer) => { viewer.deformer = 'dqs'; }, 'deformer'],
      [(viewer) => { viewer.bones = 'hidden'; }, 'bones'],
      [(viewer) => { viewer.theme = 'dark'; }, 'theme'],
      [(viewer) => { viewer.maxInfluences = 2; }, 'recipe'],
      [(viewer) => viewer.setAttribute('atlas-k', '0.8'), 'recipe'],
      [(viewer, joint) => { viewer.atlasKJoints = { [joint]: 1 }; }, 'recipe'],
      [(viewer) => { viewer.compare = 'heat'; }, 'secondView'],
      [(viewer) => { viewer.divider = 0.4; }, 'divider'],
      [(viewer) => { viewer.compareVolume = 'off'; }, 'secondView'],
      [(viewer) => { viewer.volume = 'local'; }, 'postSkinning'],
      [(viewer) => viewer.setAttribute('volume-alpha', '2'), 'postSkinning'],
      [(viewer, joint) => { viewer.volumeExcluded = [joint]; }, 'postSkinning'],
      [(viewer, joint) => viewer.rotateJoint(joint, [0, 0, 30]), 'pose'],
      [(viewer, joint) => { viewer.selectedJoint = joint; }, 'selectedJoint'],
      [(viewer) => { viewer.playbackRate = 2; }, 'playback'],
      [(viewer) => { viewer.currentTime = 0.5; }, 'playback'],
      [(viewer) => { viewer.mirrorJoints = false; }, 'mirrorJoints'],
      [(viewer) => { viewer.tool = 'paint'; }, 'tool'],
      [(viewer) => { viewer.volumeMap = new Float32Array(viewer.model.vertices).fill(1); }, 'volumeMap'],
    ];
    for (const [act, key] of changes) {
      const keys = await keysOf(page, act, joint);
      assert.ok(keys.includes(key), `${act} reported ${keys}`);
    }
    const state = await page.evaluate(() => document.querySelector('pliant-viewer').state);
    assert.deepEqual([state.show, state.deformer, state.bones, state.theme], ['weights', 'dqs', 'hidden', 'dark']);
    assert.deepEqual([state.recipe.max_influences, state.recipe.atlas.k, state.recipe.atlas.k_joints], [2, 0.8, { [joint]: 1 }]);
    assert.deepEqual([state.secondView.recipe.method, state.secondView.volume, state.divider], ['heat', 'off', 0.4]);
    const { volume, volumeAlpha, volumeExcluded } = state.postSkinning;
    assert.deepEqual([volume, volumeAlpha, volumeExcluded], ['local', 2, [joint]]);
    assert.deepEqual([state.selectedJoint, state.playback.playbackRate, state.tool], [joint, 2, 'paint']);
  }));

test('one event reports all changes of one turn, after the specific events', () =>
  onPage(async (page) => {
    await loadSample(page, 'arm', { vertices: 1500 });
    const order = await page.evaluate(async () => {
      const viewer = document.querySelector('pliant-viewer');
      const order = [];
      for (const type of ['select', 'tool-change', 'state-change']) viewer.addEventListener(type, () => order.push(type));
      viewer.selectedJoint = viewer.model.joints[1].name;
      viewer.tool = 'place-joints';
      viewer.show = 'weights';
      await Promise.resolve();
      return order;
    });
    assert.deepEqual(order, ['select', 'tool-change', 'state-change']);
  }));

test('exactly one tool is active, whichever property chooses it', () =>
  onPage(async (page) => {
    await loadSample(page, 'arm', { vertices: 1500 });
    const tools = await page.evaluate(() => {
      const viewer = document.querySelector('pliant-viewer');
      const seen = [];
      const note = () => seen.push([viewer.tool, viewer.placingJoints, viewer.placingHandles, viewer.volumeBrush !== null]);
      note();
      viewer.placingJoints = true;
      note();
      viewer.placingHandles = true;
      note();
      viewer.volumeBrush = { mode: 'add', size: 0.1, strength: 1, symmetric: false };
      note();
      viewer.placingHandles = false;
      note();
      viewer.volumeBrush = null;
      note();
      viewer.tool = 'place-joints';
      viewer.play();
      note();
      return seen;
    });
    assert.deepEqual(tools, [
      ['rotate', false, false, false],
      ['place-joints', true, false, false],
      ['handles', false, true, false],
      ['paint', false, false, true],
      ['paint', false, false, true],
      ['rotate', false, false, false],
      ['rotate', false, false, false],
    ]);
  }));

test('a rotation on top of a clip stays when the clip advances, until it is cleared', () =>
  onPage(async (page) => {
    await loadSample(page, 'mannequin', { vertices: 2000 });
    const result = await page.evaluate(() => {
      const viewer = document.querySelector('pliant-viewer');
      const joint = 'forearm.L';
      const at = (time) => {
        viewer.currentTime = time;
        return viewer.pose;
      };
      const [first, second] = [at(0.2), at(0.6)];
      at(0.2);
      const [x, y, z] = first[joint] ?? [0, 0, 0];
      viewer.rotateJoint(joint, [x, y, z + 40]);
      const offsets = viewer.poseOffsets;
      const rotated = viewer.pose[joint];
      const later = at(0.6);
      const back = at(0.2);
      const stateHas = Object.keys(viewer.state.poseOffsets);
      viewer.clearPoseOffsets();
      return { joint, first, second, offsets, rotated, later, back, stateHas, cleared: viewer.pose, left: viewer.poseOffsets };
    });
    const { joint } = result;
    assert.deepEqual(Object.keys(result.offsets), [joint]);
    assert.deepEqual(result.stateHas, [joint]);
    const near = (a = [0, 0, 0], b = [0, 0, 0]) => a.every((value, axis) => Math.abs(value - b[axis]) < 1e-3);
    assert.ok(near(result.back[joint], result.rotated), 'the same rotation at the same time');
    assert.ok(!near(result.later[joint], result.second[joint]), 'still rotated at another time');
    for (const [name, angles] of Object.entries(result.second)) {
      if (name !== joint) assert.ok(near(result.later[name], angles), `${name} is as in the clip`);
    }
    assert.ok(near(result.cleared[joint], result.first[joint]));
    assert.deepEqual(result.left, {});
  }));

test('the time of rigging is that of all stages, also after a change of K alone', () =>
  onPage(async (page) => {
    await loadSample(page, 'mannequin', { vertices: 4000 });
    const [first, later, report] = await page.evaluate(async () => {
      const viewer = document.querySelector('pliant-viewer');
      const first = viewer.rigSeconds;
      viewer.atlasK = 0.9;
      await new Promise((resolve) => viewer.addEventListener('rig-complete', resolve, { once: true }));
      return [first, viewer.rigSeconds, viewer.report.seconds];
    });
    assert.ok(later > report, `${later} s of all stages, ${report} s of the last run`);
    assert.ok(later > first / 2 && later < first * 2, `${first} s first, ${later} s later`);
  }));

test('another character has no statistics of the last one, and keeps the settings', () =>
  onPage(async (page) => {
    await loadSample(page, 'arm', { vertices: 1500, attributes: { volume: 'local' } });
    await page.waitForFunction(() => document.querySelector('pliant-viewer').volumeStats !== null);
    const result = await page.evaluate(async () => {
      const viewer = document.querySelector('pliant-viewer');
      viewer.volumeExcluded = [viewer.model.joints[1].name];
      let atLoad;
      viewer.addEventListener('load', () => { atLoad = [viewer.volumeStats, viewer.report, viewer.rigSeconds]; }, { once: true });
      await viewer.load({ kind: 'url', url: 'samples/cylinder-500.glb' });
      return { atLoad, volume: viewer.volume, excluded: viewer.volumeExcluded };
    });
    assert.deepEqual(result.atLoad, [null, null, null]);
    assert.deepEqual([result.volume, result.excluded], ['local', []]);
  }));

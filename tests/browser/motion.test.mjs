/** Motions that a file does not have: the library, and clips of other characters. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readFile } from 'node:fs/promises';
import { bareSampleGlb } from './bare.mjs';
import { exported, loadFiles, withJson } from './files.mjs';
import { onBarePage, sampleFile, setUp } from './support.mjs';
import { posedByThree } from './three.mjs';

const shared = setUp();

const onPage = (work) => onBarePage(shared, work);

/** A mannequin with its skeleton, without clips. */
async function still() {
  return withJson(await readFile(await sampleFile('mannequin', 2000)), (document) => {
    delete document.animations;
  });
}

/** A BVH of two frames for a figure with the names of Mixamo, whose left arm goes up. */
function bvh() {
  const joint = (name, offset, ...children) => ({ name, offset, children });
  const leg = (side, x) =>
    joint(`${side}UpLeg`, [x, -2, 0], joint(`${side}Leg`, [0, -40, 0], joint(`${side}Foot`, [0, -40, 0], joint(`${side}ToeBase`, [0, -6, 12]))));
  const arm = (side, x) =>
    joint(`${side}Arm`, [x * 18, 10, 0], joint(`${side}ForeArm`, [x * 28, 0, 0], joint(`${side}Hand`, [x * 26, 0, 0])));
  const trunk = joint('Spine', [0, 15, 0], joint('Spine1', [0, 25, 0], joint('Neck', [0, 16, 0], joint('Head', [0, 10, 0])), arm('Left', 1), arm('Right', -1)));
  const root = joint('Hips', [0, 0, 0], leg('Left', 9), leg('Right', -9), trunk);
  const lines = ['HIERARCHY'];
  const channels = [];
  const write = ({ name, offset, children }, isRoot) => {
    const places = isRoot ? 'Xposition Yposition Zposition ' : '';
    lines.push(`${isRoot ? 'ROOT' : 'JOINT'} ${name}`, '{', `OFFSET ${offset.join(' ')}`);
    lines.push(`CHANNELS ${isRoot ? 6 : 3} ${places}Zrotation Xrotation Yrotation`);
    channels.push(name);
    for (const child of children) write(child, false);
    if (children.length === 0) lines.push('End Site', '{', 'OFFSET 0 5 0', '}');
    lines.push('}');
  };
  write(root, true);
  const frame = (degrees) =>
    channels.map((name) => `${name === 'Hips' ? '0 88 0 ' : ''}${name === 'LeftArm' ? degrees : 0} 0 0`).join(' ');
  lines.push('MOTION', 'Frames: 2', 'Frame Time: 0.5', frame(0), frame(80));
  return Buffer.from(lines.join('\n'));
}

const names = (page) => page.evaluate(() => document.querySelector('pliant-viewer').animations);

test('a character without a clip walks by itself, and its file gets no clip', () =>
  onPage(async (page) => {
    await loadFiles(page, [{ name: 'still.glb', bytes: await still() }], { motions: 'auto', autoplay: '' });
    await page.waitForFunction(() => !document.querySelector('pliant-viewer').paused, null, { timeout: 10_000 });
    const { animations, current, library } = await page.evaluate(() => {
      const viewer = document.querySelector('pliant-viewer');
      return { animations: viewer.animations, current: viewer.animationName, library: viewer.motionLibrary };
    });
    assert.deepEqual([animations, current], [['walk'], 'walk']);
    assert.ok(library.length >= 12 && library.includes('dance'), library.join());
    await page.waitForFunction(() => document.querySelector('pliant-viewer').currentTime > 0.2);
    let clips;
    withJson(Buffer.from(await exported(page)), (document) => {
      clips = document.animations;
    });
    assert.equal(clips, undefined, 'what plays by itself is not exported');
  }));

test('a clip of the library is exported, and three.js plays it as we do', () =>
  onPage(async (page) => {
    await loadFiles(page, [{ name: 'still.glb', bytes: await still() }]);
    assert.deepEqual(await names(page), [], 'nothing is added unless it is asked for');
    const added = await page.evaluate(() => document.querySelector('pliant-viewer').addMotion('dance'));
    assert.deepEqual(added, ['dance']);
    const time = 1.3;
    const ours = await page.evaluate((time) => {
      const viewer = document.querySelector('pliant-viewer');
      viewer.pause();
      viewer.currentTime = time;
      const posed = viewer[Symbol.for('pliant.inside')].viewer.posedVertices(0);
      return { posed: Array.from(posed), diagonal: Math.hypot(...viewer.model.size) };
    }, time);
    const theirs = await posedByThree(await exported(page), 'dance', time);
    const worst = ours.posed.reduce((worst, x, i) => Math.max(worst, Math.abs(x - theirs[i])), 0);
    assert.ok(worst / ours.diagonal < 1e-4, `${worst / ours.diagonal} of the diagonal`);
  }));

test('clips are renamed and removed', () =>
  onPage(async (page) => {
    await loadFiles(page, [{ name: 'still.glb', bytes: await still() }]);
    const result = await page.evaluate(async () => {
      const viewer = document.querySelector('pliant-viewer');
      await viewer.addMotion('walk');
      await viewer.addMotion('wave');
      const twice = await viewer.addMotion('wave');
      const renamed = [viewer.renameMotion('wave', 'hello'), viewer.renameMotion('hello', 'walk'), viewer.renameMotion('x', 'y')];
      const removed = [viewer.removeMotion('walk'), viewer.removeMotion('walk')];
      return { twice, renamed, removed, animations: viewer.animations };
    });
    assert.deepEqual(result, {
      twice: ['wave 2'],
      renamed: [true, false, false],
      removed: [true, false],
      animations: ['hello', 'wave 2'],
    });
  }));

test('a motion capture is retargeted, and a motion of nobody is refused', () =>
  onPage(async (page) => {
    await loadFiles(page, [{ name: 'still.glb', bytes: await still() }]);
    const base64 = bvh().toString('base64');
    const result = await page.evaluate(async (base64) => {
      const viewer = document.querySelector('pliant-viewer');
      const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
      const [name] = await viewer.addMotion([new File([bytes], 'raise.bvh')]);
      viewer.pause();
      const at = (time) => {
        viewer.currentTime = time;
        return viewer.pose['upper_arm.L'];
      };
      const refused = await viewer.addMotion([new File(['HIERARCHY ROOT a { OFFSET 0 0 0 CHANNELS 0 }'], 'a.bvh')]).catch(({ code }) => code);
      const unknown = await viewer.addMotion('moonwalk').catch(({ code }) => code);
      return { name, duration: viewer.duration, low: at(0), high: at(0.5), refused, unknown };
    }, base64);
    assert.deepEqual([result.name, result.duration], ['raise', 0.5]);
    const turned = Math.max(...result.high.map((angle, axis) => Math.abs(angle - result.low[axis])));
    assert.ok(turned > 40, `the arm rises: ${result.low} ${result.high}`);
    assert.deepEqual([result.refused, result.unknown], ['motion', 'motion']);
  }));

test('a bare mesh gets a skeleton and walks', () =>
  onPage(async (page) => {
    const bytes = await bareSampleGlb('mannequin', 4000);
    await loadFiles(page, [{ name: 'bare.glb', bytes }], { motions: 'auto', autoplay: '' });
    await page.waitForFunction(() => document.querySelector('pliant-viewer').animationName === 'walk', null, {
      timeout: 20_000,
    });
    assert.deepEqual(await names(page), ['range of motion', 'walk']);
  }));

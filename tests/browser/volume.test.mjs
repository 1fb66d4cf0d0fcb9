/**
 * Volume correction, on the element and on the page: attributes, statistics, brush,
 * views, and baked exports.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { colours, drawingOf, pictureOf } from './pictures.mjs';
import { axe, exportedSize, rigged, studioTests } from './studio.mjs';
import { drawn, loadSample, onBarePage, require, setUp } from './support.mjs';
import { posedByThree } from './three.mjs';
import { tube } from './tube.mjs';

const validator = require('gltf-validator');

const shared = setUp();

const studioTest = studioTests(shared);

const BENT = { 'forearm.L': [0, -100, 0], 'shin.L': [95, 0, 0], 'thigh.L': [-80, 0, 0], 'thigh.R': [-40, 0, 0] };

const set = (page, values) => page.evaluate((values) => Object.assign(document.querySelector('pliant-viewer'), values), values);
const get = (page, name) => page.evaluate((name) => document.querySelector('pliant-viewer')[name], name);
const pose = (page, angles = BENT) => page.evaluate((angles) => document.querySelector('pliant-viewer').setPose(angles), angles);

/** Where the vertices are now, as one list. */
const vertices = (page) =>
  page.evaluate(() => Array.from(document.querySelector('pliant-viewer')[Symbol.for('pliant.inside')].viewer.posedVertices(0)));

function farthest(a, b) {
  assert.equal(a.length, b.length);
  return a.reduce((most, value, i) => Math.max(most, Math.abs(value - b[i])), 0);
}

/** Waits for the statistics of the pose on screen. */
async function statistics(page) {
  await page.evaluate(() => {
    const viewer = document.querySelector('pliant-viewer');
    return new Promise((done) => {
      viewer.addEventListener('volume', done, { once: true });
      viewer.setPose(viewer.pose);
    });
  });
  return get(page, 'volumeStats');
}

async function onBent(attributes, work, member = 'mannequin') {
  await onBarePage(shared, async (page) => {
    await loadSample(page, member, { vertices: 3000, attributes: { bones: 'hidden', ...attributes } });
    await pose(page);
    await drawn(page);
    await work(page);
  });
}

test('attributes and properties reflect each other, and invalid values mean the default', () =>
  onBent({}, async (page) => {
    const names = ['volume', 'volumeAlpha', 'volumeBeta', 'volumeMode', 'foldGuard', 'compareVolume'];
    const all = () => page.evaluate((names) => names.map((name) => document.querySelector('pliant-viewer')[name]), names);
    assert.deepEqual(await all(), ['off', 1, 1, 'exact', false, null]);
    await set(page, { volume: 'organic', volumeAlpha: 2, volumeBeta: 0.5, volumeMode: 'paper', foldGuard: true, compareVolume: 'off' });
    const attributes = await page.evaluate(() => {
      const viewer = document.querySelector('pliant-viewer');
      return ['volume', 'volume-alpha', 'volume-beta', 'volume-mode', 'fold-guard', 'compare-volume'].map((name) => viewer.getAttribute(name));
    });
    assert.deepEqual(attributes, ['organic', '2', '0.5', 'paper', '', 'off']);
    await page.evaluate(() => {
      const viewer = document.querySelector('pliant-viewer');
      const wrong = { volume: 'sponge', 'volume-alpha': 'much', 'volume-beta': '99', 'volume-mode': 'loose' };
      for (const [name, value] of Object.entries(wrong)) viewer.setAttribute(name, value);
      viewer.removeAttribute('fold-guard');
      viewer.removeAttribute('compare-volume');
    });
    assert.deepEqual(await all(), ['off', 1, 8, 'exact', false, null]);
  }));

test('a correction moves vertices only where the pose bends, and switching it off restores skinning exactly', () =>
  onBent({}, async (page) => {
    const plain = await vertices(page);
    await set(page, { volume: 'local', foldGuard: true });
    const kept = await vertices(page);
    assert.ok(farthest(plain, kept) > 1e-3, 'nothing moved');
    assert.ok(kept.every(Number.isFinite));
    // The head is far from everything that is bent.
    const highest = plain.reduce((best, y, i) => (i % 3 === 1 && y > plain[best] ? i : best), 1);
    assert.ok(Math.abs(kept[highest] - plain[highest]) < 1e-5);
    const drawnAt = await page.evaluate(() => Array.from(document.querySelector('pliant-viewer')[Symbol.for('pliant.inside')].viewer.drawnVertices(0)));
    assert.ok(farthest(kept, drawnAt) < 1e-6, 'what is drawn is what is corrected');
    await set(page, { volume: 'off', foldGuard: false });
    assert.ok(farthest(plain, await vertices(page)) < 1e-6);
  }));

for (const deformer of ['lbs', 'dqs']) {
  test(`statistics are reported, and volumes are exact after ${deformer}`, () =>
    onBent({ volume: 'local', deformer }, async (page) => {
      const stats = await statistics(page);
      assert.ok(stats.skinnedErrorPercent > 0.05, `${stats.skinnedErrorPercent} % lost`);
      assert.ok(stats.correctedErrorPercent < 0.1, `${stats.correctedErrorPercent} % left`);
      assert.ok(Math.abs(stats.corrected - stats.rest) < Math.abs(stats.skinned - stats.rest));
      assert.deepEqual(stats.warnings, []);
      const elbow = stats.segments.find(({ bone }) => bone === 'forearm.L');
      assert.ok(elbow.skinnedErrorPercent > elbow.correctedErrorPercent && elbow.correctedErrorPercent < 1.5, JSON.stringify(elbow));
    }));
}

test('an open mesh is measured with hole caps, as a whole and by segment', () =>
  onBarePage(shared, async (page) => {
    await page.evaluate(async (bytes) => {
      const viewer = document.createElement('pliant-viewer');
      viewer.volume = 'local';
      document.body.append(viewer);
      await viewer.load({ kind: 'files', files: [new File([Uint8Array.from(bytes)], 'tube.glb')] });
    }, [...tube()]);
    await pose(page, { middle: [0, 0, 70], tip: [0, 0, 40] });
    const { skinnedErrorPercent, correctedErrorPercent, warnings } = await statistics(page);
    assert.deepEqual(warnings.map(({ code }) => code), ['open_volume']);
    assert.ok(skinnedErrorPercent > 0.1 && correctedErrorPercent < 0.1, `${skinnedErrorPercent} %, then ${correctedErrorPercent} %`);
  }));

test('the linearised mode leaves a larger error than the exact one and a smaller one than skinning', () =>
  onBent({ volume: 'rubber', 'volume-mode': 'paper' }, async (page) => {
    const paper = await statistics(page);
    await set(page, { volumeMode: 'exact' });
    const exact = await statistics(page);
    assert.ok(exact.correctedErrorPercent < paper.correctedErrorPercent, 'exact is better');
    assert.ok(paper.correctedErrorPercent < paper.skinnedErrorPercent, 'paper is better than nothing');
  }));

test('a clip is sampled without moving the picture', () =>
  onBent({ volume: 'local' }, async (page) => {
    const before = await vertices(page);
    const { samples, framesPerSecond } = await page.evaluate(() => document.querySelector('pliant-viewer').sampleVolume({ framesPerSecond: 12 }));
    const duration = await get(page, 'duration');
    assert.equal(samples.length, Math.round(12 * duration) + 1);
    assert.ok(Math.abs((samples.length - 1) / duration - framesPerSecond) < 1e-6);
    assert.ok(Math.abs(samples.at(-1).time - duration) < 1e-6);
    assert.ok(samples.some(({ stats }) => stats.skinnedErrorPercent > 0.1));
    assert.ok(samples.every(({ stats }) => stats.correctedErrorPercent < 0.1));
    assert.ok(farthest(before, await vertices(page)) < 1e-7);
    const stopped = await page.evaluate(() =>
      document.querySelector('pliant-viewer').sampleVolume({ signal: AbortSignal.abort() }).catch(({ code }) => code),
    );
    assert.equal(stopped, 'cancelled');
  }));

test('a painted map of zero keeps vertices in place; a map of the wrong length is refused; another character has none', () =>
  onBent({ volume: 'local' }, async (page) => {
    const kept = await vertices(page);
    await set(page, { volume: 'off' });
    const plain = await vertices(page);
    await set(page, { volume: 'local' });
    await page.evaluate((length) => {
      document.querySelector('pliant-viewer').volumeMap = new Float32Array(length);
    }, plain.length / 3);
    assert.ok(farthest(plain, await vertices(page)) < 1e-6, 'nothing may give');
    const code = await page.evaluate(() => {
      try {
        document.querySelector('pliant-viewer').volumeMap = new Float32Array(5);
        return null;
      } catch (error) {
        return error.code;
      }
    });
    assert.equal(code, 'argument');
    await set(page, { volumeMap: null });
    assert.ok(farthest(kept, await vertices(page)) < 1e-6);
    await page.evaluate((length) => {
      document.querySelector('pliant-viewer').volumeMap = new Float32Array(length).fill(2);
    }, plain.length / 3);
    await page.evaluate(() => document.querySelector('pliant-viewer').load({ kind: 'url', url: 'samples/arm-500.glb' }));
    assert.equal(await get(page, 'volumeMap'), null);
  }));

test('excluded bones change the correction map', () =>
  onBent({ volume: 'organic' }, async (page) => {
    const all = await vertices(page);
    await set(page, { volumeExcluded: ['shin.L', 'thigh.L'] });
    assert.deepEqual(await get(page, 'volumeExcluded'), ['shin.L', 'thigh.L']);
    assert.ok(farthest(all, await vertices(page)) > 1e-5);
  }));

test('both views have a volume correction of their own', () =>
  onBent({ volume: 'local', compare: 'atlas', 'compare-volume': 'off' }, async (page) => {
    await page.waitForFunction(() => document.querySelector('pliant-viewer').compareReport !== null);
    await drawn(page);
    const [left, right] = await page.evaluate(() => {
      const { viewer } = document.querySelector('pliant-viewer')[Symbol.for('pliant.inside')];
      return [Array.from(viewer.posedVertices(0)), Array.from(viewer.posedVertices(1))];
    });
    assert.ok(farthest(left, right) > 1e-3);
    await set(page, { volume: 'off' });
    assert.ok(farthest(right, await vertices(page)) < 1e-6, 'the second view had no correction');
    const names = await page.locator('pliant-viewer .view-name').allTextContents();
    assert.equal(names[0], names[1]);
  }));

test('contacts prevent self-intersections, which are shown in red', () =>
  onBarePage(shared, async (page) => {
    await loadSample(page, 'hand', { vertices: 4000, attributes: { bones: 'hidden', show: 'folds', volume: 'local' } });
    await pose(page, { index_2: [120, 0, 0] });
    const folds = async () => {
      await page.waitForFunction(() => /vertices in self-intersections|No self-intersections/.test(document.querySelector('pliant-viewer').shadowRoot.querySelector('.legend').textContent));
      await page.waitForTimeout(300);
      const text = await page.locator('pliant-viewer .legend').first().textContent();
      return text === 'No self-intersections' ? 0 : Number.parseInt(text, 10);
    };
    const before = await folds();
    assert.ok(before > 0, 'a finger bent by 120° cuts through itself');
    const red = colours(await drawingOf(page));
    await set(page, { foldGuard: true });
    await page.waitForFunction((before) => !document.querySelector('pliant-viewer').shadowRoot.querySelector('.legend').textContent.startsWith(`${before} `), before);
    const after = await folds();
    assert.ok(after < before / 4, `${before} vertices, then ${after}`);
    assert.ok(colours(await drawingOf(page)) < red, 'less red');
  }));

/**
 * Whether the picture comes to differ: a correction takes a few frames, which may take long on a
 * busy machine.
 */
async function differs(page, from, least) {
  for (let i = 0; i < 40; i++) {
    if ((await pictureOf(page)).difference(from) > least) return true;
    await page.waitForTimeout(100);
  }
  return false;
}

const choose = (page, value) => page.locator('.panel-volume select').first().selectOption(value);
const readout = (page, row, column) => page.locator(`.readout-row:nth-child(${row + 1}) > :nth-child(${column + 1})`).textContent();
const percent = (text) => Math.abs(Number(text.replace('−', '-').replace(/[^\d.-]/g, '')));

studioTest('the panel preserves volume and shows its error, and every change can be undone', {}, async (page) => {
  await pose(page);
  await drawn(page);
  const plain = await pictureOf(page);
  assert.equal(await page.locator('.readout').isVisible(), false);
  await choose(page, 'local');
  await page.waitForFunction(() => document.querySelector('pliant-viewer').volumeStats !== null);
  assert.ok(await differs(page, plain, 1e-4), 'vertices moved');
  await page.evaluate(() => {
    document.querySelector('pliant-viewer').selectedJoint = 'forearm.L';
  });
  await page.waitForFunction(() => document.querySelector('.readout-corrected').textContent.includes('%'));
  // The whole, and the raw error of the segment, with what it exchanges with its neighbours.
  for (const [row, most] of [[1, 0.05], [2, 1]]) {
    const [skinned, kept] = [percent(await readout(page, row, 1)), percent(await readout(page, row, 2))];
    assert.ok(kept < 0.2 * skinned && kept < most, `row ${row}: ${skinned} %, then ${kept} %`);
  }
  // The plot comes by itself. Without a selected joint it is that of the whole.
  await page.evaluate(() => {
    document.querySelector('pliant-viewer').selectedJoint = null;
  });
  await page.waitForFunction(() => document.querySelector('.plot-after')?.getAttribute('d')?.length > 100);
  await page.waitForFunction(() => !document.querySelector('.volume-plot').classList.contains('outdated'));
  const plotted = await page.getAttribute('.volume-plot svg', 'aria-label');
  const [, skinned, kept] = plotted.match(/at most ([\d.]+) percent skinned, ([\d.]+) percent corrected/).map(Number);
  assert.ok(kept < 0.5 * skinned && kept < 0.1, plotted);
  const before = await pictureOf(page);
  await page.fill('[aria-label="At joints (α), number"]', '4');
  await page.keyboard.press('Enter');
  assert.ok(await differs(page, before, 1e-4), 'α changes the picture');
  await page.selectOption('#panel-volume .field:has(label:text-is("Mode")) select', 'paper');
  await page.click('text=Prevent self-intersection');
  assert.deepEqual(await page.evaluate(() => {
    const { volume, volumeAlpha, volumeMode, foldGuard } = document.querySelector('pliant-viewer');
    return [volume, volumeAlpha, volumeMode, foldGuard];
  }), ['local', 4, 'paper', true]);
  for (const label of ['prevent self-intersection', 'mode', 'at joints', 'preserve volume']) await page.click(`[aria-label="Undo ${label}"]`);
  assert.deepEqual(await page.evaluate(() => {
    const { volume, volumeAlpha, volumeMode, foldGuard } = document.querySelector('pliant-viewer');
    return [volume, volumeAlpha, volumeMode, foldGuard];
  }), ['off', 1, 'exact', false]);
  assert.deepEqual(await axe(page), []);
});

studioTest('volume is in a link and is restored from it', { hash: '#volume=organic&volume.beta=2.5&fold_guard=on&volume.excluded=shin.L' }, async (page) => {
  const state = () => page.evaluate(() => {
    const { volume, volumeBeta, foldGuard, volumeExcluded } = document.querySelector('pliant-viewer');
    return [volume, volumeBeta, foldGuard, volumeExcluded];
  });
  assert.deepEqual(await state(), ['organic', 2.5, true, ['shin.L']]);
  await page.click('[aria-label="Measure from shin.L again"]');
  assert.deepEqual((await state())[3], []);
  await page.evaluate(() => {
    document.querySelector('pliant-viewer').selectedJoint = 'spine';
  });
  await page.click('text=Measure from spine');
  assert.deepEqual((await state())[3], ['spine']);
  await page.click('text=Copy link');
  const address = await page.evaluate(() => location.hash);
  assert.equal(address, '#volume=organic&volume.beta=2.5&volume.excluded=spine&fold_guard=on');
});

/** Drags over the skin, by mouse. */
async function stroke(page, by = 40) {
  const box = await page.locator('pliant-viewer').boundingBox();
  const [x, y] = [box.x + box.width / 2, box.y + box.height * 0.42];
  await page.mouse.move(x, y);
  await page.mouse.down();
  for (let i = 1; i <= 8; i++) await page.mouse.move(x + i, y - (i * by) / 8);
  await page.mouse.up();
}

const mapOf = (page) => page.evaluate(() => {
  const map = document.querySelector('pliant-viewer').volumeMap;
  return map && Array.from(map);
});

/** Not by `deepEqual`, which would print thousands of numbers. */
const sameMap = (a, b) => JSON.stringify(a) === JSON.stringify(b);

studioTest('a stroke of the brush changes the map on both sides, and is one step to undo', { hash: '#volume=organic' }, async (page) => {
  await page.click('#panel-volume >> text=Paint correction');
  assert.equal(await get(page, 'show'), 'gamma');
  await drawn(page);
  const before = await pictureOf(page);
  await stroke(page);
  const painted = await mapOf(page);
  const rest = await page.evaluate(() => {
    const viewer = document.querySelector('pliant-viewer');
    viewer.setPose({});
    viewer.volume = 'off';
    const at = Array.from(viewer[Symbol.for('pliant.inside')].viewer.posedVertices(0));
    viewer.volume = 'organic';
    return at;
  });
  const more = painted.flatMap((factor, vertex) => (factor > 1.01 ? [rest[3 * vertex]] : []));
  assert.ok(more.length > 10, `${more.length} vertices were painted`);
  assert.ok(more.some((x) => x > 0.02) && more.some((x) => x < -0.02), 'on both sides');
  assert.ok(await differs(page, before, 1e-4), 'paint is seen');
  await page.click('.tool-bar >> text=Erase');
  await stroke(page);
  const erased = await mapOf(page);
  assert.ok(Math.min(...erased) < 1, 'erasing goes below one');
  await page.click('.tool-bar >> text=Smooth');
  await stroke(page);
  await page.click('[aria-label="Undo stroke"]');
  assert.ok(sameMap(await mapOf(page), erased));
  await page.click('[aria-label="Undo stroke"]');
  assert.ok(sameMap(await mapOf(page), painted));
  await page.click('[aria-label="Undo stroke"]');
  assert.equal(await mapOf(page), null);
  await page.click('[aria-label="Redo stroke"]');
  assert.ok(sameMap(await mapOf(page), painted));
  await page.click('[aria-label="Clear paint"]');
  assert.equal(await mapOf(page), null);
  assert.deepEqual(await axe(page), []);
  await page.keyboard.press('Escape');
  assert.equal(await get(page, 'volumeBrush'), null);
  assert.equal(await get(page, 'show'), 'shaded');
});

studioTest('Escape ends painting and keeps the selection, and a press on the picture draws no focus ring', { hash: '#volume=organic' }, async (page) => {
  await page.evaluate(() => {
    document.querySelector('pliant-viewer').selectedJoint = 'forearm.L';
  });
  const ring = () => page.evaluate(() => getComputedStyle(document.querySelector('pliant-viewer').shadowRoot.activeElement).outlineStyle);
  await page.click('#panel-volume >> text=Paint correction');
  await stroke(page);
  await page.keyboard.press('Escape');
  assert.deepEqual([await get(page, 'volumeBrush'), await get(page, 'selectedJoint')], [null, 'forearm.L']);
  assert.equal(await ring(), 'none');
  await page.keyboard.press('Escape');
  assert.equal(await get(page, 'selectedJoint'), null);
  // Who comes by the keyboard needs to see where they are.
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.press('Tab');
  assert.equal(await ring(), 'solid');
});

studioTest('a finger paints, two fingers do not', { hash: '#volume=organic', phone: true }, async (page) => {
  await page.click('#tab-volume');
  await page.click('#panel-volume >> text=Paint correction');
  const box = await page.locator('pliant-viewer').boundingBox();
  const [x, y] = [box.x + box.width / 2, box.y + box.height * 0.42];
  const client = await page.context().newCDPSession(page);
  const touch = (type, ...points) => client.send('Input.dispatchTouchEvent', { type, touchPoints: points.map(([x, y], id) => ({ x, y, id })) });
  await touch('touchStart', [x, y]);
  await touch('touchMove', [x, y - 20]);
  await touch('touchEnd');
  const painted = await mapOf(page);
  assert.ok(painted?.some((factor) => factor > 1.01), 'a finger paints');
  await touch('touchStart', [x, y]);
  await touch('touchStart', [x, y], [x + 40, y]);
  await touch('touchMove', [x - 10, y], [x + 60, y]);
  await touch('touchEnd');
  assert.ok(sameMap(await mapOf(page), painted), 'two fingers zoom');
});

studioTest('views of the correction are offered only while there is one', {}, async (page) => {
  const offered = () => page.locator('.viewbar .segment:visible').allTextContents();
  assert.deepEqual(await offered(), ['Shaded', 'Weights', 'Regions', 'Overlaps']);
  await choose(page, 'local');
  assert.deepEqual((await offered()).slice(4), ['Correction', 'Intersections']);
  await pose(page);
  await drawn(page);
  const shaded = await pictureOf(page);
  await page.click('.viewbar .segment >> text=Correction');
  await drawn(page);
  const give = await pictureOf(page);
  assert.ok(give.difference(shaded) > 0.02);
  assert.match(await page.locator('pliant-viewer .legend').first().textContent(), /[Cc]orrection/);
  await choose(page, 'uniform');
  assert.ok(await differs(page, give, 0.01), 'another map, other colours');
});

studioTest('the second view shows the same weights without volume correction', { hash: '#volume=local' }, async (page) => {
  await page.click('[aria-label="Compare with skinning alone"]');
  await page.waitForFunction(() => document.querySelector('pliant-viewer').compareReport !== null);
  assert.equal(await get(page, 'compareVolume'), 'off');
  const names = await page.locator('pliant-viewer .view-name').allTextContents();
  assert.match(names[0], /Preserve volume Per segment/);
  assert.match(names[1], /Preserve volume Off/);
  await page.click('[aria-label="Undo split view"]');
  assert.equal(await get(page, 'compare'), null);
});

for (const [member, clip] of [
  ['mannequin', 'walk'],
  ['elephant', 'trunk'],
]) {
  test(`${member}: a baked export is valid, and three.js shows the corrected vertices at its keys`, async (context) => {
    await onBarePage(shared, async (page) => {
      await loadSample(page, member, { vertices: 2000, attributes: { volume: 'local', 'fold-guard': '', 'animation-name': clip } });
      const keys = 9;
      const { glb, plain, diagonal, duration } = await page.evaluate(async (keys) => {
        const viewer = document.querySelector('pliant-viewer');
        viewer.volumeMap = new Float32Array(viewer.model.vertices).map((_, i) => 1 + (i % 3));
        const text = async (blob) => {
          const bytes = new Uint8Array(await blob.arrayBuffer());
          return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
        };
        const glb = await text(await viewer.exportGLB({ bake: { keys } }));
        const plain = await text(await viewer.exportGLB());
        return { glb, plain, diagonal: Math.hypot(...viewer.model.size), duration: viewer.duration };
      }, keys);
      const bytes = (text) => new Uint8Array(Buffer.from(text, 'base64'));
      const { issues } = await validator.validateBytes(bytes(glb), { maxIssues: 20 });
      assert.equal(issues.numErrors, 0, JSON.stringify(issues.messages, null, 1));
      let [worst, moved] = [0, 0];
      for (const key of [1, 3, 4, 7]) {
        const time = (duration * key) / (keys - 1);
        const ours = await page.evaluate((time) => {
          const viewer = document.querySelector('pliant-viewer');
          viewer.currentTime = time;
          return Array.from(viewer[Symbol.for('pliant.inside')].viewer.posedVertices(0));
        }, time);
        worst = Math.max(worst, farthest(ours, await posedByThree(bytes(glb), clip, time)) / diagonal);
        moved = Math.max(moved, farthest(ours, await posedByThree(bytes(plain), clip, time)) / diagonal);
      }
      context.diagnostic(`off by ${(100 * worst).toFixed(4)} % of the size with the baked correction, ${(100 * moved).toFixed(2)} % without`);
      assert.ok(worst < 0.005, `${worst} of the diagonal`);
      assert.ok(moved > 4 * worst, `without it ${moved}`);
    });
  });
}

/** Loads a character with a correction, and replaces `WebAssembly.instantiate` in its worker. */
async function withInstantiate(page, replace) {
  await loadSample(page, 'mannequin', { vertices: 2000, attributes: { volume: 'local', 'animation-name': 'walk' } });
  const [worker] = page.workers();
  await worker.evaluate(replace);
  return worker;
}

/** Exports, and returns the hash of the file. */
const hashOfExport = (page, options) =>
  page.evaluate(async (options) => {
    const blob = await document.querySelector('pliant-viewer').exportGLB(options);
    const hash = await crypto.subtle.digest('SHA-256', await blob.arrayBuffer());
    return Array.from(new Uint8Array(hash)).join();
  }, options);

test('the worker starts the viewer module for an export that bakes, and only once', () =>
  onBarePage(shared, async (page) => {
    const worker = await withInstantiate(page, () => {
      const { instantiate } = WebAssembly;
      self.instances = 0;
      WebAssembly.instantiate = (...module) => {
        self.instances += 1;
        return instantiate(...module);
      };
    });
    const instances = () => worker.evaluate(() => self.instances);
    const plain = await hashOfExport(page, {});
    assert.equal(await instances(), 0);
    const baked = await hashOfExport(page, { bake: { keys: 3 } });
    assert.notEqual(baked, plain);
    assert.equal(await hashOfExport(page, { bake: { keys: 3 } }), baked);
    assert.equal(await hashOfExport(page, {}), plain);
    assert.equal(await instances(), 1);
  }));

test('an export that bakes can be cancelled, and the next one bakes', () =>
  onBarePage(shared, async (page) => {
    // This worker never gets to bake.
    await withInstantiate(page, () => {
      WebAssembly.instantiate = () => new Promise(() => undefined);
    });
    const code = await page.evaluate(async () => {
      const viewer = document.querySelector('pliant-viewer');
      const code = viewer.exportGLB({ bake: { keys: 3 } }).then(
        () => 'done',
        ({ code }) => code,
      );
      await new Promise((wait) => setTimeout(wait, 300));
      viewer.cancel();
      return code;
    });
    assert.equal(code, 'cancelled');
    const baked = await hashOfExport(page, { bake: { keys: 3 } });
    assert.notEqual(baked, await hashOfExport(page, {}));
  }));

studioTest('the export bakes the correction on request', { hash: '#volume=local' }, async (page) => {
  const plain = await exportedSize(page);
  await page.click('text=Bake the clip into the export');
  assert.ok((await exportedSize(page)) > 1.5 * plain, 'morph targets are in it');
  await choose(page, 'off');
  assert.equal(await page.locator('text=Bake the clip into the export').isVisible(), false);
});

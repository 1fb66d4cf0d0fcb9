/**
 * Weights fitted to example poses: on the element and on the page, stopped halfway, refused with
 * the place, exported.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { card } from './gallery/card.mjs';
import { drawingOf } from './pictures.mjs';
import { axe, drop, openStudio, rigged, studioTests } from './studio.mjs';
import { drawn, loadSample, onBarePage, require, setUp } from './support.mjs';
import { tube, tubeObj } from './tube.mjs';

const validator = require('gltf-validator');

const shared = setUp(new Map([['/tube.glb', tube()]]));

const studioTest = studioTests(shared);

/** A test with the tube on a bare page. */
const onTube = (work) =>
  onBarePage(shared, async (page) => {
    await page.evaluate(async () => {
      const viewer = document.createElement('pliant-viewer');
      document.body.append(viewer);
      await viewer.load({ kind: 'url', url: 'tube.glb' });
      globalThis.told = { learning: [], changes: [], errors: [], needed: 0 };
      viewer.addEventListener('fit-progress', ({ detail }) => told.learning.push(detail));
      viewer.addEventListener('examples-change', ({ detail }) => told.changes.push(detail.examples.length));
      viewer.addEventListener('examples-needed', () => told.needed++);
      viewer.addEventListener('error', ({ detail }) => told.errors.push(detail));
    });
    await work(page);
  });

/** Adds files ({ name, bytes }) and waits until weights were fitted to them, if they can be. */
const add = (page, files) =>
  page.evaluate(
    async (files) => {
      const viewer = document.querySelector('pliant-viewer');
      const made = files.map(({ name, bytes }) => new File([Uint8Array.from(bytes)], name));
      const added = await viewer.addExamples({ kind: 'files', files: made }).catch((error) => error.message);
      while (viewer.busy) await new Promise((done) => setTimeout(done, 20));
      return typeof added === 'string' ? added : added.map(({ name, positions }) => [name, positions.length]);
    },
    files.map(({ name, bytes }) => ({ name, bytes: [...bytes] })),
  );

const pose = (bend) => ({ name: `bent${bend}.obj`, bytes: tubeObj({ bend }) });
const told = (page) => page.evaluate(() => globalThis.told);
const get = (page, name) => page.evaluate((name) => document.querySelector('pliant-viewer')[name], name);
const set = (page, values) => page.evaluate((values) => Object.assign(document.querySelector('pliant-viewer'), values), values);
const learned = async (page) => (await get(page, 'report')).exampleFit;

/** The bytes of an export, which must be valid. */
async function exported(page) {
  const bytes = await page.evaluate(async () => {
    const blob = await document.querySelector('pliant-viewer').exportGLB();
    return [...new Uint8Array(await blob.arrayBuffer())];
  });
  const { issues } = await validator.validateBytes(Uint8Array.from(bytes), { maxIssues: 20 });
  assert.equal(issues.numErrors, 0, JSON.stringify(issues.messages, null, 1));
  return bytes;
}

test('without examples the weights stay, and the element asks for examples', () =>
  onTube(async (page) => {
    const before = await get(page, 'report');
    await set(page, { method: 'examples' });
    await page.waitForFunction(() => told.needed > 0);
    assert.equal(await get(page, 'busy'), false);
    assert.deepEqual(await get(page, 'report'), before);
    assert.deepEqual((await told(page)).errors, []);
  }));

test('weights are fitted to two poses, E never grows, and the poses are reproduced far better than before', () =>
  onTube(async (page) => {
    await set(page, { method: 'examples' });
    assert.deepEqual(await add(page, [pose(60), pose(-40)]), [['bent60', 1275], ['bent-40', 1275]]);
    const { learning, changes, errors } = await told(page);
    assert.deepEqual([changes, errors], [[2], []]);
    const { energy, iterations, isOver, rms, rmsByExample } = await learned(page);
    assert.equal(learning.length, iterations);
    assert.deepEqual(learning.map(({ iteration }) => iteration), learning.map((_, i) => i + 1));
    assert.deepEqual(learning.map((each) => each.energy), energy.slice(1));
    assert.ok(energy.every(({ total }, i) => i === 0 || total <= energy[i - 1].total), 'E grew');
    assert.ok(isOver && rmsByExample.length === 2);
    assert.ok(rms[1] < 0.2 * rms[0], `${rms}`);
    assert.ok(Math.abs(learning.at(-1).rms - rms[1]) < 1e-9, 'the last progress event has the final error');
    await exported(page);
  }));

test('the second view fits weights to the examples too, and shows intermediate ones', () =>
  onBarePage(shared, async (page) => {
    await loadSample(page, 'arm', { vertices: 12_000 });
    const result = await page.evaluate(async () => {
      const viewer = document.querySelector('pliant-viewer');
      await viewer.addExamples({ kind: 'clip', name: viewer.animationName, frames: 4 });
      const inside = viewer[Symbol.for('pliant.inside')].viewer;
      const shown = [0, 0];
      const { showRig } = Object.getPrototypeOf(inside);
      inside.showRig = (view, rig) => {
        shown[view]++;
        showRig.call(inside, view, rig);
      };
      const complete = new Promise((done) => viewer.addEventListener('compare-complete', done, { once: true }));
      const examples = { ...viewer.recipe.examples, iterations: 40 };
      viewer.compareRecipe = { ...viewer.recipe, method: 'examples', examples };
      await complete;
      return { first: viewer.report.method, second: viewer.compareReport, shown };
    });
    const { method, exampleFit } = result.second;
    assert.deepEqual([result.first, method], ['atlas', 'examples']);
    assert.ok(exampleFit.rms[1] < exampleFit.rms[0], JSON.stringify(exampleFit.rms));
    assert.equal(result.shown[0], 0, 'the first view is unchanged');
    assert.ok(result.shown[1] > 1, `weights were shown ${result.shown[1]} times`);
  }));

test('examples that were removed or not chosen are not fitted to', () =>
  onTube(async (page) => {
    await set(page, { method: 'examples' });
    await add(page, [pose(60), pose(-40), pose(20)]);
    assert.equal((await learned(page)).rmsByExample.length, 3);
    const change = (work) =>
      page.evaluate(async (work) => {
        const viewer = document.querySelector('pliant-viewer');
        const done = new Promise((done) => viewer.addEventListener('rig-complete', done, { once: true }));
        viewer[work[0]](...work[1]);
        await done;
        return [viewer.examples.map(({ name }) => name), viewer.report.exampleFit.rmsByExample.length];
      }, work);
    assert.deepEqual(await change(['chooseExample', [1, false]]), [['bent60', 'bent-40', 'bent20'], 2]);
    assert.deepEqual(await change(['removeExample', [0]]), [['bent-40', 'bent20'], 1]);
  }));

test('a pose that does not fit the mesh is refused with its file, and the others are added', () =>
  onTube(async (page) => {
    const stray = { name: 'stray.obj', bytes: Buffer.from('v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n') };
    const cases = [
      [stray, /^stray\.obj: .*3 vertices, but the character has 425/],
      [{ name: 'turned.obj', bytes: tubeObj({ isReordered: true }) }, /^turned\.obj: .*triangle 6 joins vertices/],
      [{ name: 'short.obj', bytes: tubeObj({ isShort: true }) }, /^short\.obj: .*766 triangles, but the character has 768/],
    ];
    for (const [i, [file, words]] of cases.entries()) {
      assert.match(await add(page, [pose(10 + i), file]), words);
      assert.equal((await get(page, 'examples')).length, i + 1);
    }
    assert.match(await add(page, [{ name: 'garbage.obj', bytes: Buffer.from('no') }]), /format/);
    const { errors } = await told(page);
    assert.ok(errors.length === 4 && errors[1].code === 'examples' && errors[0].hint !== '', JSON.stringify(errors));
    const refused = await page.evaluate(() => {
      try {
        document.querySelector('pliant-viewer').examples = [{ name: 'odd', positions: new Float32Array(9) }];
      } catch (error) {
        return error.message;
      }
    });
    assert.equal(refused, 'odd has 3 vertices, but the character has 425');
  }));

test('unusual sets of examples are fitted to: the rest pose, a translated pose, a hundred poses', () =>
  onTube(async (page) => {
    const recipe = await get(page, 'recipe');
    await set(page, { recipe: { ...recipe, method: 'examples', examples: { ...recipe.examples, iterations: 3 } } });
    await add(page, [{ name: 'rest.obj', bytes: tubeObj() }]);
    assert.ok((await learned(page)).rms[1] < 1e-5, 'the rest pose is reproduced');
    const with100 = await page.evaluate(async () => {
      const viewer = document.querySelector('pliant-viewer');
      const learn = async (poses) => {
        const done = new Promise((done) => viewer.addEventListener('rig-complete', done, { once: true }));
        viewer.examples = poses.map((positions, i) => ({ name: `${i}`, positions }));
        await done;
        return viewer.report.exampleFit;
      };
      const rest = viewer.examples[0].positions;
      const moved = await learn([rest.map((value, i) => value + (i % 3 === 0 ? 20 : -3))]);
      const sheared = (k) => rest.map((value, i) => (i % 3 === 0 ? value + 0.004 * k * rest[i + 1] ** 2 : value));
      const many = await learn(Array.from({ length: 100 }, (_, k) => sheared(k)));
      return [moved.rms[1], many.rmsByExample.length, many.rms[1] <= many.rms[0]];
    });
    assert.ok(with100[0] < 1e-5, `moved as a whole: ${with100[0]}`);
    assert.deepEqual(with100.slice(1), [100, true]);
  }));

test('frames of a clip are posed by the weights of the file, and morph targets of a GLB are poses', () =>
  onTube(async (page) => {
    const frames = await page.evaluate(async () => {
      const viewer = document.querySelector('pliant-viewer');
      const [rest, bent] = await viewer.addExamples({ kind: 'clip', frames: 3 });
      const apart = (pose) => pose.positions.reduce((most, value, i) => Math.max(most, Math.abs(value - rest.positions[i])), 0);
      return [viewer.examples.map(({ name }) => name), apart(bent)];
    });
    assert.deepEqual(frames[0], ['nod 1', 'nod 2', 'nod 3']);
    assert.ok(frames[1] > 0.5, `${frames[1]}`);
    const none = await page.evaluate(() =>
      document.querySelector('pliant-viewer').addExamples({ kind: 'morph-targets' }).catch((error) => error.message),
    );
    assert.match(none, /no morph targets/);
    const baked = await page.evaluate(async () => {
      const viewer = document.querySelector('pliant-viewer');
      await viewer.load({ kind: 'url', url: 'samples/arm-800.glb' });
      Object.assign(viewer, { volume: 'local' });
      const file = new File([await viewer.exportGLB({ bake: { keys: 4 } })], 'arm.glb');
      await viewer.load({ kind: 'files', files: [file] });
      const added = await viewer.addExamples({ kind: 'morph-targets' });
      return [viewer.model.morphTargets, added.length, viewer.examples.length];
    });
    assert.ok(baked[0] > 0 && baked[1] === baked[0] && baked[2] === baked[1], `${baked}`);
  }));

test('a request right after a cancellation is not lost', () =>
  onTube(async (page) => {
    await set(page, { method: 'examples' });
    const names = await page.evaluate(async (bytes) => {
      const viewer = document.querySelector('pliant-viewer');
      const made = bytes.map((bytes, i) => new File([Uint8Array.from(bytes)], `${i}.obj`));
      const done = new Promise((done) => viewer.addEventListener('rig-complete', done, { once: true }));
      await viewer.addExamples({ kind: 'files', files: made });
      viewer.cancel();
      viewer.removeExample(0);
      await done;
      return [viewer.examples.map(({ name }) => name), viewer.report.exampleFit.rmsByExample.length];
    }, [[...tubeObj({ bend: 30 })], [...tubeObj({ bend: 50 })]]);
    assert.deepEqual(names, [['1'], 1]);
  }));

test('weights of a fit that was stopped stay on screen, in the export, and in the next worker', () =>
  onBarePage(shared, async (page) => {
    // With as many joints, it takes a hundred iterations to come to rest, and with as many vertices
    // long enough for a busy page to stop it.
    await loadSample(page, 'mannequin', { vertices: 4000 });
    const stopped = await page.evaluate(async () => {
      const viewer = document.querySelector('pliant-viewer');
      const { recipe } = viewer;
      await viewer.addExamples({ kind: 'clip', frames: 10 });
      viewer.addEventListener('fit-progress', ({ detail }) => detail.iteration === 2 && viewer.cancel());
      const done = new Promise((done) => viewer.addEventListener('rig-complete', done, { once: true }));
      viewer.recipe = { ...recipe, method: 'examples', examples: { ...recipe.examples, iterations: 1000 } };
      await done;
      while (viewer.busy) await new Promise((done) => setTimeout(done, 20));
      return [viewer.report.exampleFit, viewer.fitProgress];
    });
    const [learning, underWay] = stopped;
    assert.deepEqual([underWay, learning.isOver, learning.converged], [null, false, false]);
    assert.ok(learning.iterations >= 2 && learning.iterations < 200, `${learning.iterations} iterations`);
    assert.ok(learning.rms[1] < learning.rms[0]);
    const before = await exported(page);
    // Cancelling an export ends the worker; the next one gets the replay log.
    await page.evaluate(async () => {
      const viewer = document.querySelector('pliant-viewer');
      const failed = viewer.exportGLB().catch(({ code }) => code);
      viewer.cancel();
      if ((await failed) !== 'cancelled') throw new Error('it was not stopped');
    });
    assert.deepEqual(await exported(page), before);
  }));

studioTest('poses dropped on the panel are fitted to and shown on the skin, and all of it can be undone', {}, async (page) => {
  await drop(page, [{ name: 'tube.glb', bytes: tube() }]);
  await page.waitForFunction(() => document.querySelector('pliant-viewer').model?.vertices === 425);
  await rigged(page);
  assert.ok(!(await page.isVisible('.tray')));
  await page.selectOption('#panel-rig select', 'examples');
  await page.waitForSelector('.tray-empty');
  assert.deepEqual(await axe(page), [], 'without examples');
  // The picture must not be replaced by what is dropped beside it.
  await drop(page, [pose(70), pose(-50)], { onto: '.drop-examples' });
  await page.waitForFunction(() => document.querySelectorAll('.example').length === 2);
  await rigged(page);
  await page.waitForFunction(() => document.querySelector('pliant-viewer').report.exampleFit !== null);
  assert.match(await page.textContent('.character'), /^tube$/);
  const plotted = await page.$eval('.energy-line.energy-total', (line) => line.getAttribute('d').split('L').length);
  assert.equal(plotted, (await learned(page)).energy.length);
  await page.waitForFunction(() =>
    [...document.querySelectorAll('.example-picture')].every((canvas) => {
      const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      const covered = data.filter((value, i) => i % 4 === 3 && value > 0).length / (canvas.width * canvas.height);
      return covered > 0.02 && covered < 0.9;
    }),
  );
  assert.match(await page.textContent('.fit-status'), /RMS error .* of the diagonal, .* before/);
  // On the skin, before and after.
  await page.click('.example:nth-child(1) .example-show');
  assert.deepEqual([await get(page, 'show'), await get(page, 'fit')], ['fit', { example: 0, stage: 'after' }]);
  await drawn(page);
  await page.waitForTimeout(300);
  const after = await drawingOf(page);
  await page.click('.tray .segment:has([value=before])');
  await page.waitForFunction(() => document.querySelector('pliant-viewer').fit.stage === 'before');
  await page.waitForTimeout(300);
  const before = await drawingOf(page);
  assert.ok(before.difference(after) > 0.002, `${before.difference(after)} of the picture differs`);
  assert.deepEqual(await axe(page), [], 'with examples');
  // Removed, and restored.
  await page.click('.example:nth-child(1) .example-show');
  assert.equal(await get(page, 'show'), 'shaded');
  await page.hover('.example:nth-child(2)');
  await page.click('.example:nth-child(2) .example-remove');
  await page.waitForFunction(() => document.querySelectorAll('.example').length === 1);
  await rigged(page);
  await page.keyboard.press('Control+z');
  await page.waitForFunction(() => document.querySelectorAll('.example').length === 2);
  await rigged(page);
  await page.uncheck('.example:nth-child(2) .example-use');
  await page.waitForFunction(() => document.querySelector('.tray-count').textContent === '1 of 2');
  await rigged(page);
  // What is no pose of it is refused in words.
  await drop(page, [{ name: 'turned.obj', bytes: tubeObj({ isReordered: true }) }], { onto: '.drop-examples' });
  await page.waitForSelector('.error-card');
  assert.match(await page.textContent('.error-message'), /turned\.obj.*triangle 6/);
  assert.equal(await page.locator('.example').count(), 2);
  // Onto the stage, a file is a character as ever.
  await drop(page, [{ name: 'other.glb', bytes: tube({ name: 'other' }) }], { onto: '.drop-zone' });
  await page.waitForFunction(() => document.querySelector('.character').textContent === 'other');
  await page.waitForFunction(() => document.querySelectorAll('.example').length === 0);
});

studioTest('one click fits weights to the default clip, until it is stopped', { hash: '#arm' }, async (page) => {
  await page.selectOption('#panel-rig select', 'examples');
  await page.click('.tray-empty .from-clip');
  await page.waitForFunction(() => document.querySelector('pliant-viewer').fitProgress?.length > 3 || document.querySelector('pliant-viewer').report.exampleFit);
  await page.evaluate(() => document.querySelector('pliant-viewer').stopFitting());
  await rigged(page);
  const { rms, iterations } = await learned(page);
  assert.ok(iterations > 0 && rms[1] < rms[0], `${iterations} iterations, ${rms}`);
  await exported(page);
});

studioTest('after a stop before the first iteration, the panel offers to fit again', {}, async (page) => {
  await page.selectOption('#panel-rig select', 'examples');
  await page.evaluate(() => {
    const status = document.querySelector('.fit-status');
    globalThis.said = [];
    new MutationObserver(() => said.push(status.textContent)).observe(status, { childList: true });
  });
  // In the page itself, and as soon as it says so: on a busy machine a click from outside, or in
  // the next frame, comes after the first iteration.
  await page.evaluate(() => {
    const status = document.querySelector('.fit-status');
    globalThis.stopped = new Promise((done) => {
      const observer = new MutationObserver(() => {
        if (!/start weights, \d+ of \d+/.test(status.textContent)) return;
        observer.disconnect();
        document.querySelector('.tray .stop').click();
        done();
      });
      observer.observe(status, { childList: true });
    });
  });
  await page.click('.tray-empty .from-clip');
  await page.evaluate(() => globalThis.stopped);
  const said = await page.evaluate(() => globalThis.said);
  assert.ok(said.every((text) => text && !/Done|-1/.test(text)), said.join(', '));
  await page.waitForSelector('.tray .compute:not([hidden])');
  assert.ok(!(await page.isVisible('.tray .stop')));
  const { method, fitProgress, busy } = await page.evaluate(() => {
    const { method, fitProgress, busy } = document.querySelector('pliant-viewer');
    return { method, fitProgress, busy };
  });
  assert.deepEqual({ method, fitProgress, busy }, { method: 'examples', fitProgress: null, busy: false });
  assert.equal(await page.locator('.example').count(), 6);
});

studioTest('automatic values are labelled so, and come back when their number is removed', { hash: '#arm&method=examples' }, async (page) => {
  const sparsity = async () => (await get(page, 'recipe')).examples.sparsity;
  const field = page.locator('[aria-label="Sparsity (λ1), number"]');
  const shown = async () => [await field.inputValue(), await page.getAttribute('[aria-label="Sparsity (λ1)"]', 'aria-valuetext')];
  assert.deepEqual([...(await shown()), await field.getAttribute('placeholder')], ['', 'Auto', 'Auto']);
  await field.fill('1e-6');
  await page.keyboard.press('Tab');
  assert.deepEqual([await sparsity(), ...(await shown())], [1e-6, '1e-6', '1e-6']);
  // Emptied on the way to another number, nothing is meant yet.
  await field.fill('');
  assert.equal(await sparsity(), 1e-6);
  await page.keyboard.press('Tab');
  assert.deepEqual([await sparsity(), ...(await shown())], [0, '', 'Auto']);
});

studioTest('a fit is stopped when the user moves the character', { hash: '#arm' }, async (page) => {
  await page.selectOption('#panel-rig select', 'examples');
  await page.click('.tray-empty .from-clip');
  await page.waitForFunction(() => document.querySelector('pliant-viewer').report.exampleFit !== null);
  await rigged(page);
  for (const move of [() => page.keyboard.press('Space'), () => page.keyboard.press('h')]) {
    await page.click('.example:nth-child(2) .example-show');
    assert.deepEqual([await get(page, 'show'), await get(page, 'paused')], ['fit', true]);
    await page.locator('pliant-viewer').focus();
    await move();
    await page.waitForFunction(() => document.querySelector('pliant-viewer').show === 'shaded');
  }
});

test('a link contains frames of a clip, and a notice says so if it cannot', async () => {
  const first = await openStudio(shared, { hash: '#arm&method=heat' });
  const { page } = first;
  const copied = async () => {
    await page.click('text=Copy link');
    await page.waitForSelector('.toast:has-text("Link copied")');
    return page.evaluate(() => navigator.clipboard.readText());
  };
  await page.selectOption('#panel-rig select', 'examples');
  await page.click('.tray-empty .from-clip');
  await page.waitForFunction(() => document.querySelector('pliant-viewer').report.exampleFit !== null);
  await rigged(page);
  const { rms } = await learned(page);
  const link = await copied();
  assert.match(link, /frames=bend%2C6%2Cheat/);
  const second = await openStudio(shared, { hash: new URL(link).hash });
  await second.page.waitForFunction(() => document.querySelector('pliant-viewer').report?.exampleFit);
  await rigged(second.page);
  const again = await learned(second.page);
  assert.deepEqual(again.rms, rms);
  assert.equal(await second.page.inputValue('#panel-rig select'), 'examples');
  assert.deepEqual([...first.errors, ...second.errors], []);
  await second.close();
  // One frame less is not what the clip gives.
  await page.hover('.example:nth-child(2)');
  await page.click('.example:nth-child(2) .example-remove');
  await rigged(page);
  assert.doesNotMatch(await copied(), /frames/);
  await page.waitForSelector('.toast:has-text("the examples are not part of it")');
  await first.close();
});

test('another character is not fitted to poses of the last', () =>
  onTube(async (page) => {
    await set(page, { method: 'examples' });
    await add(page, [pose(70)]);
    const { method, learning, examples } = await page.evaluate(async () => {
      const viewer = document.querySelector('pliant-viewer');
      await viewer.load({ kind: 'url', url: 'samples/arm-600.glb' });
      return { method: viewer.method, learning: viewer.report?.exampleFit ?? null, examples: viewer.examples.length };
    });
    assert.deepEqual({ method, learning, examples }, { method: 'examples', learning: null, examples: 0 });
    assert.deepEqual((await told(page)).errors, []);
  }));

test('the first weights of a character can be fitted ones, however long that takes', () =>
  onBarePage(shared, async (page) => {
    const told = await page.evaluate(
      async ([flat, folded]) => {
        const viewer = document.createElement('pliant-viewer');
        document.body.append(viewer);
        // The card gets handles only.
        viewer.skeleton = 'none';
        await viewer.load({ kind: 'files', files: [new File([flat], 'card.obj')] });
        await viewer.addExamples({ kind: 'files', files: [new File([folded], 'folded.obj')] });
        let turns = 0;
        viewer.addEventListener('fit-progress', () => turns++);
        viewer.recipe = { ...viewer.recipe, method: 'examples', examples: { ...viewer.recipe.examples, groups: 200, iterations: 1000 } };
        viewer.addHandle({ point: [-1, 0, 0.5] }, 'left');
        viewer.addHandle({ point: [1, 0, 0.5] }, 'right');
        const { joints, exampleFit: learning } = await viewer.rig();
        return { names: joints.map(({ name }) => name), learning, turns };
      },
      [card(), card(90)],
    );
    assert.deepEqual(told.names, ['left', 'right']);
    assert.ok(told.turns > 0 && told.learning.rms[1] < 0.1 * told.learning.rms[0], JSON.stringify([told.turns, told.learning]));
  }));

studioTest('on a phone the examples are in the sheet, and nothing overflows', { hash: '#arm&method=examples', phone: true }, async (page) => {
  await page.tap('.tray-empty .from-clip');
  await page.waitForFunction(() => document.querySelectorAll('.example').length === 6);
  await rigged(page);
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
  assert.deepEqual(await axe(page), []);
  const small = await page.$$eval('.tray button', (all) =>
    all.filter((each) => each.checkVisibility() && each.getBoundingClientRect().height < 24).map((each) => each.outerHTML.slice(0, 80)),
  );
  assert.deepEqual(small, []);
});

/** What goes wrong in real pages, and how the element comes through. */
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { pictureOf } from './pictures.mjs';
import { DIST, drawn, loadSample, loseContext, onBarePage, setUp } from './support.mjs';

const shared = setUp(new Map([['/garbage.glb', Buffer.alloc(4096, 7)]]));

/** Consoles may complain: what goes wrong is what these tests are about. */
const onPage = (work, prepare) => onBarePage(shared, work, { allowErrors: true, prepare });

test('a file of unknown format is named in the error, and the previous character stays and can be exported', () =>
  onPage(async (page) => {
    await loadSample(page, 'arm');
    await drawn(page);
    const before = await pictureOf(page);
    const result = await page.evaluate(async () => {
      const viewer = document.querySelector('pliant-viewer');
      const heard = [];
      viewer.addEventListener('error', ({ detail }) => heard.push(detail));
      const name = viewer.model.name;
      const file = new File([new Uint8Array(3000).fill(7)], 'garbage.glb');
      const thrown = await viewer.load({ kind: 'files', files: [file] }).catch((error) => error);
      const again = { name: viewer.model.name, was: name, joints: viewer.model.joints.length };
      const glb = await viewer.exportGLB();
      return { heard, code: thrown.code, again, size: glb.size, busy: viewer.busy };
    });
    assert.equal(result.heard.length, 1);
    assert.equal(result.heard[0].code, 'unknown_format');
    assert.equal(result.code, 'unknown_format');
    assert.match(result.heard[0].message, /^The content/);
    assert.match(result.heard[0].hint, /GLB/);
    assert.equal(result.again.name, result.again.was);
    assert.ok(result.again.joints > 0 && result.size > 10_000);
    assert.equal(result.busy, false);
    await drawn(page);
    assert.ok(before.difference(await pictureOf(page)) < 0.001);
  }));

test('a URL without a valid file is an error with a hint, shown in place of the picture', () =>
  onPage(async (page) => {
    for (const [src, code] of [
      ['missing.glb', 'fetch'],
      ['garbage.glb', 'unknown_format'],
    ]) {
      const { detail, message } = await page.evaluate(async (src) => {
        const viewer = document.createElement('pliant-viewer');
        const failed = new Promise((done) => viewer.addEventListener('error', (event) => done(event.detail)));
        viewer.src = src;
        document.body.replaceChildren(viewer);
        const detail = await failed;
        const box = viewer.shadowRoot.querySelector('.message');
        return { detail, message: box.hidden ? null : box.textContent };
      }, src);
      assert.equal(detail.code, code);
      assert.ok(message.includes(detail.message) && message.includes(detail.hint), message);
    }
  }));

test('a long solve is cancelled, and page and solver go on', () =>
  onPage(async (page) => {
    const result = await page.evaluate(async () => {
      const viewer = document.createElement('pliant-viewer');
      // The slowest of the methods, so that there is something to cancel.
      viewer.method = 'distance';
      document.body.append(viewer);
      const loading = viewer.load({ kind: 'url', url: 'samples/mannequin-60000.glb' });
      await new Promise((done) =>
        viewer.addEventListener('progress', ({ detail }) => detail.totalProgress > 0.4 && done()),
      );
      const busy = viewer.busy;
      viewer.cancel();
      const thrown = await loading.catch((error) => error);
      const shown = viewer.model?.vertices ?? 0;
      // The character is still there: rigging it with less work goes on from where it was loaded.
      viewer.recipe = { ...viewer.recipe, distance: { ...viewer.recipe.distance, visibility: 'off' } };
      const report = await viewer.rig();
      return { busy, code: thrown.code, shown, joints: report.joints.length, after: viewer.busy };
    });
    assert.equal(result.busy, true);
    assert.equal(result.code, 'cancelled');
    assert.ok(result.shown > 50_000);
    assert.ok(result.joints > 15);
    assert.equal(result.after, false);
  }));

test('a newer load supersedes an older one, whose answer is ignored', () =>
  onPage(async (page) => {
    const result = await page.evaluate(async () => {
      const viewer = document.createElement('pliant-viewer');
      document.body.append(viewer);
      const loads = [];
      viewer.addEventListener('load', ({ detail }) => loads.push(detail.model.name));
      const first = viewer.load({ kind: 'url', url: 'samples/giraffe-20000.glb' }).catch((error) => error.code);
      await viewer.load({ kind: 'sample', member: 'arm' });
      return { first: await first, loads, name: viewer.model.name };
    });
    assert.deepEqual(result, { first: 'cancelled', loads: ['arm'], name: 'arm' });
  }));

test('the picture is drawn again after the WebGL context was lost', () =>
  onPage(async (page) => {
    await loadSample(page, 'mannequin', { vertices: 2000 });
    await page.evaluate(() => document.querySelector('pliant-viewer').setPose({ 'upper_arm.L': [0, 0, 60] }));
    await drawn(page);
    const before = await pictureOf(page);
    await loseContext(page);
    const after = await pictureOf(page);
    assert.ok(before.difference(after) < 0.001, `${before.difference(after)} differs`);
    assert.ok(after.colours > 200);
  }));

test('an element that is moved keeps its character; one that is removed frees everything and comes back', () =>
  onPage(async (page) => {
    await loadSample(page, 'arm');
    const moved = await page.evaluate(async () => {
      const viewer = document.querySelector('pliant-viewer');
      let loads = 0;
      viewer.addEventListener('load', () => loads++);
      const section = document.body.appendChild(document.createElement('section'));
      section.append(viewer);
      await new Promise((done) => setTimeout(done, 150));
      const kept = viewer[Symbol.for('pliant.inside')].viewer !== undefined && viewer.loaded;
      viewer.remove();
      await new Promise((done) => setTimeout(done, 150));
      const freed = viewer[Symbol.for('pliant.inside')].viewer === undefined && !viewer.loaded;
      const back = new Promise((done) => viewer.addEventListener('rig-complete', done, { once: true }));
      section.append(viewer);
      await back;
      return { kept, freed, loads, loaded: viewer.loaded };
    });
    assert.deepEqual(moved, { kept: true, freed: true, loads: 1, loaded: true });
    await drawn(page);
    assert.ok((await pictureOf(page)).colours > 200);
  }));

test('two elements on one page are independent', () =>
  onPage(async (page) => {
    const result = await page.evaluate(async () => {
      const viewers = ['arm', 'hand'].map((member) => {
        const viewer = document.createElement('pliant-viewer');
        viewer.id = member;
        viewer.style.cssText = 'display:inline-block;width:400px;height:300px';
        document.body.append(viewer);
        return viewer;
      });
      await Promise.all(viewers.map((viewer) => viewer.load({ kind: 'url', url: `samples/${viewer.id}-1500.glb` })));
      const [arm, hand] = viewers;
      const joint = arm.model.joints[1].name;
      arm.setPose({ [joint]: [0, 0, 45] });
      const poses = viewers.map((viewer) => Object.keys(viewer.pose).length);
      arm.remove();
      await new Promise((done) => setTimeout(done, 150));
      hand.setPose({ [hand.model.joints[1].name]: [10, 0, 0] });
      return { poses, names: [hand.model.name], after: Object.keys(hand.pose).length };
    });
    assert.deepEqual(result, { poses: [1, 0], names: ['hand-1500.glb'], after: 1 });
    await drawn(page);
    assert.ok((await pictureOf(page, '#hand')).colours > 200);
  }));

test('without WebGL2 there is a readable message and an event, and no exception', () =>
  onPage(
    async (page) => {
      const result = await page.evaluate(async () => {
        const viewer = document.createElement('pliant-viewer');
        const failed = new Promise((done) => viewer.addEventListener('error', (event) => done(event.detail)));
        document.body.append(viewer);
        const detail = await failed;
        const thrown = await viewer.load({ kind: 'sample', member: 'arm' }).catch((error) => error.code);
        const box = viewer.shadowRoot.querySelector('.message');
        return { detail, thrown, text: box.hidden ? null : box.textContent, role: box.getAttribute('role') };
      });
      assert.equal(result.detail.code, 'no_webgl2');
      assert.equal(result.thrown, 'no_webgl2');
      assert.match(result.text, /WebGL2/);
      assert.equal(result.role, 'alert');
    },
    (page) =>
      page.addInitScript(() => {
        const real = HTMLCanvasElement.prototype.getContext;
        HTMLCanvasElement.prototype.getContext = function (kind, ...rest) {
          return kind === 'webgl2' ? null : real.call(this, kind, ...rest);
        };
      }),
  ));

test('thirty characters in a row take hardly more memory than the first', () =>
  onPage(async (page) => {
    const [first, last] = await page.evaluate(async () => {
      const viewer = document.createElement('pliant-viewer');
      document.body.append(viewer);
      const memory = () => viewer[Symbol.for('pliant.inside')].memory();
      // The one that needs most comes first: what is taken after it is what the others left behind.
      const members = ['elephant', 'mannequin', 'giraffe'];
      let first;
      for (let i = 0; i < 30; i++) {
        await viewer.load({ kind: 'url', url: `samples/${members[i % 3]}-3000.glb` });
        viewer.show = i % 2 ? 'weights' : 'shaded';
        viewer.selectedJoint = viewer.model.joints[2].name;
        await new Promise((done) => requestAnimationFrame(done));
        first ??= await memory();
      }
      return [first, await memory()];
    });
    for (const [which, i] of [
      ['page', 0],
      ['worker', 1],
    ]) {
      assert.ok(last[i] <= 1.2 * first[i], `${which}: ${first[i]} bytes after the first, ${last[i]} after thirty`);
    }
  }));

test('a solver that panics reports why, is restarted, and goes on with the same character', () =>
  onPage(async (page) => {
    await loadSample(page, 'arm');
    // The next worker gets a module whose rigging traps, as a panic does.
    const [script] = (await readdir(join(DIST, 'assets'))).filter((name) => /^worker-.*\.js$/.test(name));
    const real = await readFile(join(DIST, 'assets', script), 'utf8');
    const trap = `const instantiate = WebAssembly.instantiate;
      WebAssembly.instantiate = async (...given) => {
        const { exports } = await instantiate(...given);
        const broken = { ...exports, solver_rig() { throw new WebAssembly.RuntimeError('unreachable') } };
        return Object.create(WebAssembly.Instance.prototype, { exports: { value: broken } });
      };\n`;
    shared.site.files.set(`/assets/${script}`, Buffer.from(trap + real));
    const crash = await page.evaluate(async () => {
      const viewer = document.querySelector('pliant-viewer');
      // Fetched first, so that the worker is busy with it when it is cancelled.
      const file = new File([await (await fetch('samples/giraffe-50000.glb')).blob()], 'giraffe.glb');
      const cancelled = viewer.load({ kind: 'files', files: [file] }).catch(() => undefined);
      await new Promise((done) => setTimeout(done, 100));
      viewer.cancel();
      await cancelled;
      const heard = [];
      viewer.addEventListener('error', ({ detail }) => heard.push(detail));
      const code = await viewer.rig().catch((error) => error.code);
      return { code, heard };
    });
    shared.site.files.delete(`/assets/${script}`);
    assert.equal(crash.code, 'internal');
    assert.match(crash.heard[0].hint, /bug/);
    assert.ok(crash.heard[0].message.length > 0);
    const report = await page.evaluate(() => document.querySelector('pliant-viewer').rig());
    assert.ok(report.bones > 0);
  }));

test('after a panic on the page, a message asks to reload', () =>
  onPage(async (page) => {
    await loadSample(page, 'arm');
    const { heard, said, later } = await page.evaluate(async () => {
      const viewer = document.querySelector('pliant-viewer');
      const heard = [];
      viewer.addEventListener('error', ({ detail }) => heard.push(detail));
      // More colours than there is memory for: Rust panics, in a call that nobody guards.
      const inside = viewer[Symbol.for('pliant.inside')].viewer;
      try {
        inside.constructor.legend(0xffff_ffff);
      } catch {}
      await new Promise((done) => setTimeout(done));
      const said = viewer.shadowRoot.querySelector('.message').textContent;
      const later = await viewer.load({ kind: 'sample', member: 'hand' }).catch((error) => error.code);
      return { heard: heard.slice(0, 1), said, later };
    });
    assert.equal(heard[0].code, 'broken');
    assert.match(heard[0].hint, /^Reload the page/);
    assert.ok(said.includes(heard[0].message) && said.includes('Reload the page'), said);
    assert.equal(later, 'broken');
  }));

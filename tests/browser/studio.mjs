/** The studio in tests: open it, drop files on it, read its state. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { require } from './support.mjs';

const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

/** Long enough for software rendering on a busy machine. */
const PATIENCE_MS = 60_000;

/**
 * Opens the page without waiting until it is ready. `errors` collects errors of the page and its
 * console; `init` is a script that runs first.
 */
export async function opened({ browser, site }, { hash = '', phone = false, init, ...options } = {}) {
  const shape = phone
    ? { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, hasTouch: true, isMobile: true }
    : { viewport: { width: 1280, height: 800 } };
  const context = await browser.newContext({ ...shape, permissions: ['clipboard-read', 'clipboard-write'], ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  const errors = [];
  page.on('pageerror', (error) => errors.push(String(error)));
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
  if (init) await page.addInitScript(init);
  await page.goto(`${site.url}index.html${hash}`);
  return { page, errors, close: () => context.close() };
}

/** Opens the page and waits until the character has weights. */
export async function openStudio(shared, options) {
  const studio = await opened(shared, options);
  await rigged(studio.page);
  return studio;
}

/** Declares tests that each have a studio of their own, which must end without errors. */
export function studioTests(shared) {
  return (name, options, run) =>
    test(name, async (context) => {
      const studio = await openStudio(shared, options);
      try {
        await run(studio.page, context);
        assert.deepEqual(studio.errors, []);
      } finally {
        await studio.close();
      }
    });
}

/** Waits until the character moves. Returns the performance marks in milliseconds. */
export async function moments(page) {
  await page.waitForFunction(() => performance.getEntriesByName('pliant:moving').length > 0);
  return page.evaluate(() => {
    const marks = performance.getEntriesByType('mark').filter(({ name }) => name.startsWith('pliant:'));
    return Object.fromEntries(marks.map(({ name, startTime }) => [name.slice('pliant:'.length), startTime]));
  });
}

/** Waits until the element has weights and is not busy. */
export function rigged(page) {
  return page.waitForFunction(() => {
    const viewer = document.querySelector('pliant-viewer');
    return viewer.report !== null && !viewer.busy;
  });
}

/** The state of the element. */
export function state(page) {
  return page.evaluate(() => {
    const viewer = document.querySelector('pliant-viewer');
    const { pose, recipe, deformer, show, selectedJoint, paused, currentTime, busy, animations, animationName } = viewer;
    const model = viewer.model && { name: viewer.model.name, joints: viewer.model.joints.map(({ name }) => name) };
    return { pose, recipe, deformer, show, selectedJoint, paused, currentTime, busy, animations, animationName, model };
  });
}

/** Drops files ({ name, bytes }) on the middle of the window, or on what `onto` selects. */
export function drop(page, files, { onto, stay = false } = {}) {
  const plain = files.map(({ name, bytes }) => ({ name, bytes: [...bytes] }));
  return page.evaluate(
    ({ plain, onto, stay }) => {
      const dataTransfer = new DataTransfer();
      for (const { name, bytes } of plain) dataTransfer.items.add(new File([Uint8Array.from(bytes)], name));
      const fire = (type) => {
        const target = (onto && document.querySelector(onto)) || document.body;
        target.dispatchEvent(new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer }));
      };
      fire('dragenter');
      fire('dragover');
      if (!stay) fire('drop');
    },
    { plain, onto, stay },
  );
}

/** Serious and critical findings of axe, one line each. */
export async function axe(page) {
  await page.evaluate(AXE);
  return page.evaluate(async () => {
    // Contrast is not measured during colour transitions.
    const fading = document.getAnimations().filter((animation) => animation instanceof CSSTransition);
    await Promise.allSettled(fading.map((animation) => animation.finished));
    const { violations } = await globalThis.axe.run(document, { resultTypes: ['violations'] });
    const grave = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
    return grave.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`);
  });
}

/** The position of a joint in the window. */
export async function jointAt(page, joint) {
  return page.evaluate((joint) => {
    const viewer = document.querySelector('pliant-viewer');
    const [x, y] = viewer[Symbol.for('pliant.inside')].viewer.jointOnCanvas(joint);
    const { left, top } = viewer.getBoundingClientRect();
    return { x: left + x, y: top + y };
  }, joint);
}

/** The size of the file that the button exports. */
export async function exportedSize(page) {
  const download = page.waitForEvent('download');
  await page.click('text=Export GLB');
  const stream = await (await download).createReadStream();
  let bytes = 0;
  for await (const chunk of stream) bytes += chunk.length;
  return bytes;
}

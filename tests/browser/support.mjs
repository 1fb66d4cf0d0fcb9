/** What the browser tests share: a static server, a Chromium, and a page with nothing but the element on it. */
import assert from 'node:assert/strict';
import { createReadStream, existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { extname, join, normalize } from 'node:path';
import { after, before } from 'node:test';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));
export const DIST = join(ROOT, 'www/dist');

/** The page's packages are the tests' packages. */
export const require = createRequire(join(ROOT, 'www/package.json'));
const { chromium } = require('playwright-core');

const TYPES = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.wasm': 'application/wasm',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.glb': 'model/gltf-binary',
};

/** A page that has the element and nothing else. */
const BARE = `<!doctype html><html lang="en"><meta charset="utf-8"><title>bare</title>
<link rel="icon" href="data:,">
<style>:root{color-scheme:light} body{margin:0} pliant-viewer:not(.plain){width:640px;height:480px}</style>
<script type="module" src="./pliant-viewer.js"></script><body></body></html>`;

/** Serves www/dist under a folder, as any static host would; `files` are served beside it. */
export async function serve(files = new Map()) {
  const server = createServer(async (request, response) => {
    const path = decodeURIComponent(new URL(request.url, 'http://localhost').pathname);
    const inside = normalize(path).replace(/^\/site\//, '/');
    const given = files.get(inside) ?? (inside === '/bare.html' ? Buffer.from(BARE) : undefined);
    const type = TYPES[extname(inside)] ?? 'application/octet-stream';
    if (given) {
      response.writeHead(200, { 'Content-Type': type, 'Content-Length': given.length });
      response.end(given);
      return;
    }
    const file = join(DIST, inside.endsWith('/') ? `${inside}index.html` : inside);
    const size = await stat(file).then((found) => (found.isFile() ? found.size : -1)).catch(() => -1);
    if (size < 0 || !file.startsWith(DIST)) {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, { 'Content-Type': type, 'Content-Length': size });
    createReadStream(file).pipe(response);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address();
  return { url: `http://127.0.0.1:${port}/site/`, files, close: () => server.close() };
}

export const CHROMIUM_ARGS = [
  '--no-sandbox',
  '--use-angle=swiftshader',
  '--enable-unsafe-swiftshader',
  '--disable-gpu-sandbox',
  // Debian's Chromium lets the graphics card paint the page itself. Ours is software, and takes seconds to begin.
  '--disable-gpu-rasterization',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
];

export function launch(args = []) {
  const candidates = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
  const executablePath = candidates.find((path) => path && existsSync(path));
  return chromium.launch({ executablePath, headless: true, args: [...CHROMIUM_ARGS, ...args] });
}

/**
 * A server and a browser for all tests of a file, started before the first and ended after the last; to be read in
 * tests, not before. `files` are served beside the site.
 */
export function setUp(files) {
  const shared = {};
  before(async () => {
    shared.site = await serve(files);
    shared.browser = await launch();
  });
  after(async () => {
    await shared.browser?.close();
    shared.site?.close();
  });
  return shared;
}

/** Does something on a page of its own with the element defined; its console must stay free of errors. */
export async function onBarePage({ browser, site }, work, { allowErrors = false, prepare, ...options } = {}) {
  const { page, errors } = await barePage(browser, site, options, prepare);
  try {
    await work(page, errors);
    if (!allowErrors) assert.deepEqual(errors, []);
  } finally {
    await page.close();
  }
}

/** A page with the element defined; page errors fail the test that asks for them by `errors`. */
export async function barePage(browser, site, options = {}, prepare = async () => {}) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, ...options });
  const errors = [];
  page.on('pageerror', (error) => errors.push(String(error)));
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
  await prepare(page);
  await page.goto(`${site.url}bare.html`);
  await page.waitForFunction(() => customElements.get('pliant-viewer') !== undefined);
  return { page, errors };
}

/** Puts an element on the page and loads a character of the cast; answers how long that took. */
export function loadSample(page, member, { vertices, attributes = {} } = {}) {
  return page.evaluate(
    async ([member, vertices, attributes]) => {
      const viewer = document.createElement('pliant-viewer');
      for (const [name, value] of Object.entries(attributes)) viewer.setAttribute(name, value);
      document.body.append(viewer);
      const start = performance.now();
      await viewer.load({ kind: 'sample', member, vertices });
      return performance.now() - start;
    },
    [member, vertices, attributes],
  );
}

/** Waits until the picture has been drawn. */
export function drawn(page) {
  return page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done()))));
}

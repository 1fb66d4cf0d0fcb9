/**
 * Shared by all browser tests: a static server, a Chromium, and a page that has only the element.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createReadStream, existsSync } from 'node:fs';
import { mkdir, rename, stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { extname, join, normalize } from 'node:path';
import { after, before } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));
export const DIST = join(ROOT, 'www/dist');

/** Where generated characters are kept between runs. */
const SAMPLES = join(ROOT, 'target/browser-samples');

/** The command line; `cargo xtask` builds it and says where it is. */
export const SHELL = process.env.PLIANT_SHELL ?? join(ROOT, 'target/debug/pliant');

/** Resolves npm packages of the site. */
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

/** The source of a page that has only the element. */
const BARE = `<!doctype html><html lang="en"><meta charset="utf-8"><title>bare</title>
<link rel="icon" href="data:,">
<style>:root{color-scheme:light} body{margin:0} pliant-viewer:not(.plain){width:640px;height:480px}</style>
<script type="module" src="./pliant-viewer.js"></script><body></body></html>`;

const running = new Map();

/**
 * The file of a sample character with about `vertices` vertices. It is generated if it is missing
 * or older than the command line.
 */
export function sampleFile(member, vertices) {
  const name = `${member}-${vertices}.glb`;
  if (!running.has(name)) running.set(name, generate(name, member, vertices));
  return running.get(name);
}

async function generate(name, member, vertices) {
  const file = join(SAMPLES, name);
  const modified = (path) => stat(path).then(({ mtimeMs }) => mtimeMs);
  if ((await modified(file).catch(() => 0)) > (await modified(SHELL))) return file;
  await mkdir(SAMPLES, { recursive: true });
  // Under another name first: two test files may run at a time.
  const part = join(SAMPLES, `${process.pid}-${name}`);
  await promisify(execFile)(SHELL, ['make', member, '--vertices', String(vertices), '-o', part]);
  await rename(part, file);
  return file;
}

/**
 * Serves www/dist under a folder, as any static host would. `files` are served beside it, and
 * `samples/MEMBER-VERTICES.glb` are generated when they are requested. All answers have `headers`.
 */
export async function serve(files = new Map(), headers = {}) {
  const server = createServer(async (request, response) => {
    const path = decodeURIComponent(new URL(request.url, 'http://localhost').pathname);
    const inside = normalize(path).replace(/^\/site\//, '/');
    const given = files.get(inside) ?? (inside === '/bare.html' ? Buffer.from(BARE) : undefined);
    const type = TYPES[extname(inside)] ?? 'application/octet-stream';
    if (given) {
      response.writeHead(200, { ...headers, 'Content-Type': type, 'Content-Length': given.length });
      response.end(given);
      return;
    }
    const [, member, vertices] = /^\/samples\/([a-z-]+)-(\d+)\.glb$/.exec(inside) ?? [];
    const sample = member && (await sampleFile(member, vertices).catch((error) => console.error(String(error))));
    const file = sample || join(DIST, inside.endsWith('/') ? `${inside}index.html` : inside);
    const size = await stat(file).then((found) => (found.isFile() ? found.size : -1)).catch(() => -1);
    if (size < 0 || !(sample || file.startsWith(DIST))) {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, { ...headers, 'Content-Type': type, 'Content-Length': size });
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
  // Debian's Chromium rasterises the page on the GPU. With software rendering, that takes seconds
  // to start.
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
 * A server and a browser for all tests of a file, started before the first and closed after the
 * last. Its members are defined only inside tests. `files` are served beside the site, and all with
 * `headers`.
 */
export function setUp(files, headers) {
  const shared = {};
  before(async () => {
    shared.site = await serve(files, headers);
    shared.browser = await launch();
  });
  after(async () => {
    await shared.browser?.close();
    shared.site?.close();
  });
  return shared;
}

/**
 * Calls `work` with a page of its own that has the element. The console must stay free of errors.
 */
export async function onBarePage({ browser, site }, work, { allowErrors = false, prepare, ...options } = {}) {
  const { page, errors } = await barePage(browser, site, options, prepare);
  try {
    await work(page, errors);
    if (!allowErrors) assert.deepEqual(errors, []);
  } finally {
    await page.close();
  }
}

/** Opens a page that has the element. `errors` collects errors of the page and of its console. */
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

/**
 * What to pass to `load` of the element for a sample character; with `vertices`, for one generated
 * with as many.
 */
export function sampleSource(member, vertices) {
  return vertices ? { kind: 'url', url: `samples/${member}-${vertices}.glb` } : { kind: 'sample', member };
}

/** Adds an element to the page and loads a sample character. */
export function loadSample(page, member, { vertices, attributes = {} } = {}) {
  return page.evaluate(
    async ([source, attributes]) => {
      const viewer = document.createElement('pliant-viewer');
      for (const [name, value] of Object.entries(attributes)) viewer.setAttribute(name, value);
      document.body.append(viewer);
      await viewer.load(source);
    },
    [sampleSource(member, vertices), attributes],
  );
}

/** Waits until the picture has been drawn. */
export function drawn(page) {
  return page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done()))));
}

/** Takes the WebGL context away and gives it back, as a driver does that was reset. */
export async function loseContext(page) {
  await page.evaluate(async () => {
    const canvas = document.querySelector('pliant-viewer').shadowRoot.querySelector('canvas');
    const extension = canvas.getContext('webgl2').getExtension('WEBGL_lose_context');
    const heard = (type) => new Promise((done) => canvas.addEventListener(type, done, { once: true }));
    const lost = heard('webglcontextlost');
    extension.loseContext();
    await lost;
    await new Promise((done) => setTimeout(done, 100));
    const restored = heard('webglcontextrestored');
    extension.restoreContext();
    await restored;
  });
  await drawn(page);
}

/**
 * `cargo xtask corpus [FOLDER]`: opens every model below a folder natively and in Chromium, and
 * prints a row for each. What both read must be the same; the last lines count what is not.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, extname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { count, median, print, s } from '../../benches/browser/table.mjs';
import { barePage, launch, ROOT, SHELL, serve } from './support.mjs';

const FOLDER = process.argv[2] ?? join(ROOT, '../shared/models');
const MODELS = new Set(['.glb', '.gltf', '.vrm', '.fbx', '.obj', '.ply', '.stl']);

if (!existsSync(FOLDER)) {
  console.log(`skipped: ${FOLDER} is not there`);
  process.exit();
}

const scratch = await mkdtemp(join(tmpdir(), 'pliant-corpus-'));
const site = await serve();
const browser = await launch();
let { page } = await barePage(browser, site);
const rows = [];
const differences = [];
for (const path of modelsBelow(FOLDER)) {
  const name = relative(FOLDER, path);
  const native = await readNatively(path);
  const web = await readInChromium(path).catch(async (error) => {
    // The page itself failed. The next model gets a new one.
    await page.close().catch(() => {});
    ({ page } = await barePage(browser, site));
    return { error: `page: ${error.message}`, seconds: 0 };
  });
  const differs = difference(native, web);
  if (differs) differences.push(`${name}: ${differs}`);
  rows.push(rowOf(name, native, web, differs));
}
await browser.close();
site.close();
await rm(scratch, { recursive: true });

print(`Models below ${basename(FOLDER)}, natively and in Chromium`, ['', 'vertices', 'joints', 'clips', 'images', 'weights', 'export', 'in Chromium', 'notes'], rows);
const shown = rows.filter(([, , , , , , , time]) => time !== '');
const times = shown.map((row) => Number.parseFloat(row[7]));
console.log(`\n${rows.length} models, ${shown.length} opened, in ${s(median(times))} (median), ${s(Math.max(...times))} (most)`);
console.log(`${differences.length} differ between native and Chromium`);
for (const line of differences) console.log(`  ${line}`);
process.exitCode = differences.length ? 1 : 0;

function modelsBelow(folder) {
  return readdirSync(folder)
    .sort()
    .flatMap((name) => {
      const path = join(folder, name);
      if (statSync(path).isDirectory()) return modelsBelow(path);
      return MODELS.has(extname(name).toLowerCase()) ? [path] : [];
    });
}

/** What the command line reads, and the checksum of the export with the weights of the file. */
async function readNatively(path) {
  const run = (...words) => promisify(execFile)(SHELL, words, { maxBuffer: 1 << 28 });
  try {
    const info = JSON.parse((await run('info', '--json', path)).stdout);
    // A skeleton alone is described too, but is not opened as a model.
    if (info.vertices === 0) return { error: 'no mesh' };
    if (info.storedInfluences === null) return { info };
    const out = join(scratch, 'out.glb');
    await run('rig', path, '-o', out);
    return { info, sum: checksum(await readFile(out)) };
  } catch (error) {
    return { error: (error.stderr ?? String(error)).trim().split('\n')[0] };
  }
}

async function readInChromium(path) {
  const files = [path, ...besides(path)].map((file) => {
    const url = `corpus/${encodeURIComponent(relative(dirname(path), file))}`;
    site.files.set(`/${decodeURIComponent(url)}`, readFileSync(file));
    return { name: relative(dirname(path), file), url };
  });
  const answer = await page.evaluate(async (files) => {
    document.querySelector('pliant-viewer')?.remove();
    const viewer = document.body.appendChild(document.createElement('pliant-viewer'));
    const given = await Promise.all(
      files.map(async ({ name, url }) => new File([await (await fetch(url)).blob()], name)),
    );
    const start = performance.now();
    const error = await viewer.load({ kind: 'files', files: given }).then(() => null, ({ message }) => message);
    const seconds = (performance.now() - start) / 1000;
    if (error) return { error, seconds };
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    const info = viewer.model;
    if (info.storedInfluences === null) return { info, seconds };
    const bytes = await (await viewer.exportGLB()).arrayBuffer();
    const sum = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
    return { info, seconds, sum: Array.from(sum, (byte) => byte.toString(16).padStart(2, '0')).join('') };
  }, files);
  site.files.clear();
  return answer;
}

/** The files that a glTF document refers to, or the images beside an FBX file. */
function besides(path) {
  const folder = dirname(path);
  if (extname(path) === '.fbx') {
    return readdirSync(folder).filter((name) => /\.(png|jpe?g|tga)$/i.test(name)).map((name) => join(folder, name));
  }
  if (extname(path) !== '.gltf') return [];
  try {
    const { buffers = [], images = [] } = JSON.parse(readFileSync(path, 'utf8'));
    const uris = [...buffers, ...images].map(({ uri }) => uri).filter((uri) => uri && !uri.startsWith('data:'));
    return uris.map((uri) => join(folder, decodeURIComponent(uri))).filter((file) => existsSync(file));
  } catch {
    return [];
  }
}

function checksum(bytes) {
  return createHash('sha256').update(bytes).digest('hex');
}

/** What is not the same, or null. */
function difference(native, web) {
  if (!native.info || !web.info) {
    if (!native.info && !web.info) return null;
    return `natively ${native.error ?? 'read'}, in Chromium ${web.error ?? 'read'}`;
  }
  const facts = ({ vertices, solveVertices, triangles, materials, textures, storedInfluences, morphTargets, vrm, joints, clips }) => ({
    vertices,
    solveVertices,
    triangles,
    materials,
    textures,
    storedInfluences,
    morphTargets,
    vrm: vrm ?? null,
    joints: joints.map(({ name, parent, deforms }) => `${name} ${parent ?? ''} ${deforms}`).join(),
    clips: clips.map(({ name }) => name).join(),
  });
  const [a, b] = [facts(native.info), facts(web.info)];
  const other = Object.keys(a).filter((key) => a[key] !== b[key]);
  if (other.length) return other.map((key) => `${key} ${a[key]} and ${b[key]}`).join('; ');
  return null;
}

function rowOf(name, native, web, differs) {
  const { info } = web;
  if (!info) return [name, '', '', '', '', '', '', '', web.error ?? ''];
  const same = native.sum === web.sum ? 'same bytes' : 'other bytes';
  const notes = [differs && 'differs', info.warnings.length && `${info.warnings.length} warnings`].filter(Boolean);
  const weights = info.storedInfluences === null ? '' : info.storedInfluences;
  const { vertices, joints, clips, textures } = info;
  return [name, count(vertices), joints.length, clips.length, textures, weights, weights === '' ? '' : same, s(web.seconds), notes.join(', ')];
}

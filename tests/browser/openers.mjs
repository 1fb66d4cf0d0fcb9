/** Opens models with the command line and in Chromium, to compare what both read. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, extname, join, relative, sep } from 'node:path';
import { promisify } from 'node:util';
import { barePage, launch, SHELL, serve } from './support.mjs';

/** All files below a folder with one of these extensions, in alphabetical order. */
export function modelsBelow(folder, extensions) {
  return readdirSync(folder)
    .sort()
    .flatMap((name) => {
      const path = join(folder, name);
      if (statSync(path).isDirectory()) return modelsBelow(path, extensions);
      return extensions.has(extname(name).toLowerCase()) ? [path] : [];
    });
}

/** Results by the source of their models, which is the first folder of a name. */
export function bySource(results) {
  const groups = new Map();
  for (const result of results) {
    const source = result.name.includes(sep) ? result.name.split(sep)[0] : '.';
    groups.set(source, [...(groups.get(source) ?? []), result]);
  }
  return [...groups];
}

/** A scratch folder, a site and a page, until they are closed. */
export class Openers {
  static async start() {
    const openers = new Openers();
    openers.scratch = await mkdtemp(join(tmpdir(), 'pliant-models-'));
    openers.site = await serve();
    openers.browser = await launch();
    ({ page: openers.page } = await barePage(openers.browser, openers.site));
    return openers;
  }

  async close() {
    await this.browser.close();
    this.site.close();
    await rm(this.scratch, { recursive: true });
  }

  /** Runs the command line; the text that it prints. */
  async run(...words) {
    return (await promisify(execFile)(SHELL, words, { maxBuffer: 1 << 28 })).stdout;
  }

  /**
   * What the command line reads, and the export with the weights of the file and its checksum; or
   * the first line of the error.
   */
  async natively(path) {
    try {
      const info = JSON.parse(await this.run('info', '--json', path));
      // A skeleton alone is described too, but is not opened as a model.
      if (info.vertices === 0) return { error: 'no mesh' };
      if (info.storedInfluences === null) return { info };
      const out = join(this.scratch, 'out.glb');
      await this.run('rig', path, '-o', out);
      const exported = await readFile(out);
      return { info, exported, sum: createHash('sha256').update(exported).digest('hex') };
    } catch (error) {
      return { error: (error.stderr ?? String(error)).trim().split('\n')[0] };
    }
  }

  /** The same in Chromium without the export itself, and the seconds until the model is shown. */
  async inChromium(path) {
    const files = [path, ...besides(path)].map((file) => {
      const url = `corpus/${encodeURIComponent(relative(dirname(path), file))}`;
      this.site.files.set(`/${decodeURIComponent(url)}`, readFileSync(file));
      return { name: relative(dirname(path), file), url };
    });
    try {
      return await this.page.evaluate(load, files);
    } catch (error) {
      // The page itself failed. The next model gets a new one.
      await this.page.close().catch(() => {});
      ({ page: this.page } = await barePage(this.browser, this.site));
      return { error: `page: ${error.message}`, seconds: 0 };
    } finally {
      this.site.files.clear();
    }
  }
}

/** Runs on the page. */
async function load(files) {
  document.querySelector('pliant-viewer')?.remove();
  const viewer = document.body.appendChild(document.createElement('pliant-viewer'));
  // The command line only reads.
  viewer.skeleton = 'none';
  const given = await Promise.all(files.map(async ({ name, url }) => new File([await (await fetch(url)).blob()], name)));
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

/** What the command line and Chromium do not read alike, or null. */
export function difference(native, web) {
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
  return other.length ? other.map((key) => `${key} ${a[key]} and ${b[key]}`).join('; ') : null;
}

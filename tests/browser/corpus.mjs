/**
 * `cargo xtask corpus [FOLDER] [--write]`: opens every model below a folder natively and in
 * Chromium, and prints a row for each. What both read must be the same; the last lines count what
 * is not. `--write` puts the summary per source into docs/formats.md.
 */
import { existsSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { count, median, print, s } from '../../benches/browser/table.mjs';
import { writeTable } from './docs_table.mjs';
import { bySource, difference, modelsBelow, Openers } from './openers.mjs';
import { ROOT } from './support.mjs';

const words = process.argv.slice(2);
const FOLDER = words.find((word) => !word.startsWith('--')) ?? join(ROOT, '../shared/models');
const MODELS = new Set(['.glb', '.gltf', '.vrm', '.fbx', '.obj', '.ply', '.stl']);

if (!existsSync(FOLDER)) {
  console.log(`skipped: ${FOLDER} is not there`);
  process.exit();
}

const openers = await Openers.start();
const results = [];
for (const path of modelsBelow(FOLDER, MODELS)) {
  const [native, web] = [await openers.natively(path), await openers.inChromium(path)];
  const [sum, info] = [native.sum, native.info];
  results.push({ name: relative(FOLDER, path), native: { sum, info }, web, differs: difference(native, web) });
}
await openers.close();

const title = `Models below ${basename(FOLDER)}, natively and in Chromium`;
print(title, ['', 'vertices', 'joints', 'clips', 'images', 'weights', 'export', 'in Chromium', 'notes'], results.map(rowOf));
const HEADS = ['source', 'files', 'opened', 'refused', 'differing', 'median', 'most', 'exports with equal bytes'];
const summary = [...bySource(results), ['all', results]].map(([source, results]) => summaryOf(source, results));
print('Per source', HEADS, summary);
const differing = results.filter(({ differs }) => differs);
console.log(`\n${differing.length} differ between native and Chromium`);
for (const { name, differs } of differing) console.log(`  ${name}: ${differs}`);
if (words.includes('--write')) writeTable('corpus', HEADS, summary);
process.exitCode = differing.length ? 1 : 0;

function rowOf({ name, native, web, differs }) {
  const { info } = web;
  if (!info) return [name, '', '', '', '', '', '', '', web.error ?? ''];
  const same = native.sum === web.sum ? 'same bytes' : 'other bytes';
  const notes = [differs && 'differs', info.warnings.length && `${info.warnings.length} warnings`].filter(Boolean);
  const weights = info.storedInfluences === null ? '' : info.storedInfluences;
  const { vertices, joints, clips, textures } = info;
  return [name, count(vertices), joints.length, clips.length, textures, weights, weights === '' ? '' : same, s(web.seconds), notes.join(', ')];
}

function summaryOf(source, results) {
  const opened = results.filter(({ web }) => web.info);
  const times = opened.map(({ web }) => web.seconds);
  const exports = opened.filter(({ web }) => web.sum);
  const equal = exports.filter(({ native, web }) => native.sum === web.sum);
  const differing = results.filter(({ differs }) => differs);
  return [
    source,
    results.length,
    opened.length,
    results.length - opened.length,
    differing.length,
    times.length ? s(median(times)) : '',
    times.length ? s(Math.max(...times)) : '',
    `${equal.length} of ${exports.length}`,
  ];
}

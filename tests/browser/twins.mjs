/**
 * `cargo xtask twins [FOLDER] [--write]`: compresses the sample characters and every skinned GLB
 * and VRM below a folder with glTF-Transform, reads originals and twins natively and in Chromium,
 * and prints the largest differences. `--write` puts the summary into docs/formats.md.
 */
import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { print } from '../../benches/browser/table.mjs';
import { CODECS } from './compressed_twin.mjs';
import { writeTable } from './docs_table.mjs';
import { bySource, modelsBelow, Openers } from './openers.mjs';
import { ROOT } from './support.mjs';
import { checkTwin, readModel, riggedSample } from './twin_check.mjs';
import { Differences } from './twin_difference.mjs';

const words = process.argv.slice(2);
const FOLDER = words.find((word) => !word.startsWith('--')) ?? join(ROOT, '../shared/models');

const SAMPLES = ['cylinder', 'cylinder-off-centre', 'arm', 'hand', 'mannequin', 'elephant', 'giraffe'];

/** Of each sample character. */
const VERTICES = 3000;

const openers = await Openers.start();
const models = [];
for (const member of SAMPLES) models.push({ name: join('samples', member), path: await riggedSample(openers, member, VERTICES) });
if (existsSync(FOLDER)) {
  for (const path of modelsBelow(FOLDER, new Set(['.glb', '.vrm']))) models.push({ name: relative(FOLDER, path), path });
} else console.log(`${FOLDER} is not there; only the sample characters are compared`);

const results = [];
const skipped = [];
for (const { name, path } of models) {
  const read = await readModel(openers, path).catch((error) => ({ error }));
  if (read.error) {
    skipped.push(`${name}: ${read.error.message}`);
    continue;
  }
  for (const codec of Object.keys(CODECS)) {
    const differences = await checkTwin(openers, path, read, codec).catch(failed);
    results.push({ name, codec, differences });
    for (const failure of differences.failures) console.log(`${name}, ${codec}: ${failure}`);
  }
}
await openers.close();

const KINDS = ['position', 'uv', 'weight', 'clip', 'pose'];
const HEADS = ['source', 'codec', 'twins', 'failed', 'positions', 'texture coordinates', 'weights', 'keys of clips', 'poses'];
const shown = (value, ratio) => (value === 0 ? '0' : `${value.toExponential(1)} (${ratio.toFixed(2)})`);
print('Largest differences, and as multiples of what is allowed', ['', 'codec', ...HEADS.slice(4), 'notes'], results.map(rowOf));
const summary = [...bySource(results), ['all', results]].flatMap(([source, results]) => Object.keys(CODECS).map((codec) => summaryOf(source, codec, results)));
print('Per source', HEADS, summary);
console.log(`\n${skipped.length} files are not compared`);
for (const line of skipped) console.log(`  ${line}`);
const failures = results.filter(({ differences }) => differences.failures.length);
console.log(`${failures.length} of ${results.length} twins differ from their originals`);
for (const { name, codec, differences } of failures) console.log(`  ${name}, ${codec}: ${differences.failures[0]}`);
if (words.includes('--write')) writeTable('twins', HEADS, summary);
process.exitCode = failures.length ? 1 : 0;

function failed(error) {
  const differences = new Differences();
  differences.failures.push(error.message);
  return differences;
}

function rowOf({ name, codec, differences: { worst, ratio, failures } }) {
  return [name, codec, ...KINDS.map((kind) => shown(worst[kind], ratio[kind])), failures.length ? 'differs' : ''];
}

function summaryOf(source, codec, results) {
  const twins = results.filter((result) => result.codec === codec).map(({ differences }) => differences);
  const most = (of) => twins.reduce((most, twin) => Math.max(most, of(twin)), 0);
  const failed = twins.filter(({ failures }) => failures.length).length;
  return [source, codec, twins.length, failed, ...KINDS.map((kind) => shown(most(({ worst }) => worst[kind]), most(({ ratio }) => ratio[kind])))];
}

/** Makes a compressed twin of a model, and reads both. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { compressedTwin } from './compressed_twin.mjs';
import { difference } from './openers.mjs';
import { sampleFile } from './support.mjs';
import { compare, modelOf, numberVertices } from './twin_difference.mjs';

/** Poses per file: the middle of as many clips. */
const POSES = 2;

/** A sample character with weights. */
export async function riggedSample(openers, member, vertices) {
  const path = join(openers.scratch, `${member}.glb`);
  await openers.run('rig', await sampleFile(member, vertices), '-o', path);
  return path;
}

/**
 * What the command line reads from a model with a skin, in the rest pose and in others; `poses` are
 * options of `pliant pose`.
 */
export async function readModel(openers, path, poses) {
  const native = await openers.natively(path);
  if (native.error) throw new Error(native.error);
  if (!native.exported) throw new Error('it has no skin');
  const obj = async (...options) => {
    const out = join(openers.scratch, 'out.obj');
    await openers.run('pose', path, ...options, '-o', out);
    return readFile(out, 'utf8');
  };
  const clips = poses ?? native.info.clips.slice(0, POSES).map(({ name, duration }) => ['--clip', name, '--time', String(duration / 2)]);
  const rest = await obj();
  const posed = [];
  for (const options of clips) posed.push(await obj(...options));
  return { native, clips, model: await modelOf({ exported: native.exported, rest, posed }) };
}

/** The differences of a twin from its `original`, natively, and whether Chromium reads the same. */
export async function checkTwin(openers, path, original, codec) {
  const file = join(openers.scratch, 'twin.glb');
  await writeFile(file, await compressedTwin(await readFile(path), codec, numberVertices));
  const { native, model } = await readModel(openers, file, original.clips);
  const differences = compare(original.model, model, codec);
  const joints = ({ native }) => native.info.joints.map(({ name, parent }) => `${name} ${parent ?? ''}`).join();
  if (joints(original) !== joints({ native })) differences.failures.push('other joints');
  const web = await openers.inChromium(file);
  const differs = difference(native, web);
  if (differs) differences.failures.push(`in Chromium ${differs}`);
  else if (native.sum !== web.sum) differences.failures.push('Chromium exports other bytes');
  return differences;
}

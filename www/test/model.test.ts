import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileName } from '../src/page/export.ts';
import { baseName } from '../src/page/files.ts';
import { extensionOf } from '../src/page/formats.ts';
import { bytes, duration, jointRows, sentence } from '../src/page/model.ts';
import type { JointInfo, ModelInfo } from '../src/wasm.ts';

const joint = (name: string, parent: string | null, because: string | null = null): JointInfo => ({
  name,
  parent,
  because,
  deforms: because === null,
  inSkin: true,
  isHandle: false,
  humanBone: null,
  isSecondary: false,
  head: [0, 0, 0],
});

const model = (...joints: JointInfo[]): ModelInfo => ({ joints }) as unknown as ModelInfo;

test('joints are listed depth first', () => {
  const rows = jointRows(
    model(joint('hand', 'arm'), joint('hip', null), joint('arm', 'hip'), joint('leg', 'hip')),
    null,
  );
  assert.deepEqual(
    rows.map(({ name, depth, hasChildren }) => [name, depth, hasChildren]),
    [
      ['hip', 0, true],
      ['arm', 1, true],
      ['hand', 2, false],
      ['leg', 1, false],
    ],
  );
});

test('a joint with an unknown parent is a root', () => {
  assert.equal(jointRows(model(joint('a', 'gone')), null)[0]?.depth, 0);
  assert.deepEqual(jointRows(null, null), []);
});

test('the reason is worded for one joint', () => {
  const rows = jointRows(model(joint('a', null, 'named as ends of chains')), null);
  assert.equal(rows[0]?.because, 'named as the end of a chain');
});

test('sentences start with a capital, names of files stay as they are', () => {
  assert.equal(sentence('the mesh is open'), 'The mesh is open');
  assert.equal(sentence('fox.glb: no mesh'), 'fox.glb: no mesh');
  assert.equal(sentence('left_arm has no tail'), 'left_arm has no tail');
});

test('exports are named after the model', () => {
  assert.equal(fileName('Mannequin'), 'mannequin-rigged.glb');
  assert.equal(fileName('Cylinder, off centre'), 'cylinder-off-centre-rigged.glb');
  assert.equal(fileName('Füchsin 2'), 'füchsin-2-rigged.glb');
  assert.equal(fileName('fox-rigged'), 'fox-rigged.glb');
  assert.equal(fileName(' ../ '), 'character-rigged.glb');
  assert.equal(fileName('Alicia', '.vrm'), 'alicia-rigged.vrm');
});

test('names of files have a base and an extension', () => {
  assert.equal(baseName('models/fox.v2.glb'), 'fox.v2');
  assert.equal(baseName('.hidden'), '.hidden');
  assert.equal(extensionOf('FOX.GLB'), '.glb');
});

test('numbers are short', () => {
  assert.deepEqual([0.0021, 0.21, 12.34].map(duration), ['2 ms', '0.21 s', '12.3 s']);
  assert.deepEqual([12, 412_345, 2_500_000].map(bytes), ['12 B', '412 kB', '2.5 MB']);
});

/** Edits of a fitted skeleton. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { edited, withHeads } from '../src/solver/skeleton_edits.ts';
import type { FittedBone, FittedSkeleton } from '../src/wasm.ts';

type Vector = [number, number, number];

const bone = (label: string, parent: number, head: Vector, tail: Vector): FittedBone =>
  ({
    label,
    name: label,
    parent,
    head,
    tail,
    rotation: [0, 0, 0, 1],
    human: label,
    confidence: 0.5,
  }) as FittedBone;

/** Y of a rest frame. */
const along = ({ rotation: [x, y, z, w] }: FittedBone): number[] =>
  [2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)].map(
    (value) => Math.round(value * 1e6) / 1e6 + 0,
  );

/** A column of three bones. */
const column = (): FittedSkeleton =>
  ({
    plan: 'humanoid',
    bones: [
      bone('hips', -1, [0, 0, 0], [0, 1, 0]),
      bone('spine', 0, [0, 1, 0], [0, 2, 0]),
      bone('head', 1, [0, 2, 0], [0, 3, 0]),
    ],
  }) as FittedSkeleton;

test('a chain hangs on its parent, in equal steps, and is no standard bone', () => {
  const chain = { label: 'tail', parent: 'hips', base: [0, 0, -1], tip: [0, 0, -3], count: 2 } as const;
  const { bones } = edited(column(), { chains: [chain] });
  assert.deepEqual(
    bones.slice(3).map(({ label, parent, head, tail, human }) => ({ label, parent, head, tail, human })),
    [
      { label: 'tail.1', parent: 0, head: [0, 0, -1], tail: [0, 0, -2], human: undefined },
      { label: 'tail.2', parent: 3, head: [0, 0, -2], tail: [0, 0, -3], human: undefined },
    ],
  );
});

test('frames of edited bones run along them', () => {
  const chain = { label: 'tail', parent: 'hips', base: [0, 0, -1], tip: [0, 0, -3], count: 2 } as const;
  const down = { label: 'hair', parent: 'head', base: [0, 3, 0], tip: [0, 2, 0], count: 1 } as const;
  const { bones } = edited(column(), { chains: [chain, down], tails: { head: [3, 2, 0] } });
  const frames = bones.map((bone) => along(bone));
  assert.deepEqual(frames[0], [0, 1, 0]);
  assert.deepEqual(frames[2], [1, 0, 0]);
  assert.deepEqual(frames[3], [0, 0, -1]);
  assert.deepEqual(frames[5], [0, -1, 0]);
  const moved = withHeads(column(), { spine: [0, 0, 1] });
  assert.deepEqual(moved.bones.slice(0, 1).map(along), [[0, 0, 1]]);
});

test('a bone is divided into equal parts, and its children hang on the last', () => {
  const { bones } = edited(column(), { splits: { hips: 3, 'nothing.L': 2, head: 1 } });
  assert.deepEqual(
    bones.map(({ label, parent, head, human }) => [label, parent, Math.round(head[1] * 3), human]),
    [
      ['hips', -1, 0, 'hips'],
      ['hips_2', 0, 1, undefined],
      ['hips_3', 1, 2, undefined],
      ['spine', 2, 3, 'spine'],
      ['head', 3, 6, 'head'],
    ],
  );
  assert.deepEqual(bones[2]?.tail, [0, 1, 0]);
  const arm = { ...column(), bones: [bone('forearm.L', -1, [0, 0, 0], [0, 1, 0])] };
  assert.equal(edited(arm, { splits: { 'forearm.L': 2 } }).bones[1]?.label, 'forearm_2.L');
});

test('the children of a removed joint hang on its parent, which reaches as far as it did', () => {
  const { bones } = edited(column(), { removed: ['spine', 'nothing'] });
  assert.deepEqual(
    bones.map(({ label, parent, tail }) => [label, parent, tail]),
    [
      ['hips', -1, [0, 2, 0]],
      ['head', 0, [0, 3, 0]],
    ],
  );
  assert.equal(edited(column(), { removed: ['hips'] }).bones.length, 3, 'the root stays');
});

test('names are unique, and ends of bones can be moved', () => {
  const { bones } = edited(column(), { names: { head: 'hips' }, tails: { head: [1, 3, 0] } });
  assert.deepEqual(
    bones.map(({ name }) => name),
    ['hips', 'spine', 'hips 2'],
  );
  assert.deepEqual(bones[2]?.tail, [1, 3, 0]);
});

test('the bone that ends at a moved joint follows it', () => {
  const { bones } = withHeads(column(), { spine: [0.5, 1, 0] });
  assert.deepEqual(bones[0]?.tail, [0.5, 1, 0]);
  assert.deepEqual([bones[1]?.head, bones[1]?.confidence], [[0.5, 1, 0], 1]);
  assert.deepEqual(bones[2], column().bones[2]);
  assert.throws(() => withHeads(column(), { knie: [0, 0, 0] }), { code: 'unknown_marker' });
});

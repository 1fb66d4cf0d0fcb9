/** Edits of a fitted skeleton. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { edited, withHeads } from '../src/solver/skeleton_edits.ts';
import type { FittedBone, FittedSkeleton } from '../src/wasm.ts';

type Vector = [number, number, number];

const bone = (label: string, parent: number, head: Vector, tail: Vector): FittedBone =>
  ({ label, name: label, parent, head, tail, human: label, confidence: 0.5 }) as FittedBone;

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

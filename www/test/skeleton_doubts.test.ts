/** What the page asks a user to check about a fitted skeleton. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SkeletonFit } from '../src/element/api.ts';
import { doubtsOf } from '../src/page/skeleton_doubts.ts';

const fit = (change: Partial<SkeletonFit>): SkeletonFit =>
  ({
    planConfidence: 1,
    orientationConfidence: 1,
    uncertainBelow: 0.5,
    warnings: [],
    uncertain: [],
    outside: [],
    bones: Array.from({ length: 20 }),
    ...change,
  }) as unknown as SkeletonFit;

test('a sure skeleton has nothing to check, and neither has none', () => {
  assert.deepEqual(doubtsOf(null, {}), []);
  assert.deepEqual(doubtsOf(fit({}), {}), []);
});

test('a pair of uncertain joints is asked for once, and a marker settles it', () => {
  const unsure = fit({ uncertain: ['forearm.L', 'forearm.R', 'head'], outside: ['hand.R'] });
  assert.deepEqual(
    doubtsOf(unsure, {}).map(({ text, reason, joint }) => [text, reason, joint]),
    [
      ['Right wrist', 'Outside', 'hand.R'],
      ['Left elbow', 'Uncertain', 'forearm.L'],
      ['Head', 'Uncertain', 'head'],
    ],
  );
  const marked = { 'forearm.L': [0, 0, 0], 'forearm.R': [0, 0, 0], 'hand.R': [0, 0, 0] } as const;
  assert.deepEqual(
    doubtsOf(unsure, marked).map(({ joint }) => joint),
    ['head'],
  );
});

test('a mesh without a body plan is called so, once', () => {
  const generic = fit({ plan: 'generic', planConfidence: 0.4, orientationConfidence: 0.3 });
  const texts = doubtsOf(generic, {}).map(({ text }) => text);
  assert.equal(texts.length, 1);
  assert.match(texts[0] ?? '', /no body plan was recognised/i);
});

test('a skeleton with many uncertain joints is called likely wrong, before warnings', () => {
  const uncertain = ['hips', 'neck', 'head', 'hand.L', 'hand.R', 'shin.L'];
  const warnings = [{ code: 'mitten', message: 'The hands are mittens.' }];
  const texts = doubtsOf(fit({ uncertain, warnings, orientationConfidence: 0.2 }), {}).map(
    ({ text }) => text,
  );
  assert.match(texts[0] ?? '', /likely wrong/);
  assert.match(texts[1] ?? '', /front and up are uncertain/i);
  assert.equal(texts[2], 'The hands are mittens');
});

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { withoutEvaluation } from '../src/transcoder/glue.ts';

const path = createRequire(import.meta.url).resolve('three/examples/jsm/libs/basis/basis_transcoder.js');
const original = readFileSync(path, 'utf8');

test('nothing in the transcoder makes functions from text', () => {
  assert.match(original, /newFunc\(Function,/);
  assert.doesNotMatch(withoutEvaluation(original), /newFunc|\("return this"\)|\beval\(/);
});

test('a transcoder that is not as expected is refused', () => {
  assert.throws(() => withoutEvaluation(''), /has changed/);
  assert.throws(() => withoutEvaluation(original + original), /matches 2 times/);
  assert.throws(() => withoutEvaluation(original.replace('let[args,', 'let[names,')), /matches 0 times/);
  assert.throws(
    () => withoutEvaluation(`${original};new Function("1")`),
    /still makes functions from text: Function\(/,
  );
  assert.throws(() => withoutEvaluation(`${original};eval("1")`), /still makes functions from text: eval\(/);
});

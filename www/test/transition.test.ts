import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { transitionOf, transitionText } from '../src/transition.ts';

// Rust parses the same texts on the command line; src/pipeline/schema reads the same cases.
const CASES: [string, unknown][] = JSON.parse(
  await readFile(new URL('../../tests/transitions.json', import.meta.url), 'utf8'),
);

test('transitions are parsed as on the command line', () => {
  for (const [text, expected] of CASES) assert.deepEqual(transitionOf(text), expected, `'${text}'`);
});

test('names and curves are written and read back', () => {
  for (const text of ['cubic', 'quintic', 'linear', '0.3,0.1 0.7,0.9', '0.5,0.5']) {
    const transition = transitionOf(text);
    assert.ok(transition !== null, text);
    assert.equal(transitionText(transition), text);
  }
});

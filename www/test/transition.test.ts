import assert from 'node:assert/strict';
import { test } from 'node:test';
import { transitionOf, transitionText } from '../src/transition.ts';

test('names and curves are written and read back', () => {
  for (const text of ['cubic', 'quintic', 'linear', '0.3,0.1 0.7,0.9', '0.5,0.5']) {
    const transition = transitionOf(text);
    assert.ok(transition !== null, text);
    assert.equal(transitionText(transition), text);
  }
});

test('what is no curve is none', () => {
  const nonsense = [
    '',
    'magic',
    '0.3',
    '0.3,',
    '0.3,0.1,0.2',
    '0.7,0.1 0.3,0.9',
    '0.3,0.9 0.7,0.1',
    '0,0.5',
    '0.5,2',
    'toString',
  ];
  for (const text of nonsense) assert.equal(transitionOf(text), null, text);
});

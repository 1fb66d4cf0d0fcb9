/** The requests that make up a character for a new worker. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Ask } from '../src/solver/protocol.ts';
import { type Character, remember } from '../src/solver/replay_log.ts';

const kinds = (character: Character): string[] => character.map(({ kind }) => kind);

test('a fitted skeleton is replayed as it was answered, and replaces the last one', () => {
  const load: Ask = { kind: 'load', files: [] };
  const template: Ask = { kind: 'template', files: [] };
  const fit: Ask = { kind: 'fit-skeleton', options: { names: 'plain' }, edits: {} };
  const answer = { fit: { plan: 'humanoid', bones: [] } };
  const character = remember(remember(remember([], load), template), fit, answer);
  assert.deepEqual(character, [load, { kind: 'fitted-skeleton', fitted: answer.fit }]);
  const moved = remember(character, { kind: 'joints', positions: { head: [0, 1, 0] } });
  assert.deepEqual(kinds(moved), ['load', 'fitted-skeleton', 'joints']);
  assert.deepEqual(kinds(remember(moved, fit, answer)), ['load', 'fitted-skeleton']);
});

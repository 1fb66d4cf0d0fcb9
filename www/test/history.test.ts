import assert from 'node:assert/strict';
import { test } from 'node:test';
import { History } from '../src/page/history.ts';

/** A number that remembers how it came to be. */
function counter() {
  const history = new History();
  const state = { value: 0 };
  const set = (to: number, kind?: string): void => {
    const from = state.value;
    state.value = to;
    const put = (value: number) => () => {
      state.value = value;
    };
    history.push({ label: `to ${to}`, ...(kind ? { kind } : {}), undo: put(from), redo: put(to) });
  };
  return { history, state, set };
}

test('what was done is undone and done again, last first', () => {
  const { history, state, set } = counter();
  set(1);
  set(2);
  assert.equal(history.undoLabel, 'to 2');
  history.undo();
  assert.equal(state.value, 1);
  assert.equal(history.redoLabel, 'to 2');
  history.undo();
  assert.equal(state.value, 0);
  assert.equal(history.undo(), false);
  history.redo();
  history.redo();
  assert.equal(state.value, 2);
  assert.equal(history.redo(), false);
});

test('a drag is one step, back to where it began', () => {
  const { history, state, set } = counter();
  set(1);
  for (let value = 2; value < 50; value += 1) set(value, 'slider');
  history.seal();
  history.undo();
  assert.equal(state.value, 1);
  history.redo();
  assert.equal(state.value, 49);
});

test('two drags of the same slider are two steps', () => {
  const { history, state, set } = counter();
  set(1, 'slider');
  set(2, 'slider');
  history.seal();
  set(3, 'slider');
  set(4, 'slider');
  history.seal();
  history.undo();
  assert.equal(state.value, 2);
  history.undo();
  assert.equal(state.value, 0);
});

test('drags of two sliders never become one step', () => {
  const { history, state, set } = counter();
  set(1, 'x');
  set(2, 'y');
  history.undo();
  assert.equal(state.value, 1);
});

test('after an undo, a drag of the same kind is a step of its own', () => {
  const { history, state, set } = counter();
  set(1, 'slider');
  set(2);
  history.undo();
  set(3, 'slider');
  history.undo();
  assert.equal(state.value, 1);
});

test('something new forgets what was undone', () => {
  const { history, state, set } = counter();
  set(1);
  history.undo();
  set(2);
  assert.equal(history.canRedo, false);
  assert.equal(state.value, 2);
});

test('changes that undoing causes are not recorded', () => {
  const { history, state } = counter();
  const step = { label: 'a', undo: () => history.push(step), redo: () => history.push(step) };
  history.push(step);
  history.undo();
  assert.equal(history.canUndo, false);
  assert.equal(history.canRedo, true);
  assert.equal(state.value, 0);
});

test('listeners hear of every change, also when a step throws', () => {
  const history = new History();
  let heard = 0;
  history.watch(() => {
    heard += 1;
  });
  history.push({
    label: 'bad',
    undo: () => {
      throw new Error('no');
    },
    redo: () => {},
  });
  assert.throws(() => history.undo());
  assert.equal(heard, 2);
  history.clear();
  assert.equal(heard, 3);
  assert.equal(history.canRedo, false);
});

test('a long session forgets its oldest steps, not its newest', () => {
  const { history, state, set } = counter();
  for (let value = 1; value <= 1000; value += 1) set(value);
  while (history.undo());
  assert.equal(state.value, 800);
});

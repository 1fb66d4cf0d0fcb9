import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Angles, isSameRotation, simplest } from '../src/page/angles.ts';

test('a turn is written with the least numbers, and stays the same turn', () => {
  const cases: readonly (readonly [Angles, Angles])[] = [
    [
      [-180, -80, -180],
      [0, -100, 0],
    ],
    [
      [180, 80, -180],
      [0, 100, 0],
    ],
    [
      [0, -100, 0],
      [0, -100, 0],
    ],
    [
      [90, 0, 0],
      [90, 0, 0],
    ],
    [
      [-170, 30, 175],
      [10, 150, -5],
    ],
  ];
  for (const [told, wanted] of cases) {
    const written = simplest(told);
    assert.ok(
      written.every((each, i) => Math.abs(each - (wanted[i] ?? 0)) < 1e-9),
      `${told}: ${written}`,
    );
    assert.ok(isSameRotation(written, told), `${told} is not ${written}`);
  }
});

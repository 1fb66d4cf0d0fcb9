/** A small case of `cargo xtask twins`. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { CODECS } from './compressed_twin.mjs';
import { Openers } from './openers.mjs';
import { checkTwin, readModel, riggedSample } from './twin_check.mjs';

let openers;
before(async () => {
  openers = await Openers.start();
});
after(() => openers.close());

test('twins of every codec are their original within the quantisation, natively and in Chromium', async () => {
  const path = await riggedSample(openers, 'arm', 1000);
  const original = await readModel(openers, path);
  for (const codec of Object.keys(CODECS)) {
    const { failures, worst } = await checkTwin(openers, path, original, codec);
    assert.deepEqual(failures, [], codec);
    assert.ok(worst.position > 0 && worst.weight > 0, `${codec} is quantised`);
  }
});

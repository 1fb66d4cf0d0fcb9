import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type LinkState, readLink, writeLink } from '../src/page/link.ts';

const DEFAULTS: LinkState = {
  member: 'mannequin',
  recipe: {
    version: 1,
    method: 'distance',
    max_influences: 4,
    deforms: {},
    distance: { falloff: 4, visibility: 'exact' },
    heat: { conductance: 1 },
    glow: { diffusion: 'on', conductance: 1 },
  },
  deformer: 'lbs',
  show: 'shaded',
};

test('the defaults need no link', () => {
  assert.equal(writeLink(DEFAULTS, DEFAULTS), '');
  assert.deepEqual(readLink('', DEFAULTS), { ...DEFAULTS, ignored: [] });
});

test('a link brings back everything it was made from', () => {
  const state: LinkState = {
    member: 'elephant',
    recipe: {
      ...DEFAULTS.recipe,
      max_influences: 8,
      deforms: { 'tail end': false, 'Ohr & Rüssel=1': true },
      distance: { falloff: 2.5, visibility: 'off' },
    },
    deformer: 'dqs',
    show: 'weights',
  };
  const link = writeLink(state, DEFAULTS);
  assert.match(
    link,
    /^#elephant&distance\.falloff=2\.5&distance\.visibility=off&max_influences=8&deformer=dqs/,
  );
  assert.deepEqual(readLink(link, DEFAULTS), { ...state, ignored: [] });
});

test("a link for the user's own file keeps the parameters and no joint names", () => {
  const recipe = { ...DEFAULTS.recipe, max_influences: 2, deforms: { hip: false } };
  assert.equal(writeLink({ ...DEFAULTS, member: null, recipe }, DEFAULTS), '#max_influences=2');
});

test('what is not understood is ignored and named, and the rest still counts', () => {
  const link = readLink(
    '#unicorn&method=magic&max_influences=9&max_influences=2.5&distance.falloff=nan&colour=red&deformer=dqs&%zz',
    DEFAULTS,
  );
  assert.equal(link.deformer, 'dqs');
  assert.deepEqual(link.recipe, DEFAULTS.recipe);
  assert.deepEqual(link.ignored, [
    'unicorn',
    'method=magic',
    'max_influences=9',
    'max_influences=2.5',
    'distance.falloff=nan',
    'colour=red',
    '%zz',
  ]);
});

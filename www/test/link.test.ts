import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type LinkState, readLink, writeLink } from '../src/page/link.ts';

const DEFAULTS: LinkState = {
  member: 'mannequin',
  recipe: {
    version: 1,
    method: 'atlas',
    max_influences: 4,
    deforms: {},
    handles: [],
    atlas: {
      k: 0.5,
      k_joints: {},
      distance: 'smooth',
      overlap_distance: null,
      transition: 'cubic',
      guard: 1,
      depth: 'widths',
    },
    distance: { falloff: 4, visibility: 'exact' },
    heat: { conductance: 4, nearness: 'facing' },
    glow: { diffusion: 'on', conductance: 16 },
    bbw: { domain: 'auto', cells: 6000 },
    examples: { data: 1, sparsity: 0, rigidity: 1e-6, stiffness: 0.01, groups: 0, iterations: 100 },
  },
  deformer: 'lbs',
  show: 'shaded',
  compare: null,
  divider: 0.5,
  postSkinning: { volume: 'off', alpha: 1, beta: 1, mode: 'exact', foldGuard: false, excluded: [] },
  frames: null,
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
      handles: [
        { name: 'Spitze @ 1', at: [0.25, -1.5, 0.125], vertices: [] },
        { name: 'b', at: [0, 1, 2], vertices: [] },
      ],
      distance: { falloff: 2.5, visibility: 'off' },
    },
    deformer: 'dqs',
    show: 'weights',
    compare: null,
    divider: 0.5,
    postSkinning: DEFAULTS.postSkinning,
    frames: { clip: 'walk, slowly', count: 6, by: 'heat' },
  };
  const link = writeLink(state, DEFAULTS);
  assert.match(
    link,
    /^#elephant&distance\.falloff=2\.5&distance\.visibility=off&max_influences=8&deformer=dqs/,
  );
  assert.deepEqual(readLink(link, DEFAULTS), { ...state, ignored: [] });
});

test('a link brings softness back: of all joints, of one, its distances and its curve', () => {
  const state: LinkState = {
    ...DEFAULTS,
    member: 'arm',
    recipe: {
      ...DEFAULTS.recipe,
      atlas: {
        ...DEFAULTS.recipe.atlas,
        k: 0.85,
        k_joints: { 'forearm.L': 1.2, wrist: 0 },
        distance: 'euclidean',
        overlap_distance: 'harmonic',
        transition: {
          curve: [
            [0.35, 0.1],
            [0.65, 0.9],
          ],
        },
        guard: null,
      },
    },
  };
  const link = writeLink(state, DEFAULTS);
  assert.match(link, /k\.forearm\.L=1\.2/);
  assert.deepEqual(readLink(link, DEFAULTS), { ...state, ignored: [] });
  const back = {
    ...state,
    recipe: { ...state.recipe, atlas: { ...state.recipe.atlas, overlap_distance: null } },
  };
  assert.deepEqual(readLink(writeLink(back, state), state), { ...back, ignored: [] });
});

test('softness that makes no sense is ignored and named', () => {
  const parts = ['atlas.k=9', 'k.elbow=-1', 'atlas.distance=magic', 'atlas.transition=0.6,0.2 0.4,0.9'];
  const link = readLink(`#${parts.map((part) => part.replaceAll(' ', '+')).join('&')}`, DEFAULTS);
  assert.deepEqual(link.ignored, parts);
  assert.deepEqual(link.recipe, DEFAULTS.recipe);
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

test('a link brings the right half back, whatever the left one is', () => {
  const state: LinkState = {
    ...DEFAULTS,
    member: 'arm',
    recipe: { ...DEFAULTS.recipe, method: 'glow', max_influences: 8, deforms: { wrist: false } },
    show: 'weights',
    compare: {
      recipe: {
        ...DEFAULTS.recipe,
        deforms: { wrist: false },
        atlas: { ...DEFAULTS.recipe.atlas, k: 1.2, k_joints: { elbow: 0.3 } },
      },
      deformer: 'dqs',
      show: 'regions',
      volume: 'off',
    },
    divider: 0.37,
  };
  const link = writeLink(state, DEFAULTS);
  assert.match(link, /&compare=atlas&compare\.atlas\.k=1\.2&compare\.deformer=dqs&compare\.show=regions/);
  assert.deepEqual(readLink(link, DEFAULTS), { ...state, ignored: [] });
});

test('a right half that makes no sense is ignored and named', () => {
  const parts = ['compare.atlas.k=1', 'compare=magic', 'compare.off=hip', 'divider=2'];
  const link = readLink(`#${parts.join('&')}`, DEFAULTS);
  assert.deepEqual(link.ignored, parts);
  assert.equal(link.compare, null);
});

test('a link brings volume and folds back', () => {
  const state: LinkState = {
    ...DEFAULTS,
    member: 'elephant',
    postSkinning: {
      volume: 'local',
      alpha: 2.5,
      beta: 0,
      mode: 'paper',
      foldGuard: true,
      excluded: ['upper_leg.FL', 'Ohr & Rüssel'],
    },
  };
  const link = writeLink(state, DEFAULTS);
  assert.match(link, /&volume=local&volume\.alpha=2\.5&volume\.beta=0&volume\.mode=paper&fold-guard=on/);
  assert.deepEqual(readLink(link, DEFAULTS), { ...state, ignored: [] });
  // Joints of one's own file mean nothing to somebody else's.
  assert.doesNotMatch(writeLink({ ...state, member: null }, DEFAULTS), /without/);
});

test('a volume that makes no sense is ignored and named', () => {
  const parts = ['volume=sponge', 'volume.alpha=9', 'volume.beta=', 'volume.mode=loose', 'fold-guard=yes'];
  const link = readLink(`#${parts.join('&')}`, DEFAULTS);
  assert.deepEqual(link.ignored, parts);
  assert.deepEqual(link.postSkinning, DEFAULTS.postSkinning);
});

test('frames to learn from are named with their clip, or not at all', () => {
  const { frames, ignored } = readLink('#method=examples&frames=walk,6,atlas', DEFAULTS);
  assert.deepEqual([frames, ignored], [{ clip: 'walk', count: 6, by: 'atlas' }, []]);
  const odd = [
    'frames=walk',
    'frames=walk,0,atlas',
    'frames=walk,6,examples',
    'frames=,6,heat',
    'frames=walk,1e9,heat',
  ];
  assert.deepEqual(readLink(`#${odd.join('&')}`, DEFAULTS).ignored, odd);
  const own: LinkState = { ...DEFAULTS, member: null, frames };
  assert.equal(writeLink(own, DEFAULTS), '');
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OPTIONS } from '../src/options.ts';
import { type LinkState, readLink, writeLink } from '../src/page/link.ts';
import {
  defaultPostSkinning,
  type KindOf,
  PARAMETERS,
  type Parameter,
  propertyName,
  propertyOf,
  valueAt,
  withValueAt,
} from '../src/parameters.ts';

const DEFAULTS: LinkState = {
  member: 'mannequin',
  recipe: OPTIONS.recipe,
  deformer: 'lbs',
  show: 'shaded',
  compare: null,
  divider: 0.5,
  postSkinning: defaultPostSkinning(),
  frames: null,
};

/** Values of a number: the ends, one between, and the special one. */
function numbers({ min, max, isInteger, special, slider }: Omit<KindOf<'number'>, 'type'>): unknown[] {
  const between = slider.min + (slider.max - slider.min) / 3;
  return [min, max, isInteger ? Math.round(between) : between, ...(special ? [special.value] : [])];
}

/** Values of every kind of parameter. */
function values({ kind }: Parameter): unknown[] {
  switch (kind.type) {
    case 'number':
      return numbers(kind);
    case 'number-by-joint':
      return [{ 'forearm.L': kind.min, 'Ohr & Rüssel=1': kind.max }];
    case 'choice':
      return kind.choices.map(({ value }) => (value === kind.none ? null : value));
    case 'toggle':
      return [true, false];
    case 'transition':
      return [
        'quintic',
        {
          curve: [
            [0.35, 0.1],
            [0.65, 0.9],
          ],
        },
      ];
    case 'joints':
      return [['upper_leg.FL', 'Ohr & Rüssel=1']];
  }
}

/** The state with another value of a parameter. */
function withValue(state: LinkState, parameter: Parameter, value: unknown): LinkState {
  const { path, group } = parameter;
  switch (group) {
    case 'rig':
      return { ...state, recipe: withValueAt(state.recipe, path, value) };
    case 'skinning':
      return { ...state, [path]: value };
    case 'post-skinning':
      return { ...state, postSkinning: { ...state.postSkinning, [propertyName(parameter)]: value } };
  }
}

for (const parameter of PARAMETERS) {
  const { path } = parameter;
  test(`a link restores every value of ${path}`, () => {
    for (const value of values(parameter)) {
      const state = withValue({ ...DEFAULTS, member: 'arm' }, parameter, value);
      const link = writeLink(state, DEFAULTS);
      const read = readLink(link, DEFAULTS);
      assert.deepEqual(read, { ...state, ignored: [] }, link);
      const found =
        parameter.group === 'post-skinning'
          ? propertyOf(read.postSkinning, parameter)
          : valueAt(parameter.group === 'rig' ? read.recipe : read, path);
      assert.deepEqual(found, value, link);
    }
  });

  const { kind } = parameter;
  if (kind.type === 'number') {
    test(`a link with ${path} outside its range is ignored and named`, () => {
      const outside = [kind.max * 2 + 1, kind.min - kind.max - 1].map((value) => `${path}=${value}`);
      const link = readLink(`#${[...outside, `${path}=`, `${path}=nan`].join('&')}`, DEFAULTS);
      assert.deepEqual(link.ignored, [...outside, `${path}=`, `${path}=nan`]);
      assert.deepEqual(link.recipe, DEFAULTS.recipe);
    });
  }
}

test('the defaults need no link', () => {
  assert.equal(writeLink(DEFAULTS, DEFAULTS), '');
  assert.deepEqual(readLink('', DEFAULTS), { ...DEFAULTS, ignored: [] });
});

test('a link restores character, recipe, handles and frames', () => {
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

test('a link restores softness: of all joints, by joint, its metrics and its curve', () => {
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
  assert.match(link, /atlas\.k_joints\.forearm\.L=1\.2/);
  assert.deepEqual(readLink(link, DEFAULTS), { ...state, ignored: [] });
  const back = {
    ...state,
    recipe: { ...state.recipe, atlas: { ...state.recipe.atlas, overlap_distance: null } },
  };
  assert.deepEqual(readLink(writeLink(back, state), state), { ...back, ignored: [] });
});

test('softness that is not valid is ignored and named', () => {
  const parts = [
    'atlas.k=900',
    'atlas.k_joints.elbow=-1',
    'atlas.k_joints.=1',
    'atlas.distance=magic',
    'atlas.transition=0.6,0.2 0.4,0.9',
  ];
  const link = readLink(`#${parts.map((part) => part.replaceAll(' ', '+')).join('&')}`, DEFAULTS);
  assert.deepEqual(link.ignored, parts);
  assert.deepEqual(link.recipe, DEFAULTS.recipe);
});

test("a link for the user's own file keeps the parameters and no joint names", () => {
  const recipe = { ...DEFAULTS.recipe, max_influences: 2, deforms: { hip: false } };
  assert.equal(writeLink({ ...DEFAULTS, member: null, recipe }, DEFAULTS), '#max_influences=2');
});

test('parts that are not valid are ignored and named; the others count', () => {
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

test('a link restores the second view, whatever the first one is', () => {
  const state: LinkState = {
    ...DEFAULTS,
    member: 'arm',
    recipe: { ...DEFAULTS.recipe, method: 'glow', max_influences: 8, deforms: { wrist: false } },
    show: 'weights',
    compare: {
      recipe: {
        ...DEFAULTS.recipe,
        method: 'atlas',
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
  assert.match(
    link,
    /&compare=atlas&compare\.atlas\.k=1\.2&compare\.atlas\.k_joints\.elbow=0\.3&compare\.deformer=dqs&compare\.show=regions/,
  );
  assert.deepEqual(readLink(link, DEFAULTS), { ...state, ignored: [] });
});

test('a second view that is not valid is ignored and named', () => {
  const parts = ['compare.atlas.k=1', 'compare=magic', 'compare.off=hip', 'divider=2'];
  const link = readLink(`#${parts.join('&')}`, DEFAULTS);
  assert.deepEqual(link.ignored, parts);
  assert.equal(link.compare, null);
});

test('a link restores volume correction and contacts', () => {
  const state: LinkState = {
    ...DEFAULTS,
    member: 'elephant',
    postSkinning: {
      ...DEFAULTS.postSkinning,
      volume: 'local',
      volumeAlpha: 2.5,
      volumeBeta: 0,
      volumeMode: 'paper',
      foldGuard: true,
      volumeExcluded: ['upper_leg.FL', 'Ohr & Rüssel'],
    },
  };
  const link = writeLink(state, DEFAULTS);
  assert.match(link, /&volume=local&volume\.alpha=2\.5&volume\.beta=0&volume\.mode=paper&.*fold_guard=on/);
  assert.deepEqual(readLink(link, DEFAULTS), { ...state, ignored: [] });
  // Names of joints mean nothing to another character.
  assert.doesNotMatch(writeLink({ ...state, member: null }, DEFAULTS), /excluded/);
});

test('a volume correction that is not valid is ignored and named', () => {
  const parts = ['volume=sponge', 'volume.alpha=9', 'volume.beta=', 'volume.mode=loose', 'fold_guard=yes'];
  const link = readLink(`#${parts.join('&')}`, DEFAULTS);
  assert.deepEqual(link.ignored, parts);
  assert.deepEqual(link.postSkinning, DEFAULTS.postSkinning);
});

test('frames of a clip are read with clip, count and method, or ignored', () => {
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

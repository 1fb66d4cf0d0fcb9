/** Takes one picture of one character. The same settings give the same picture. */
import { card } from './card.mjs';
import { bareSampleGlb } from '../bare.mjs';
import { BODIES } from './bodies.mjs';
import { jittered } from './jitter.mjs';
import { painted } from './painted.mjs';
import { PENGUIN, PENGUIN_SKELETON } from './penguin.mjs';
import { sampleSource } from '../support.mjs';
import { posed } from './posed.mjs';
import { surfaceNet, toGlb } from './surface_net.mjs';

/** The settings that have fields of their own. */
const GROUPS = ['atlas', 'heat', 'glow', 'postSkinning', 'exampleFit'];

/** Merges settings, later ones first; parameter groups are merged field by field. */
export function merged(...settings) {
  const groups = (all, one) => Object.fromEntries(GROUPS.map((group) => [group, { ...all[group], ...one[group] }]));
  return settings.reduce((all, one) => ({ ...all, ...one, ...groups(all, one) }), {});
}

/** A PNG of `setting` as a data URL, and the note for its caption. */
export async function shot(page, setting, [width, height]) {
  await page.evaluate(
    ([width, height]) => {
      const viewer = document.querySelector('pliant-viewer');
      viewer.style.width = `${width}px`;
      viewer.style.height = `${height}px`;
    },
    [width, height],
  );
  await load(page, setting);
  await addExamplesOf(page, { ...setting.examples, loaded: await page.evaluate(() => globalThis.loaded) });
  return page.evaluate(show, setting);
}

/** Adds folded cards or frames of a clip as examples, unless they are there. */
async function addExamplesOf(page, { loaded, folds = [], frames = 0, noise = 0 }) {
  const key = JSON.stringify([loaded, folds, frames, noise]);
  const files = folds.map((degrees) => [`folded by ${degrees}°.obj`, card(degrees)]);
  await page.evaluate(addExamples, { key, files, frames, noise });
}

/** Runs in the page. `noise` is the largest random displacement, as a share of the size. */
async function addExamples({ key, files, frames, noise }) {
  const viewer = document.querySelector('pliant-viewer');
  if (globalThis.examplesKey === key) return;
  globalThis.examplesKey = key;
  viewer.method = 'atlas';
  viewer.examples = [];
  if (files.length) await viewer.addExamples({ kind: 'files', files: files.map(([name, text]) => new File([text], name)) });
  if (!frames) return;
  await viewer.rig();
  await viewer.addExamples({ kind: 'clip', frames });
  const reach = noise * Math.hypot(...viewer.model.size);
  let state = 1;
  const random = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 31 - 1;
  };
  viewer.examples = viewer.examples.map((each) => ({ ...each, positions: each.positions.map((value) => value + reach * random()) }));
}

/** Loads the character unless it is loaded. */
async function load(page, { member, vertices, noise, moved, bound, brush, card: isCard, bare, isPenguin }) {
  const key = JSON.stringify([member, vertices, noise, moved, bound, brush, isCard, bare, isPenguin]);
  if ((await page.evaluate(() => globalThis.loaded)) === key) return;
  await page.evaluate((skeleton) => {
    const viewer = document.querySelector('pliant-viewer');
    // Excluded joints are those of the last character.
    Object.assign(viewer, { skeleton, recipe: { ...viewer.recipe, deforms: {} } });
  }, bare ? 'auto' : 'none');
  if (bare) await loadBare(page, bare);
  else if (isPenguin) await loadPenguin(page);
  else if (isCard) await loadFile(page, 'card.obj', Buffer.from(card()));
  else await page.evaluate((source) => document.querySelector('pliant-viewer').load(source), sampleSource(member, vertices));
  if (noise) await loadFile(page, `${member}.glb`, jittered(await exported(page), noise));
  if (bound) await loadFile(page, `${member}.glb`, posed(await exported(page), await page.evaluate(verticesIn, bound), bound));
  if (brush) await loadFile(page, `${member}.glb`, painted(await exported(page), brush));
  if (moved) await page.evaluate(moveJoints, moved);
  await page.evaluate((key) => {
    globalThis.loaded = key;
  }, key);
}

/** A body or a sample character without its skeleton, which gets a fitted one. */
async function loadBare(page, { body, member, vertices }) {
  if (!body) return loadFile(page, `${member}.glb`, await bareSampleGlb(member, vertices));
  const { cones, cell, blend } = BODIES[body];
  return loadFile(page, `${body}.glb`, toGlb(surfaceNet(cones, cell, blend)));
}

async function loadPenguin(page) {
  const { cones, cell, blend } = PENGUIN;
  await loadFile(page, 'penguin.glb', toGlb(surfaceNet(cones, cell, blend)));
  await page.evaluate((text) => document.querySelector('pliant-viewer').loadSkeleton([new File([text], 'penguin.json')]), JSON.stringify(PENGUIN_SKELETON));
}

async function exported(page) {
  return Buffer.from(
    await page.evaluate(async () => [...new Uint8Array(await (await document.querySelector('pliant-viewer').exportGLB()).arrayBuffer())]),
  );
}

function loadFile(page, name, bytes) {
  return page.evaluate(
    ([name, bytes]) => document.querySelector('pliant-viewer').load({ kind: 'files', files: [new File([Uint8Array.from(bytes)], name)] }),
    [name, [...bytes]],
  );
}

/** Runs in the page: vertex positions in a pose. */
async function verticesIn(pose) {
  const viewer = document.querySelector('pliant-viewer');
  const { recipe } = viewer;
  Object.assign(viewer, { deformer: 'dqs', volume: 'off', recipe: { ...recipe, atlas: { ...recipe.atlas, k: 0.5, distance: 'smooth' } } });
  await viewer.rig();
  viewer.setPose(pose);
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  return [...viewer[Symbol.for('pliant.inside')].viewer.drawnVertices(0)];
}

/** Moves joints by 5 % of the bone along it, and by half of that aside. */
async function moveJoints(moved) {
  const viewer = document.querySelector('pliant-viewer');
  const places = { ...viewer.jointPositions };
  for (const [joint, towards] of Object.entries(moved)) {
    const [from, to] = [places[joint], places[towards]];
    const step = from.map((value, axis) => 0.05 * (to[axis] - value));
    places[joint] = [from[0] + step[0] - 0.5 * step[1], from[1] + step[1] + 0.5 * step[0], from[2] + step[2]];
  }
  await viewer.setJointPositions(places);
}

/** Runs in the page: applies all settings, waits for the weights, and takes the picture. */
async function show({ method = 'atlas', influences = 4, exampleFit = {}, fit = null, handles = {}, targets = {}, selected = null, joint = null, bones = 'hidden', deforms = {}, atlas, heat, glow, show = 'shaded', pose = {}, deformation, isDeformed, camera, yaw, pitch = 8, deformer = 'dqs', postSkinning = {}, hasNote, hasSkeletonNote }) {
  const viewer = document.querySelector('pliant-viewer');
  const drawn = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  const { volume = 'off', alpha = 1, beta = 1, guard = false, excluded = [] } = postSkinning;
  Object.assign(viewer, { deformer, bones, show, volumeAlpha: alpha, volumeBeta: beta, foldGuard: guard, volumeExcluded: excluded });
  const { recipe } = viewer;
  globalThis.usual ??= recipe;
  const plain = { k: 0.5, distance: 'smooth', overlap_distance: null, transition: 'cubic', guard: 1, depth: 'widths' };
  viewer.resetPose();
  const { usual } = globalThis;
  const options = { atlas: { ...recipe.atlas, ...plain, ...atlas }, heat: { ...usual.heat, ...heat }, glow: { ...usual.glow, ...glow }, examples: { ...usual.examples, ...exampleFit } };
  viewer.recipe = { ...recipe, method, max_influences: influences, deforms, handles: [], ...options };
  for (const [name, point] of Object.entries(handles)) viewer.addHandle({ point }, name);
  await viewer.rig();
  viewer.fit = fit;
  viewer.selectedHandle = selected;
  if (joint) viewer.selectedJoint = joint;
  // While handles are placed, they are drawn without the rotation gizmo.
  viewer.placingHandles = selected !== null || joint !== null;
  const pulled = Object.entries(targets).map(([name, step]) => [name, viewer.handlePositions[name].map((x, axis) => x + step[axis])]);
  const wanted = isDeformed ? deformation : { pose };
  viewer.setPose(wanted.pose ?? {});
  viewer.handleTargets = Object.fromEntries(pulled);
  if (wanted.clip) {
    viewer.animationName = wanted.clip;
    viewer.currentTime = wanted.share * viewer.duration;
  }
  // Volume statistics need a correction; any map gives the volume after skinning.
  viewer.volume = hasNote ? 'uniform' : volume;
  const { skinned, rest } = (hasNote && viewer[Symbol.for('pliant.inside')].viewer.volumeStats(0)) || {};
  viewer.volume = volume;
  const { corrected = skinned } = (hasNote && viewer[Symbol.for('pliant.inside')].viewer.volumeStats(0)) || {};
  const percent = (100 * (corrected - rest)) / rest;
  const { plan, bones: joints = [] } = viewer.skeletonFit ?? {};
  const volumeNote = hasNote ? `volume ${Math.abs(percent) < 0.005 ? '' : percent < 0 ? '−' : '+'}${Math.abs(percent).toFixed(2)} %` : '';
  const note = hasSkeletonNote ? `${plan}, ${joints.length} joints` : volumeNote;
  await drawn();
  if (camera) viewer.camera = camera;
  else {
    viewer.camera = { ...viewer.camera, yaw, pitch };
    viewer.frame();
  }
  await drawn();
  if (show === 'folds') await new Promise((done) => setTimeout(done, 2000));
  const blob = await viewer.toBlob();
  return new Promise((done) => {
    const reader = new FileReader();
    reader.onload = () => done({ src: reader.result, note });
    reader.readAsDataURL(blob);
  });
}

/**
 * Files of other people, one of every kind, dropped on the studio: seconds until the character is
 * on screen with weights, and until it moves. Decoders are fetched within that time.
 * `PICTURES=FOLDER` keeps a picture of each.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { openStudio } from '../../tests/browser/studio.mjs';
import { launch, ROOT, serve } from '../../tests/browser/support.mjs';
import { against, median, print, s } from './table.mjs';

/** Seconds until the character is on screen (docs/budgets.md#page). */
const BUDGET_S = 2;
const RUNS = 3;
/** Milliseconds after which what does not move by itself is taken to be still. */
const STILL_MS = 6_000;

const MODELS = join(ROOT, '../shared/models');

/** A file, or a folder of which all files are dropped. */
const KINDS = [
  ['GLB', 'gltf_khronos/CesiumMan.glb'],
  ['GLB, an avatar', 'avatars/dev/av100_001_Crimsom.glb'],
  ['glTF with Draco', 'gltf_compressed/CesiumMan-draco'],
  ['GLB with meshopt, without a skeleton', 'gltf_compressed/pirate-meshopt.glb'],
  ['VRM', 'vrm/avatar_001.vrm'],
  ['FBX 7.7, Mixamo', 'fbx_ufbx/three_mixamo.fbx'],
  ['FBX 7.4, 3 blend shapes', 'fbx_ufbx/blender_293_barbarian_7400_binary.fbx'],
  ['FBX 7.5, text', 'fbx_ufbx/maya_game_sausage_7500_ascii.fbx'],
  ['OBJ, without a skeleton', 'fbx_ufbx/maya_game_sausage_deform_8.obj'],
  ['MakeHuman', 'avatars/dev/mh_00.glb'],
];

/** Runs in the page: drops files, and waits. */
async function dropped({ names, stillMs }) {
  const viewer = document.querySelector('pliant-viewer');
  const dataTransfer = new DataTransfer();
  for (const name of names) {
    const bytes = await (await fetch(`dropped/${encodeURIComponent(name)}`)).arrayBuffer();
    dataTransfer.items.add(new File([bytes], name));
  }
  const fire = (type) =>
    document.body.dispatchEvent(new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer }));
  const before = viewer.model;
  fire('dragenter');
  fire('dragover');
  const start = performance.now();
  fire('drop');
  const frame = () => new Promise((done) => requestAnimationFrame(done));
  while (!(viewer.model !== before && viewer.report && !viewer.busy)) await frame();
  const shown = performance.now();
  while (performance.now() - shown < stillMs && (viewer.paused || viewer.currentTime === 0)) await frame();
  const moving = viewer.paused ? Number.NaN : performance.now();
  const { vertices } = viewer.model;
  return { vertices, shown: (shown - start) / 1000, moving: (moving - start) / 1000 };
}

const files = new Map();
const kinds = KINDS.filter(([, path]) => existsSync(join(MODELS, path)));
const parts = new Map();
for (const [kind, path] of kinds) {
  const at = join(MODELS, path);
  const isFile = basename(path).includes('.');
  const names = isFile ? [at] : readdirSync(at).map((name) => join(at, name));
  parts.set(kind, names.map((name) => basename(name)));
  for (const name of names) files.set(`/dropped/${encodeURIComponent(basename(name))}`, readFileSync(name));
}
if (kinds.length === 0) console.log('skipped: ../shared/models is absent');
const site = await serve(files);
const browser = await launch();
const rows = [];
for (const [kind] of kinds) {
  const runs = [];
  for (let run = 0; run < RUNS; run++) {
    const studio = await openStudio({ browser, site });
    runs.push(await studio.page.evaluate(dropped, { names: parts.get(kind), stillMs: STILL_MS }));
    if (process.env.PICTURES && run === 0)
      await studio.page.screenshot({ path: join(process.env.PICTURES, `${kind.replaceAll(/\W+/g, '-')}.png`) });
    if (studio.errors.length > 0) console.log(`${kind}: ${studio.errors.join('; ')}`);
    await studio.close();
  }
  const [shown, moving] = [median(runs.map((run) => run.shown)), median(runs.map((run) => run.moving))];
  rows.push([kind, s(shown), Number.isNaN(moving) ? 'still' : s(moving), against(shown, BUDGET_S)]);
}
print(`Files dropped on the studio, median of ${RUNS}: until …`, ['', 'on screen', 'moving', `budget: on screen ${BUDGET_S} s`], rows);
await browser.close();
site.close();

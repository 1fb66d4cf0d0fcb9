/** The studio: `<pliant-viewer>` and the panels around it. */
import '../element/index.ts';
import type { ModelSource } from '../element/api.ts';
import { find } from './dom.ts';
import { exportCharacter } from './export.ts';
import { areSkeletons, choose, readable } from './files.ts';
import { header } from './header.ts';
import { handlesPanel } from './panels/handles.ts';
import { joints } from './panels/joints.ts';
import { pose } from './panels/pose.ts';
import { report } from './panels/report.ts';
import { rig } from './panels/rig.ts';
import { volume } from './panels/volume.ts';
import { sampleSource } from './samples.ts';
import { copyLink, restoreLink, resumeFitting } from './share.ts';
import { sheet } from './sheet.ts';
import { type Shortcut, shortcutSheet, shortcuts, withCommand } from './shortcuts.ts';
import { type DroppedAs, drop } from './stage/drop.ts';
import { handling } from './stage/handle_placement.ts';
import { hint } from './stage/hint.ts';
import { placing } from './stage/joint_placement.ts';
import { painting } from './stage/painting.ts';
import { progress } from './stage/progress.ts';
import { skeletonNeeded } from './stage/skeleton_needed.ts';
import { transport } from './stage/transport.ts';
import { viewbar } from './stage/viewbar.ts';
import { Studio } from './studio.ts';
import { watchTheme } from './theme.ts';
import { Notices } from './ui/notices.ts';
import { tooltips } from './ui/tooltip.ts';
import { listen, type Viewer } from './viewer.ts';

// The element has just started its worker, which this thread must help onto its feet; the panels can wait a turn.
await new Promise((done) => setTimeout(done));

const viewer = find<Viewer>('pliant-viewer');
const studio = new Studio(viewer);
const notices = new Notices();
const placingJoints = placing(studio);
const paintingMap = painting(studio);
const placingHandles = handling(studio);
const needed = skeletonNeeded(studio, () => placingJoints.start(), placingHandles);

const open = (source: ModelSource, isNamed = false): Promise<boolean> => {
  notices.clearErrors();
  return studio.open(source, isNamed);
};
const take = (files: readonly File[], as: DroppedAs): void => {
  const wanted = readable(files);
  if (!wanted.length) return;
  if (as === 'examples') {
    notices.clearErrors();
    void studio.examples.add({ kind: 'files', files: wanted });
    return;
  }
  const skeleton = as === 'skeleton' || (as === 'either' && viewer.loaded && areSkeletons(wanted));
  notices.clearErrors();
  // What fails is told by the element's error event.
  if (skeleton) void viewer.loadSkeleton(wanted).catch(() => {});
  else void open({ kind: 'files', files: wanted }).then((isOpen) => isOpen && tellUnused(wanted));
};
/** What was given along and not used; the report, which has it too, may be out of sight. */
const tellUnused = (files: readonly File[]): void => {
  const isAboutOne = (message: string): boolean => files.some(({ name }) => message.startsWith(`${name}: `));
  for (const { message } of viewer.model?.warnings ?? []) {
    if (isAboutOne(message)) notices.say(message, { icon: 'warning' });
  }
};
const openFiles = async (): Promise<void> => take(await choose(), 'either');
const openFolder = async (): Promise<void> => take(await choose({ folder: true }), 'either');

const keys: readonly Shortcut[] = [
  { key: 'o', command: true, shown: withCommand('O'), label: 'Open files', run: openFiles },
  {
    key: 's',
    command: true,
    shown: withCommand('S'),
    label: 'Export GLB',
    run: () => exportCharacter(studio, notices, exporter),
  },
  {
    key: 'z',
    command: true,
    shift: false,
    shown: withCommand('Z'),
    label: 'Undo',
    run: () => studio.history.undo(),
  },
  {
    key: 'z',
    command: true,
    shift: true,
    shown: `Shift+${withCommand('Z')}`,
    label: 'Redo',
    run: () => studio.history.redo(),
  },
  { key: 'y', command: true, label: 'Redo', run: () => studio.history.redo() },
  {
    key: ' ',
    shown: 'Space',
    label: 'Play or pause',
    run: () => playOrPause(),
  },
  { key: 'f', shown: 'F', label: 'Frame character', run: () => viewer.frame() },
  { key: 'c', shown: 'C', label: 'Compare two methods', run: () => studio.halves.toggle() },
  { key: 'h', shown: 'H', label: 'Place handles', run: () => placingHandles.toggle() },
  { key: 'r', shown: 'R', label: 'Reset pose', run: () => studio.resetPose() },
  {
    key: '1',
    shown: '1',
    label: 'What the colours show',
    run: () => {
      viewer.show = 'shaded';
    },
  },
  {
    key: '2',
    shown: '2',
    label: 'What the colours show',
    run: () => {
      viewer.show = 'weights';
    },
  },
  {
    key: '3',
    shown: '3',
    label: 'What the colours show',
    run: () => {
      viewer.show = 'regions';
    },
  },
  {
    key: '4',
    shown: '4',
    label: 'What the colours show',
    run: () => {
      viewer.show = 'overlaps';
    },
  },
  {
    key: '5',
    shown: '5',
    label: 'What the colours show',
    run: () => {
      viewer.show = 'gamma';
    },
  },
  {
    key: '6',
    shown: '6',
    label: 'What the colours show',
    run: () => {
      viewer.show = 'folds';
    },
  },
  {
    key: '7',
    shown: '7',
    label: 'What the colours show',
    run: () => studio.examples.setShow('fit'),
  },
  { key: '/', shown: '/', label: 'Search joints', run: () => searchJoints() },
  { key: 'escape', shown: 'Esc', label: 'Cancel, deselect', run: () => stepBack() },
  { key: '?', shown: '?', label: 'Show this list', run: () => sheetOfKeys.showModal() },
];
const sheetOfKeys = shortcutSheet(keys);

function cancelWork(): void {
  if (viewer.fitProgress?.length) {
    viewer.stopFitting();
    notices.say('Stopped', { icon: 'info', detail: 'What was learned so far stays' });
  } else {
    studio.cancel();
    notices.say('Stopped', { icon: 'info', detail: 'What is on screen stays' });
  }
}

function playOrPause(): boolean {
  if (placingJoints.active || !viewer.animations.length) return false;
  if (viewer.paused) viewer.play();
  else viewer.pause();
  return true;
}

function stepBack(): boolean {
  if (viewer.busy) cancelWork();
  else if (notices.errors.firstChild) notices.clearErrors();
  else if (placingJoints.active) placingJoints.stop();
  else if (paintingMap.active) paintingMap.stop();
  else if (placingHandles.active) placingHandles.stop();
  else if (viewer.selectedJoint !== null) viewer.selectedJoint = null;
  else return false;
  return true;
}

function searchJoints(): void {
  panels.open('joints');
  find<HTMLInputElement>('.search-input').select();
}

const { exporter } = header(find('#head'), studio, {
  openFiles: () => void openFiles(),
  openFolder: () => void openFolder(),
  openSample: (member) => void open(sampleSource(member)),
  copyLink: () => void copyLink(studio, notices),
  showShortcuts: () => sheetOfKeys.showModal(),
  exportFrom: (opener) => void exportCharacter(studio, notices, opener),
});
find('#stage').append(
  viewbar(studio, placingHandles),
  notices.errors,
  hint(studio),
  find<HTMLElement>('#stage-foot'),
);
find('#stage-foot').append(
  notices.toasts,
  needed.element,
  progress(studio, cancelWork),
  placingJoints.element,
  paintingMap.element,
  placingHandles.element,
  transport(studio),
);
find('#left').append(joints(studio, placingJoints), handlesPanel(studio, placingHandles));
find('#right').append(
  rig(studio),
  pose(studio, placingJoints),
  volume(studio, paintingMap),
  report(studio, (count) => countWarnings(count)),
);
const panels = sheet(find('#sides'));
document.body.append(
  sheetOfKeys,
  drop({
    needsSkeleton: () => needed.waiting,
    learns: () => viewer.method === 'examples' && viewer.loaded && !needed.waiting,
    ondrop: take,
  }),
);
function countWarnings(count: number): void {
  // The first count comes while the panels are still being put together.
  queueMicrotask(() => panels.badge('report', count));
}

listen(viewer, 'error', (error) => {
  const again = { label: 'Reload the page', onclick: () => location.reload() };
  const another = { label: 'Open another file…', onclick: () => void openFiles() };
  const actions = error.code === 'broken' ? [again] : error.code === 'examples' ? [] : [another];
  notices.fail(error, actions);
});
listen(viewer, 'skeleton-needed', () => panels.fold());
placingJoints.watch(() => placingJoints.active && panels.fold());
paintingMap.watch(() => paintingMap.active && panels.fold());
placingHandles.watch(() => placingHandles.active && panels.fold());
// One mode at a time.
placingJoints.watch(() => placingJoints.active && placingHandles.stop());
paintingMap.watch(() => paintingMap.active && placingHandles.stop());
placingHandles.watch(() => {
  if (!placingHandles.active) return;
  placingJoints.stop();
  paintingMap.stop();
});
watchTheme((theme) => viewer.setAttribute('theme', theme));
tooltips();
shortcuts(keys);

const link = restoreLink(studio, notices);
if (await open(sampleSource(link.member ?? 'mannequin'), true)) await resumeFitting(studio, link);

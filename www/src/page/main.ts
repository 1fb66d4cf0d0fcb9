/** The studio: `<pliant-viewer>` and the panels around it. */
import '../element/index.ts';
import type { ModelSource } from '../element/api.ts';
import { find } from './dom.ts';
import { exportCharacter } from './export.ts';
import { areMotions, areSkeletons, choose, readable } from './files.ts';
import { header } from './header.ts';
import { helpDialog } from './help.ts';
import { listenToKeys, shortcutsOf } from './keys.ts';
import { handlesPanel } from './panels/handles.ts';
import { joints } from './panels/joints.ts';
import { pose } from './panels/pose.ts';
import { report } from './panels/report.ts';
import { rig } from './panels/rig.ts';
import { skeletonPanel } from './panels/skeleton.ts';
import { volume } from './panels/volume.ts';
import { methodLabel } from './parameters.ts';
import { sampleSource } from './samples.ts';
import { copyLink, restoreLink, resumeFitting } from './share.ts';
import { PHONE, sheet } from './sheet.ts';
import { doubtsOf } from './skeleton_doubts.ts';
import { type DroppedAs, drop } from './stage/drop.ts';
import { hint } from './stage/hint.ts';
import { influences } from './stage/influences.ts';
import { jointName } from './stage/joint_name.ts';
import { progress } from './stage/progress.ts';
import { skeletonNeeded } from './stage/skeleton_needed.ts';
import { toolBar } from './stage/tool_bar.ts';
import { transport } from './stage/transport.ts';
import { viewbar } from './stage/viewbar.ts';
import { Studio } from './studio.ts';
import { watchTheme } from './theme.ts';
import { Notices } from './ui/notices.ts';
import { resizer } from './ui/resizer.ts';
import { tooltips } from './ui/tooltip.ts';
import { listen, type Viewer } from './viewer.ts';

// The element has just started its worker and needs this thread for it; the panels are built in the
// next task.
await new Promise((done) => setTimeout(done));

const viewer = find<Viewer>('pliant-viewer');
const studio = new Studio(viewer);
const { state, split, tools } = studio;
const notices = new Notices();
const needed = skeletonNeeded(studio);

const open = (source: ModelSource, isLink = false): Promise<boolean> => {
  notices.clearErrors();
  return studio.open(source, isLink);
};
const accept = (files: readonly File[], as: DroppedAs): void => {
  const usable = readable(files);
  if (!usable.length) return;
  notices.clearErrors();
  if (as === 'examples') {
    void studio.examples.add({ kind: 'files', files: usable });
    return;
  }
  const isMotion =
    as === 'motion' || (as === 'either' && viewer.motionLibrary.length > 0 && areMotions(usable));
  if (isMotion) {
    void viewer.addMotion(usable).catch(() => {});
    return;
  }
  const isSkeleton = as === 'skeleton' || (as === 'either' && viewer.loaded && areSkeletons(usable));
  // Failures are reported by the error event of the element.
  if (isSkeleton) void viewer.loadSkeleton(usable).catch(() => {});
  else void open({ kind: 'files', files: usable }).then((isOpen) => isOpen && reportUnused(usable));
};
/** Warnings about files that were not used: the report has them too, but it may be out of sight. */
const reportUnused = (files: readonly File[]): void => {
  const isAboutFile = (message: string): boolean => files.some(({ name }) => message.startsWith(`${name}: `));
  for (const { message } of viewer.model?.warnings ?? []) {
    if (isAboutFile(message)) notices.say(message, { icon: 'warning' });
  }
};
const openFiles = async (): Promise<void> => accept(await choose(), 'either');
const openFolder = async (): Promise<void> => accept(await choose({ folder: true }), 'either');

const keys = shortcutsOf(studio, {
  openFiles: () => void openFiles(),
  exportFile: () => void exportCharacter(studio, notices, exporter),
  searchJoints: () => {
    panels.open('joints');
    find<HTMLInputElement>('.search-input').select();
  },
  stepBack: () => stepBack(),
  showHelp: () => help.showModal(),
});
const help = helpDialog(keys);

function cancelWork(): void {
  if (viewer.fitProgress?.length) {
    viewer.stopFitting();
    notices.say('Stopped', { icon: 'info', detail: 'The weights found so far stay' });
  } else {
    studio.cancel();
    notices.say('Stopped', { icon: 'info', detail: 'What is on screen stays' });
  }
}

/** What Esc does: ends the innermost thing that is under way. False if there is nothing to end. */
function stepBack(): boolean {
  if (viewer.busy) cancelWork();
  else if (notices.errors.firstChild) notices.clearErrors();
  else if (tools.active !== 'rotate') tools.use('rotate');
  else if (viewer.selectedJoint !== null) viewer.selectedJoint = null;
  else if (split.isOpen) split.close();
  else return false;
  return true;
}

// Esc in the picture deselects the joint. While a tool is active, it leaves the tool instead.
viewer.addEventListener(
  'keydown',
  (event) => {
    if (event.key !== 'Escape' || viewer.busy || tools.active === 'rotate') return;
    event.preventDefault();
    event.stopPropagation();
    tools.use('rotate');
  },
  { capture: true },
);

const { exporter } = header(find('#head'), studio, {
  openFiles: () => void openFiles(),
  openFolder: () => void openFolder(),
  openSample: (member) => void open(sampleSource(member)),
  copyLink: () => void copyLink(studio, notices),
  showHelp: () => help.showModal(),
  exportFrom: (opener) => void exportCharacter(studio, notices, opener),
});
find('#stage').append(
  viewbar(studio),
  influences(studio),
  jointName(studio),
  notices.errors,
  hint(studio),
  find<HTMLElement>('#stage-foot'),
);
find('#stage-foot').append(
  notices.toasts,
  needed.element,
  progress(studio, cancelWork),
  toolBar(studio),
  transport(studio),
);
find('#left').append(
  skeletonPanel(studio, {
    chooseOther: () => {
      needed.open();
      panels.fold();
    },
  }),
  joints(studio),
  handlesPanel(studio),
  resizer(find('#work')),
);
find('#right').append(
  rig(studio),
  pose(studio),
  volume(studio),
  report(studio, (count) => countWarnings(count)),
);
const panels = sheet(find('#sides'));
document.body.append(
  help,
  drop({
    needsSkeleton: () => needed.waiting || viewer.skeletonFit !== null,
    takesMotions: () => viewer.motionLibrary.length > 0,
    takesExamples: () => viewer.method === 'examples' && viewer.loaded && !needed.waiting,
    ondrop: accept,
  }),
);
function countWarnings(count: number): void {
  // The first count arrives before the sheet exists.
  queueMicrotask(() => panels.badge('report', count));
}

listen(viewer, 'error', (error) => {
  const again = { label: 'Reload the page', onclick: () => location.reload() };
  const another = { label: 'Open another file…', onclick: () => void openFiles() };
  const actions = error.code === 'broken' ? [again] : error.code === 'examples' ? [] : [another];
  notices.fail(error, actions);
});
listen(viewer, 'skeleton-needed', () => panels.fold());
state.follow(['skeletonFit', 'markers'], ({ skeletonFit, markers }) => {
  panels.badge('skeleton', doubtsOf(skeletonFit, markers).length);
});
state.follow(['tool'], ({ tool }) => tool !== 'rotate' && panels.fold());
studio.handles.onMethodChange((from, to) => {
  notices.say(`Method changed to ${methodLabel(to)}`, {
    icon: 'info',
    detail: `${methodLabel(from)} does not include handles`,
  });
});
openPoseOnTap();
watchTheme((theme) => viewer.setAttribute('theme', theme));
tooltips();
listenToKeys(keys);

const link = restoreLink(studio, notices);
if (await open(sampleSource(link.member ?? 'mannequin'), true)) await resumeFitting(studio, link);

/** On a phone, tapping a joint in the picture opens the controls of its pose. */
function openPoseOnTap(): void {
  let isTap = false;
  viewer.addEventListener('pointerdown', () => {
    isTap = true;
  });
  window.addEventListener('pointerup', () =>
    setTimeout(() => {
      isTap = false;
    }),
  );
  listen(viewer, 'select', ({ joint }) => {
    const isRotating = tools.active === 'rotate' && joint !== viewer.selectedHandle;
    if (isTap && joint !== null && isRotating && PHONE.matches) panels.open('pose');
  });
}

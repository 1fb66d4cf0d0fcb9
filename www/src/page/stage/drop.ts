/** Files dropped anywhere on the page. */
import { h } from '../dom.ts';
import { carriesFiles, filesOf } from '../files.ts';
import { type IconName, icon } from '../icons.ts';

export interface DropTargets {
  /** A mesh without a skeleton is on screen, so a file can be either. */
  needsSkeleton(): boolean;
  /** The character on screen can move like another one, so a file can be a motion. */
  takesMotions(): boolean;
  /** Weights are fitted to poses, so a file can be one. */
  takesExamples(): boolean;
  ondrop(files: File[], as: DroppedAs): void;
}

export type DroppedAs = 'model' | 'skeleton' | 'motion' | 'examples' | 'either';

export function drop(targets: DropTargets): HTMLElement {
  const model = zone(
    'file',
    'Drop to open',
    'A model with its textures, or a folder. It stays on this machine',
  );
  const skeleton = zone('bone', 'Drop to use its skeleton', 'For the mesh on screen');
  const motion = zone('play', 'Drop as motion', 'Its clips, on the character on screen');
  const examples = zone('pose', 'Drop as examples', 'Poses of the character on screen');
  examples.classList.add('drop-examples');
  const overlay = h(
    'div',
    { class: 'drop', hidden: true, 'aria-hidden': 'true' },
    model,
    skeleton,
    motion,
    examples,
  );
  // Entering and leaving is reported per element; at zero the drag has left the page.
  let inside = 0;

  const finish = (): void => {
    inside = 0;
    overlay.hidden = true;
  };
  const hover = (target: EventTarget | null): void => {
    for (const each of [model, skeleton, motion, examples])
      each.classList.toggle('over', target instanceof Node && each.contains(target));
  };
  window.addEventListener('dragenter', (event) => {
    if (!carriesFiles(event.dataTransfer)) return;
    event.preventDefault();
    inside += 1;
    skeleton.hidden = !targets.needsSkeleton();
    motion.hidden = !targets.takesMotions();
    examples.hidden = !targets.takesExamples();
    overlay.hidden = false;
  });
  window.addEventListener('dragover', (event) => {
    if (!carriesFiles(event.dataTransfer)) return;
    event.preventDefault();
    if (event.dataTransfer) event.dataTransfer.dropEffect = 'copy';
    hover(event.target);
  });
  window.addEventListener('dragleave', (event) => {
    if (!carriesFiles(event.dataTransfer)) return;
    inside -= 1;
    if (inside <= 0) finish();
  });
  window.addEventListener('drop', (event) => {
    const { dataTransfer, target } = event;
    if (!dataTransfer || !carriesFiles(dataTransfer)) return;
    event.preventDefault();
    const isOn = (zone: HTMLElement): boolean => target instanceof Node && zone.contains(target);
    // Outside the zones, an example is the safer choice: it replaces nothing.
    const elsewhere = examples.hidden ? 'either' : 'examples';
    const onModel = skeleton.hidden && motion.hidden ? 'either' : 'model';
    const as = isOn(skeleton) ? 'skeleton' : isOn(motion) ? 'motion' : isOn(model) ? onModel : elsewhere;
    finish();
    void filesOf(dataTransfer).then((files) => targets.ondrop(files, as));
  });
  return overlay;
}

function zone(name: IconName, title: string, about: string): HTMLElement {
  return h(
    'div',
    { class: 'drop-zone' },
    h('div', { class: 'drop-icon' }, icon(name)),
    h('p', { class: 'drop-title' }, title),
    h('p', { class: 'drop-about' }, about),
  );
}

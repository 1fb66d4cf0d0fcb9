/** Keyboard shortcuts of the page, and the keys of the picture for the help. */
import type { Show } from '../wasm.ts';
import { isTyping } from './dom.ts';
import { LOOKS } from './stage/tool_bar.ts';
import { toggleBones } from './stage/viewbar.ts';
import type { Studio } from './studio.ts';
import { COMMAND } from './ui/button.ts';
import { FIRST_VIEW_SHOWS } from './words.ts';

export interface Shortcut {
  /** The value of `event.key`, in lower case. */
  readonly key: string;
  /** With Ctrl or ⌘. */
  readonly command?: boolean;
  readonly shift?: boolean;
  /** The key as it is printed in the help; without it the help does not list it. */
  readonly shown?: string;
  readonly label: string;
  /** Returns false if it did nothing; the browser then handles the key. */
  run(): unknown;
}

export interface KeyActions {
  openFiles(): void;
  exportFile(): void;
  searchJoints(): void;
  stepBack(): boolean;
  showHelp(): void;
}

/** Keys and pointer actions in the picture; the element handles them. */
export const PICTURE_KEYS: readonly (readonly [string, string])[] = [
  ['Drag', 'Orbit'],
  ['Right-drag', 'Pan'],
  ['Scroll', 'Zoom'],
  ['Click', 'Select a joint'],
  ['Drag a ring', 'Rotate the joint; with Shift in steps'],
  ['Drag a joint', 'While placing joints: into the middle of the body; with Shift at its depth'],
  ['Drag a handle', 'Move the handle'],
  ['Double-click a handle', 'Reset the handle'],
  ['Enter', 'Place a handle in the middle of the picture'],
  ['Del', 'Remove the selected handle'],
  ['[ ]', 'Previous and next joint'],
  ['Arrows', 'Orbit'],
  ['+ −', 'Zoom'],
  ['Home', 'Frame character'],
];

const command = (key: string): string => `${COMMAND}${key}`;

export function shortcutsOf(studio: Studio, actions: KeyActions): readonly Shortcut[] {
  const { viewer, history, split, tools, pose, skeleton } = studio;
  const undo = { key: 'z', command: true, shift: false, shown: command('Z'), label: 'Undo' };
  const redo = { key: 'z', command: true, shift: true, shown: `Shift+${command('Z')}`, label: 'Redo' };
  return [
    { key: 'o', command: true, shown: command('O'), label: 'Open files', run: actions.openFiles },
    { key: 's', command: true, shown: command('S'), label: 'Export GLB', run: actions.exportFile },
    { ...undo, run: () => history.undo() },
    { ...redo, run: () => history.redo() },
    { key: 'y', command: true, label: 'Redo', run: () => history.redo() },
    { key: ' ', shown: 'Space', label: 'Play or pause', run: () => playOrPause(studio) },
    ...LOOKS.map(({ side, label, keys }) => ({
      key: keys.slice(-1).toLowerCase(),
      shift: true,
      shown: keys,
      label: `Look from the ${label.toLowerCase()}`,
      run: () => skeleton.lookFrom(side),
    })),
    { key: 'f', shown: 'F', label: 'Frame character', run: () => viewer.frame() },
    { key: 'b', shown: 'B', label: 'Show or hide bones', run: () => toggleBones(studio) },
    { key: 'c', shown: 'C', label: 'Compare two methods', run: () => split.toggle() },
    { key: 'j', shown: 'J', label: 'Place joints', run: () => tools.toggle('place-joints') },
    { key: 'h', shown: 'H', label: 'Place handles', run: () => tools.toggle('handles') },
    { key: 'p', shown: 'P', label: 'Paint correction', run: () => tools.toggle('paint') },
    { key: 'r', shown: 'R', label: 'Reset pose', run: () => pose.reset() },
    ...FIRST_VIEW_SHOWS.map(({ value }, i) => showKey(studio, value, i + 1)),
    { key: '/', shown: '/', label: 'Search joints', run: actions.searchJoints },
    {
      key: 'escape',
      shown: 'Esc',
      label: 'Cancel, leave the tool, deselect, leave the split view',
      run: actions.stepBack,
    },
    { key: '?', shown: '?', label: 'Help', run: actions.showHelp },
  ];
}

function showKey({ examples }: Studio, show: Show, digit: number): Shortcut {
  return {
    key: String(digit),
    shown: String(digit),
    label: 'What the colours show',
    run: () => examples.setShow(show),
  };
}

function playOrPause({ viewer }: Studio): boolean {
  if (viewer.tool === 'place-joints' || !viewer.animations.length) return false;
  if (viewer.paused) viewer.play();
  else viewer.pause();
  return true;
}

export function listenToKeys(all: readonly Shortcut[]): void {
  window.addEventListener('keydown', (event) => {
    if (event.defaultPrevented || event.altKey || event.isComposing) return;
    if (document.querySelector('dialog[open]')) return;
    const isCommand = event.ctrlKey || event.metaKey;
    const found = all.find(
      ({ key, command = false, shift }) =>
        key === event.key.toLowerCase() &&
        command === isCommand &&
        (shift === undefined || shift === event.shiftKey),
    );
    if (!found || isForControl(event, found, isCommand)) return;
    if (found.run() !== false) event.preventDefault();
  });
}

/** Whether the focused control uses the key itself. */
function isForControl({ target }: KeyboardEvent, { key }: Shortcut, isCommand: boolean): boolean {
  // Letters are typed into the field; a text field also has its own undo.
  if (isTyping(target)) return isCommand ? key === 'z' : key !== 'escape';
  const isControl = target instanceof Element && target.matches('button, a, summary, select, [role=switch]');
  return isControl && key === ' ';
}

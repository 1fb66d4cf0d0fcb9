/** The tools: one group of buttons above the picture, and the bar of the active tool below it. */
import type { ToolName } from '../../element/api.ts';
import type { BrushMode } from '../../wasm.ts';
import { h, isTouch } from '../dom.ts';
import { type IconName, icon } from '../icons.ts';
import type { Side } from '../skeleton.ts';
import { CHAIN_JOINTS, jointPicture } from '../skeleton_words.ts';
import type { StudioState } from '../state.ts';
import type { Studio } from '../studio.ts';
import { isAvailable } from '../tools.ts';
import { button } from '../ui/button.ts';
import { segmented } from '../ui/choice.ts';
import { countField } from '../ui/count.ts';
import { toggle } from '../ui/toggle.ts';
import { BRUSH_MODES } from '../words.ts';

export interface ToolNote {
  readonly name: ToolName;
  readonly label: string;
  readonly icon: IconName;
  readonly keys: string;
}

export const TOOLS: readonly ToolNote[] = [
  { name: 'rotate', label: 'Rotate joints', icon: 'rotate', keys: 'Esc' },
  { name: 'place-joints', label: 'Place joints', icon: 'move', keys: 'J' },
  { name: 'handles', label: 'Place handles', icon: 'handle', keys: 'H' },
  { name: 'paint', label: 'Paint correction', icon: 'brush', keys: 'P' },
];

/** Why a tool cannot be used. */
const UNAVAILABLE: Partial<Record<ToolName, string>> = {
  'place-joints': 'Place joints: there are no joints',
  handles: 'Place handles: there is no mesh',
  paint: 'Paint correction: set “Preserve volume” first',
};

/** One button per tool, of which one is pressed. */
export function toolButtons({ state, tools }: Studio): HTMLElement {
  const buttons = TOOLS.map(({ name, label, icon, keys }) =>
    button({ label, icon, bare: true, keys, class: `tool-${name}`, onclick: () => tools.use(name) }),
  );
  state.follow(['tool', 'model', 'postSkinning'], ({ tool, model, postSkinning }) => {
    for (const [i, { name, label }] of TOOLS.entries()) {
      const isOn = isAvailable(name, { model, volume: postSkinning.volume });
      buttons[i]?.setAttribute('aria-pressed', String(tool === name));
      buttons[i]?.setAttribute('aria-disabled', String(!isOn));
      if (buttons[i]) buttons[i].dataset['tip'] = isOn ? label : (UNAVAILABLE[name] ?? label);
    }
  });
  return h('div', { class: 'tools', role: 'group', 'aria-label': 'Tools' }, ...buttons);
}

/** Where to look from while joints are placed. */
export const LOOKS: readonly { readonly side: Side; readonly label: string; readonly keys: string }[] = [
  { side: 'front', label: 'Front', keys: 'Shift+F' },
  { side: 'side', label: 'Side', keys: 'Shift+S' },
  { side: 'top', label: 'Top', keys: 'Shift+T' },
];

/** What a tool shows in the bar. */
interface ToolContent {
  title(state: StudioState): string;
  hint(state: StudioState): string;
  readonly controls: readonly HTMLElement[];
  sync?(state: StudioState): void;
}

export function toolBar(studio: Studio): HTMLElement {
  const { state, tools } = studio;
  const contents: Partial<Record<ToolName, ToolContent>> = {
    'place-joints': jointPlacement(studio),
    handles: handlePlacement(studio),
    paint: painting(studio),
  };
  const symbol = h('span', { class: 'tool-icon' });
  const title = h('strong', {});
  const hint = h('span', { class: 'tool-hint' });
  const controls = h('div', { class: 'tool-controls' });
  const done = button({
    label: 'Done',
    kind: 'primary',
    class: 'tool-done',
    onclick: () => tools.use('rotate'),
  });
  const element = h(
    'section',
    { class: 'tool-bar', hidden: true },
    symbol,
    h('p', {}, title, hint),
    controls,
    done,
  );
  let shown: ToolName = 'rotate';
  const keys = [
    'tool',
    'brush',
    'mirrorJoints',
    'handles',
    'handleTargets',
    'prompt',
    'chainJoints',
    'skeletonFit',
  ] as const;
  state.follow(keys, (now) => {
    const content = contents[now.tool];
    const note = TOOLS.find(({ name }) => name === now.tool);
    element.hidden = !content || !note;
    if (content && note && shown !== now.tool) {
      element.dataset['tool'] = now.tool;
      element.setAttribute('aria-label', note.label);
      controls.replaceChildren(...content.controls);
    }
    shown = now.tool;
    content?.sync?.(now);
    const { prompt, skeletonFit } = now;
    const isAsked = skeletonFit && prompt?.joint !== undefined;
    const picture = isAsked ? jointPicture(skeletonFit.plan, prompt.joint ?? '') : null;
    if (note) symbol.replaceChildren(picture ?? icon(note.icon));
    title.textContent = content?.title(now) ?? '';
    element.toggleAttribute('data-prompt', now.prompt !== null);
    const text = content?.hint(now) ?? '';
    if (hint.textContent !== text) hint.textContent = text;
  });
  return element;
}

function jointPlacement({ viewer, skeleton, state }: Studio): ToolContent {
  const joints = countField({
    label: 'Joints',
    ...CHAIN_JOINTS,
    onchange: (chainJoints) => state.set({ chainJoints }),
  });
  const mirror = toggle('Mirror', (on) => {
    viewer.mirrorJoints = on;
  });
  const sides = LOOKS.map(({ side, label, keys }) =>
    button({ label, keys, kind: 'quiet', class: 'look', onclick: () => skeleton.lookFrom(side) }),
  );
  const look = h('div', { class: 'looks', role: 'group', 'aria-label': 'Look from' }, ...sides);
  return {
    title: ({ prompt }) => prompt?.title ?? 'Place joints',
    hint: ({ prompt, skeletonFit }) => {
      if (prompt) return prompt.hint;
      return skeletonFit ? 'Drag a joint; the others follow' : 'Drag each joint to where the body bends';
    },
    controls: [joints.element, look, mirror.element],
    sync: ({ mirrorJoints, prompt, chainJoints }) => {
      mirror.set(mirrorJoints);
      mirror.element.hidden = prompt?.isChain ?? false;
      joints.element.hidden = !prompt?.isChain;
      joints.set(chainJoints);
    },
  };
}

function handlePlacement({ handles }: Studio): ToolContent {
  const press = isTouch() ? 'Tap' : 'Click';
  const twice = isTouch() ? 'Tap twice' : 'Double-click';
  const reset = button({ label: 'Reset handles', onclick: () => handles.reset() });
  return {
    title: () => 'Handles',
    hint: ({ handles: placed }) => {
      if (placed.length === 0) return `${press} the skin to place a handle`;
      if (placed.length === 1) return `${press} again to place a second one; it will stay in place`;
      return `Drag a handle to deform the body. ${twice} to reset it`;
    },
    controls: [reset],
    sync: ({ handleTargets }) => {
      reset.hidden = Object.keys(handleTargets).length === 0;
    },
  };
}

function painting({ tools }: Studio): ToolContent {
  const modes = segmented<BrushMode>({
    label: 'Brush',
    bare: true,
    choices: BRUSH_MODES,
    onchange: (mode) => tools.setBrush({ mode }),
  });
  return {
    title: () => 'Paint',
    hint: () => 'Drag over the skin',
    controls: [modes.element],
    sync: ({ brush }) => modes.set(brush.mode ?? 'add'),
  };
}

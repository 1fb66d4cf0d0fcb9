/** The skeleton: body plan, orientation, names, uncertain joints, edits, or another skeleton. */
import type { SkeletonFit } from '../../element/api.ts';
import type { FittedBone, Names } from '../../wasm.ts';
import { h } from '../dom.ts';
import { icon } from '../icons.ts';
import { CONVENTIONS, jointPicture, jointWords, PLANS } from '../skeleton_words.ts';
import type { StudioState } from '../state.ts';
import type { Studio } from '../studio.ts';
import { button } from '../ui/button.ts';
import { list } from '../ui/choice.ts';
import type { Choice } from '../words.ts';
import { panel } from './panel.ts';

type Plan = (typeof PLANS)[number]['value'];
type Fingers = 'auto' | '0' | '1' | '2' | '3' | '4' | '5';

const FINGERS: readonly Choice<Fingers>[] = [
  { value: 'auto', label: 'Counted', about: 'As many as each hand has' },
  { value: '0', label: 'None', about: 'Each hand is one joint' },
  ...(['1', '2', '3', '4', '5'] as const).map((value) => ({ value, label: value, about: '' })),
];

/** Uncertain joints that are listed. More: the list of joints has no room. */
const LISTED = 4;

/** Joints of a new chain. */
const CHAIN_JOINTS = 4;

export interface SkeletonPanelActions {
  /** Shows templates and other ways to get a skeleton. */
  chooseOther(): void;
}

export function skeletonPanel(studio: Studio, { chooseOther }: SkeletonPanelActions): HTMLElement {
  const { state, skeleton, tools } = studio;
  const about = h('p', { class: 'about' });
  const plan = list<Plan>({
    label: 'Body plan',
    choices: PLANS,
    onchange: (value) => skeleton.setPlan(value),
  });
  const fingers = list<Fingers>({
    label: 'Fingers',
    choices: FINGERS,
    onchange: (value) => skeleton.setFingers(value === 'auto' ? null : Number(value)),
  });
  const names = list<Names>({
    label: 'Joint names',
    choices: CONVENTIONS,
    onchange: (value) => skeleton.setNames(value),
  });
  const facing = h(
    'div',
    { class: 'skeleton-facing', role: 'group', 'aria-label': 'Orientation' },
    button({ label: 'Flip facing', icon: 'mirror', onclick: () => skeleton.flip() }),
    button({ label: 'Turn by 90°', icon: 'rotate', bare: true, onclick: () => skeleton.turn() }),
    button({ label: 'Tip over', icon: 'redo', bare: true, onclick: () => skeleton.tip() }),
  );
  const doubts = h('ul', { class: 'doubts', 'aria-label': 'What to check' });
  const settings = h(
    'div',
    { class: 'skeleton-settings' },
    plan.element,
    names.element,
    fingers.element,
    facing,
  );
  const place = button({ label: 'Place joints', icon: 'move', onclick: () => tools.use('place-joints') });
  const chain = button({
    label: 'Add a chain…',
    icon: 'plus',
    onclick: () => skeleton.askForChain(CHAIN_JOINTS),
  });
  const fit = button({ label: 'Fit automatically', icon: 'bone', onclick: () => skeleton.fit() });
  const other = button({ label: 'Other skeleton…', icon: 'folder', onclick: chooseOther });
  const reset = button({
    label: 'Remove markers and edits',
    icon: 'reset',
    bare: true,
    onclick: () => skeleton.reset(),
  });
  const joint = jointRow(studio);
  const buttons = h('div', { class: 'skeleton-buttons' }, fit, place, chain, other);

  state.follow(
    ['model', 'skeleton', 'skeletonFit', 'fingers', 'jointNames', 'markers', 'skeletonEdits', 'tool', 'busy'],
    (now) => {
      const { skeletonFit, model } = now;
      settings.hidden = !skeletonFit;
      place.hidden = chain.hidden = !skeletonFit;
      fit.hidden = skeletonFit !== null;
      fit.disabled = other.disabled = model === null;
      about.textContent = sentenceOf(now);
      plan.fill(PLANS.map((choice) => (choice.value === 'auto' ? detected(choice, now) : choice)));
      plan.set(now.skeleton === 'none' ? 'auto' : now.skeleton);
      fingers.element.hidden = skeletonFit?.plan !== 'humanoid';
      fingers.set(now.fingers === null ? 'auto' : (String(now.fingers) as Fingers));
      names.set(now.jointNames);
      place.setAttribute('aria-pressed', String(now.tool === 'place-joints'));
      const edits = Object.values(now.skeletonEdits).some((edit) => Object.keys(edit ?? {}).length > 0);
      reset.hidden = !skeletonFit || !(edits || Object.keys(now.markers).length > 0);
      const items = skeletonFit ? doubtsOf(skeletonFit, studio) : [];
      doubts.replaceChildren(...items);
      doubts.hidden = items.length === 0;
    },
  );
  return panel('skeleton', 'Skeleton', [about, doubts, settings, joint, buttons], [reset]);
}

/** The selected joint of a fitted skeleton: its name, its marker, its removal. */
function jointRow({ state, skeleton, viewer }: Studio): HTMLElement {
  const name = h('input', { class: 'text-input', 'aria-label': 'Name of the joint', spellcheck: 'false' });
  const selected = (): FittedBone | undefined =>
    viewer.skeletonFit?.bones.find((bone) => bone.name === viewer.selectedJoint);
  name.addEventListener('change', () => {
    const bone = selected();
    const to = name.value.trim();
    if (bone && to && to !== bone.name) skeleton.renameJoint(bone.label, to);
  });
  name.addEventListener('keydown', (event) => {
    if (event.key === 'Enter') name.blur();
  });
  const free = button({
    label: 'Remove its marker',
    icon: 'reset',
    bare: true,
    onclick: () => {
      const bone = selected();
      if (bone) skeleton.freeJoint(bone.label);
    },
  });
  const remove = button({
    label: 'Remove the joint',
    icon: 'close',
    bare: true,
    onclick: () => {
      const bone = selected();
      if (bone) skeleton.removeJoint(bone.label);
    },
  });
  const row = h(
    'div',
    { class: 'skeleton-joint', role: 'group', 'aria-label': 'Selected joint' },
    name,
    free,
    remove,
  );
  state.follow(['selectedJoint', 'skeletonFit', 'markers', 'tool'], ({ tool, markers }) => {
    const bone = selected();
    row.hidden = !bone || tool !== 'place-joints';
    if (!bone) return;
    if (document.activeElement !== name) name.value = bone.name;
    free.hidden = !(bone.label in markers);
    // The root stays.
    remove.hidden = bone.parent < 0;
  });
  return row;
}

/** Where the skeleton on screen comes from. */
function sentenceOf({ model, skeletonFit }: StudioState): string {
  if (skeletonFit) {
    const { bones, seconds } = skeletonFit;
    return `${bones.length} joints, fitted in ${seconds.toFixed(seconds < 1 ? 2 : 1)} s`;
  }
  if (!model) return '';
  return model.joints.length ? 'From the file' : 'This mesh has none';
}

function detected(choice: Choice<Plan>, { skeleton, skeletonFit }: StudioState): Choice<Plan> {
  if (skeleton !== 'auto' || !skeletonFit) return choice;
  const found = PLANS.find(({ value }) => value === skeletonFit.plan)?.label ?? skeletonFit.plan;
  return { ...choice, label: `${found} (${Math.round(skeletonFit.planConfidence * 100)} % sure)` };
}

/** What the user should look at: warnings, and joints whose place is uncertain. */
function doubtsOf(fit: SkeletonFit, { skeleton, viewer }: Studio): HTMLElement[] {
  const warnings = fit.warnings.map(({ message }) => doubt(null, message));
  const isUnsure = (confidence: number): boolean => confidence < fit.uncertainBelow;
  if (isUnsure(fit.planConfidence)) warnings.push(doubt(null, 'The body plan is uncertain: choose it below'));
  if (isUnsure(fit.orientationConfidence))
    warnings.push(doubt(null, 'Up and front are uncertain: does it face the right way?'));
  const labels = [...new Set([...fit.uncertain, ...fit.outside])].filter(
    (label) => !(label in viewer.markers),
  );
  // A joint is asked for once, though it has two sides.
  const shown = labels.filter(
    (label) => !(label.endsWith('.R') && labels.includes(`${label.slice(0, -2)}.L`)),
  );
  const joints = shown.slice(0, LISTED).map((label) => {
    const { what } = jointWords(label);
    const why = fit.outside.includes(label) ? 'Outside of the body' : 'Uncertain';
    const ask = button({ label: 'Place…', onclick: () => skeleton.askForMarker(label) });
    ask.setAttribute('aria-label', `Place ${what.toLowerCase()}`);
    return doubt(jointPicture(label), what, why, ask);
  });
  const left = shown.length - joints.length;
  if (left > 0) joints.push(doubt(null, `${left} more ${left === 1 ? 'joint is' : 'joints are'} uncertain`));
  return [...warnings, ...joints];
}

function doubt(
  picture: SVGSVGElement | null,
  text: string,
  detail?: string,
  action?: HTMLButtonElement,
): HTMLElement {
  return h(
    'li',
    { class: 'doubt' },
    picture ?? icon('warning'),
    h('span', { class: 'doubt-text' }, text, detail ? h('span', { class: 'doubt-detail' }, detail) : null),
    action,
  );
}

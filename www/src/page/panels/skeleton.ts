/** The skeleton: body plan, orientation, names, uncertain joints, edits, or another skeleton. */
import type { SkeletonFit } from '../../element/api.ts';
import type { FittedBone, Names } from '../../wasm.ts';
import { h } from '../dom.ts';
import { icon } from '../icons.ts';
import { duration } from '../model.ts';
import { doubtsOf } from '../skeleton_doubts.ts';
import { CHAIN_JOINTS, CONVENTIONS, jointPicture, PLANS } from '../skeleton_words.ts';
import type { StudioState } from '../state.ts';
import type { Studio } from '../studio.ts';
import { button } from '../ui/button.ts';
import { list } from '../ui/choice.ts';
import { countField } from '../ui/count.ts';
import type { Choice } from '../words.ts';
import { panel } from './panel.ts';

type Plan = (typeof PLANS)[number]['value'];
type Fingers = 'auto' | '0' | '1' | '2' | '3' | '4' | '5';

const FINGERS: readonly Choice<Fingers>[] = [
  { value: 'auto', label: 'Counted', about: 'As many as each hand has' },
  { value: '0', label: 'None', about: 'Each hand is one joint' },
  ...(['1', '2', '3', '4', '5'] as const).map((value) => ({ value, label: value, about: '' })),
];

/** Joints to check that are listed. More: the list of joints has no room. */
const LISTED = 3;

export interface SkeletonPanelActions {
  /** Shows templates and other ways to get a skeleton. */
  chooseOther(): void;
}

export function skeletonPanel(studio: Studio, { chooseOther }: SkeletonPanelActions): HTMLElement {
  const { state, skeleton, tools } = studio;
  const about = h('p', { class: 'about' });
  const plan = list<Plan>({
    label: 'Body plan',
    bare: true,
    choices: PLANS,
    onchange: (value) => skeleton.setPlan(value),
  });
  const fingers = list<Fingers>({
    label: 'Fingers',
    choices: FINGERS,
    onchange: (value) => skeleton.setFingers(value === 'auto' ? null : Number(value)),
  });
  const names = list<Names>({
    label: 'Names',
    choices: CONVENTIONS,
    onchange: (value) => skeleton.setNames(value),
  });
  const facing = h(
    'div',
    { class: 'field', role: 'group', 'aria-label': 'Facing' },
    h('span', { class: 'label' }, 'Facing'),
    h(
      'div',
      { class: 'skeleton-row' },
      button({ label: 'Flip', icon: 'flip', onclick: () => skeleton.flip() }),
      button({ label: 'Turn by 90°', icon: 'turn', bare: true, onclick: () => skeleton.turn() }),
      button({ label: 'Tip over by 90°', icon: 'tip', bare: true, onclick: () => skeleton.tip() }),
    ),
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
    label: 'Add a chain: tail, hair, skirt…',
    icon: 'plus',
    bare: true,
    onclick: () => skeleton.askForChain(),
  });
  const fit = button({ label: 'Fit automatically', icon: 'bone', onclick: () => skeleton.fit() });
  const other = button({ label: 'Other skeleton…', icon: 'folder', bare: true, onclick: chooseOther });
  const reset = button({
    label: 'Remove markers and edits',
    icon: 'reset',
    bare: true,
    onclick: () => skeleton.reset(),
  });
  const joint = jointRow(studio);
  const buttons = h('div', { class: 'skeleton-row' }, fit, place, chain, other);

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
      const rows = rowsOf(skeletonFit, now.markers, studio);
      doubts.replaceChildren(...rows);
      doubts.hidden = rows.length === 0;
    },
  );
  return panel('skeleton', 'Skeleton', [about, joint, doubts, settings, buttons], [reset]);
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
  const count = countField({
    label: 'Joints',
    ...CHAIN_JOINTS,
    onchange: (joints) => {
      const chain = chainOfSelected();
      if (chain) skeleton.setChainJoints(chain, joints);
    },
  });
  const chainOfSelected = () => skeleton.chainOf(selected()?.label ?? '');
  const split = button({
    label: 'Add a joint in the middle of its bone',
    icon: 'plus',
    bare: true,
    onclick: () => {
      const bone = selected();
      if (bone) skeleton.splitBone(bone.label);
    },
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
    count.element,
    split,
    free,
    remove,
  );
  state.follow(['selectedJoint', 'skeletonFit', 'markers', 'tool'], ({ tool, markers }) => {
    const bone = selected();
    row.hidden = !bone || tool !== 'place-joints';
    if (!bone) return;
    if (document.activeElement !== name) name.value = bone.name;
    free.hidden = !(bone.label in markers);
    const chain = chainOfSelected();
    count.element.hidden = !chain;
    split.hidden = chain !== undefined;
    if (chain) count.set(chain.count);
    const removal = chain ? 'Remove the chain' : 'Remove the joint';
    remove.setAttribute('aria-label', removal);
    remove.dataset['tip'] = removal;
    // The root stays.
    remove.hidden = bone.parent < 0;
  });
  return row;
}

/** Where the skeleton on screen comes from. */
function sentenceOf({ model, skeletonFit }: StudioState): string {
  if (skeletonFit) return `${skeletonFit.bones.length} joints, fitted in ${duration(skeletonFit.seconds)}`;
  if (!model) return '';
  return model.joints.length ? 'From the file' : 'This mesh has none';
}

/** The entry of the list for a plan that was detected. */
function detected(choice: Choice<Plan>, { skeleton, skeletonFit }: StudioState): Choice<Plan> {
  if (skeleton !== 'auto' || !skeletonFit) return choice;
  const found = PLANS.find(({ value }) => value === skeletonFit.plan)?.label ?? skeletonFit.plan;
  return { ...choice, label: `${found}, ${Math.round(skeletonFit.planConfidence * 100)} % sure` };
}

/** What the user should look at, with buttons that ask for markers. */
function rowsOf(
  fit: SkeletonFit | null,
  markers: StudioState['markers'],
  { skeleton }: Studio,
): HTMLElement[] {
  if (!fit) return [];
  const doubts = doubtsOf(fit, markers);
  const general = doubts.filter(({ joint }) => joint === undefined).map(({ text }) => row(null, text));
  const joints = doubts.filter(({ joint }) => joint !== undefined);
  const rows = joints.slice(0, LISTED).map(({ text, reason, joint = '' }) => {
    const ask = button({ label: 'Place…', onclick: () => skeleton.askForMarker(joint) });
    ask.setAttribute('aria-label', `Place ${text.toLowerCase()}`);
    return row(jointPicture(fit.plan, joint), text, reason, ask);
  });
  const left = joints.length - rows.length;
  if (left > 0) rows.push(row(null, `${left} more ${left === 1 ? 'joint' : 'joints'} to check`));
  return [...general, ...rows];
}

function row(
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

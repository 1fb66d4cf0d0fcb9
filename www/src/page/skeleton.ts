/** The fitted skeleton: its settings and what is edited by hand. Every change can be undone. */
import type {
  FitSkeletonOptions,
  JointChain,
  Point,
  SkeletonChoice,
  SkeletonEdits,
  SkeletonFit,
} from '../element/api.ts';
import type { FittedBone, Names, Orientation } from '../wasm.ts';
import { isTouch } from './dom.ts';
import type { History } from './history.ts';
import { jointWords } from './skeleton_words.ts';
import type { Prompt, StateStore } from './state.ts';
import type { Tools } from './tools.ts';
import { listen, type Viewer } from './viewer.ts';

/** What a pointer does. */
const PRESS = isTouch() ? 'Tap' : 'Click';

type Vector = readonly [number, number, number];

/** A pointer that moves farther than this between press and release, in pixels, does not click. */
const CLICK_PIXELS = 5;

/** The directions from which a character is looked at. */
export type Side = 'front' | 'side' | 'top';

export class SkeletonSettings {
  readonly #viewer: Viewer;
  readonly #history: History;
  readonly #state: StateStore;
  readonly #tools: Tools;
  /** Gets the next point that the user clicks. */
  #picked: ((point: Point) => void) | null = null;

  constructor(viewer: Viewer, state: StateStore, history: History, tools: Tools) {
    this.#viewer = viewer;
    this.#state = state;
    this.#history = history;
    this.#tools = tools;
    this.#followGestures();
    this.#followClicks();
    state.follow(['tool'], ({ tool }) => tool !== 'place-joints' && this.#stopPicking());
  }

  /** Fits a skeleton to the character on screen. */
  fit(): void {
    void this.#change({}, 'skeleton');
  }

  setPlan(skeleton: Exclude<SkeletonChoice, 'none'>): void {
    // Markers and edits name joints of the old plan.
    void this.#change({ skeleton, markers: {}, edits: {} }, 'body plan');
  }

  setFingers(fingers: number | null): void {
    void this.#change({ fingers }, 'fingers');
  }

  setNames(jointNames: Names): void {
    void this.#change({ jointNames }, 'joint names');
  }

  /** The other way round, as seen from above. */
  flip(): void {
    this.#turn(({ up, front }) => ({ up, front: negated(front) }), 'facing');
  }

  /** A quarter of a turn about the vertical axis. */
  turn(): void {
    this.#turn(({ up, front }) => ({ up, front: cross(up, front) }), 'facing');
  }

  /** From lying to standing. */
  tip(): void {
    this.#turn(({ up, front }) => ({ up: front, front: negated(up) }), 'up axis');
  }

  #turn(turned: (now: Orientation) => Orientation, label: string): void {
    const fit = this.#viewer.skeletonFit;
    // Markers and edits stay where they are in space, which is another place of the body.
    if (fit) void this.#change({ orientation: turned(fit.orientation), markers: {}, edits: {} }, label);
  }

  /** All joints where the fit puts them, without edits. */
  reset(): void {
    void this.#change({ markers: {}, edits: {} }, 'markers and edits');
  }

  /** Moves a joint, and its mirror image with it if mirroring is on. The others follow. */
  moveJoint(joint: string, to: Point): void {
    const viewer = this.#viewer;
    const fit = viewer.skeletonFit;
    if (!fit) return;
    const label = fit.bones.find(({ name }) => name === joint)?.label;
    if (label !== undefined)
      void this.#change({ markers: viewer.markersWith(label, to) }, `move of ${joint}`);
  }

  /** Removes the marker of a joint, and that of its mirror image if mirroring is on. */
  freeJoint(label: string): void {
    const { markers, mirrorJoints } = this.#viewer;
    const freed = mirrorJoints ? [label, mirrored(label)] : [label];
    const kept = Object.entries(markers).filter(([each]) => !freed.includes(each));
    void this.#change({ markers: Object.fromEntries(kept) }, `marker of ${label}`);
  }

  renameJoint(label: string, name: string): void {
    const edits = this.#viewer.skeletonEdits;
    const names = { ...edits.names, [label]: name };
    this.#changeAndSelect({ ...edits, names }, `name of ${label}`, name);
  }

  removeJoint(label: string): void {
    const edits = this.#viewer.skeletonEdits;
    const chain = this.chainOf(label);
    const [, stem = '', side = ''] = /^(.*)_\d+(\.[LR])?$/.exec(label) ?? [];
    const parts = edits.splits?.[stem + side] ?? 1;
    let change: SkeletonEdits = { removed: [...(edits.removed ?? []), label] };
    // A joint of a chain takes the chain along.
    if (chain) change = { chains: edits.chains?.filter((other) => other.label !== chain.label) ?? [] };
    else if (parts > 1) change = { splits: { ...edits.splits, [stem + side]: parts - 1 } };
    this.#viewer.selectedJoint = null;
    void this.#change({ edits: { ...edits, ...change } }, `removal of ${chain?.label ?? label}`);
  }

  /** Adds a joint on the bone of a joint, and on its mirror image if mirroring is on. */
  splitBone(label: string): void {
    const edits = this.#viewer.skeletonEdits;
    const both = this.#viewer.mirrorJoints ? [label, mirrored(label)] : [label];
    const splits = Object.fromEntries(both.map((each) => [each, (edits.splits?.[each] ?? 1) + 1]));
    void this.#change({ edits: { ...edits, splits: { ...edits.splits, ...splits } } }, `joint on ${label}`);
  }

  /** The chain that a joint belongs to. */
  chainOf(label: string): JointChain | undefined {
    return this.#viewer.skeletonEdits.chains?.find((chain) => label.startsWith(`${chain.label}.`));
  }

  setChainJoints({ label }: JointChain, count: number): void {
    const edits = this.#viewer.skeletonEdits;
    const chains = edits.chains?.map((chain) => (chain.label === label ? { ...chain, count } : chain)) ?? [];
    this.#changeAndSelect({ ...edits, chains }, `joints of ${label}`, `${label}.1`);
  }

  /** Asks for the place of a joint. */
  askForMarker(label: string): void {
    const bone = this.#viewer.skeletonFit?.bones.find((bone) => bone.label === label);
    if (!bone) return;
    const { what, where } = jointWords(label);
    this.#pick({ title: what, hint: `${PRESS} ${where}`, joint: label }, (point) => {
      this.moveJoint(bone.name, point);
      this.#viewer.selectedJoint = bone.name;
    });
    this.#viewer.selectedJoint = bone.name;
  }

  /** Asks for the base and the tip of a chain of joints. */
  askForChain(): void {
    const chain = { title: 'Add a chain', isChain: true };
    this.#pick({ ...chain, hint: `${PRESS} where the tail or the hair begins` }, (base) => {
      this.#pick({ ...chain, hint: `${PRESS} where it ends` }, (tip) => this.#addChain(base, tip));
    });
  }

  #addChain(base: Point, tip: Point): void {
    const { chainJoints: count } = this.#state.now;
    const fit = this.#viewer.skeletonFit;
    if (!fit) return;
    const edits = this.#viewer.skeletonEdits;
    const chains = edits.chains ?? [];
    const parent = nearestBone(fit, base)?.label ?? '';
    let number = chains.length + 1;
    while (chains.some(({ label }) => label === `chain${number}`)) number++;
    const chain: JointChain = { label: `chain${number}`, parent, base, tip, count };
    this.#changeAndSelect({ ...edits, chains: [...chains, chain] }, 'chain', `${chain.label}.1`);
  }

  // Points that the user clicks.

  #pick(prompt: Prompt, picked: (point: Point) => void): void {
    this.#tools.use('place-joints');
    this.#picked = picked;
    this.#state.set({ prompt });
  }

  #stopPicking(): void {
    this.#picked = null;
    this.#state.set({ prompt: null });
  }

  #followClicks(): void {
    const viewer = this.#viewer;
    let pressed: { x: number; y: number } | null = null;
    viewer.addEventListener('pointerdown', ({ clientX: x, clientY: y, isPrimary }) => {
      pressed = isPrimary ? { x, y } : null;
    });
    viewer.addEventListener('pointerup', ({ clientX: x, clientY: y }) => {
      const from = pressed;
      pressed = null;
      if (!this.#picked || !from || Math.hypot(x - from.x, y - from.y) > CLICK_PIXELS) return;
      const { left, top } = viewer.getBoundingClientRect();
      const point = viewer.bodyPointAt(x - left, y - top);
      if (!point) return;
      const picked = this.#picked;
      this.#stopPicking();
      // After the gesture that the same click may have been.
      setTimeout(() => picked(point));
    });
  }

  /** Joints that are dragged in the picture become markers. */
  #followGestures(): void {
    const viewer = this.#viewer;
    const placed = (): FitSkeletonOptions => ({ markers: viewer.markers, edits: viewer.skeletonEdits });
    let before: FitSkeletonOptions | null = null;
    listen(viewer, 'gesture-start', () => {
      before = viewer.tool === 'place-joints' && viewer.skeletonFit ? placed() : null;
    });
    listen(viewer, 'gesture-end', () => {
      const began = before;
      before = null;
      const now = placed();
      if (began && !isSame(began, now)) this.#push(began, now, `move of ${viewer.selectedJoint ?? 'joints'}`);
    });
  }

  // Changes.

  /** Selects the joint, which the old skeleton may not have, when the new one is there. */
  #changeAndSelect(edits: SkeletonEdits, label: string, joint: string): void {
    void this.#change({ edits }, label).then(() => {
      this.#viewer.selectedJoint = joint;
    });
  }

  #change(change: FitSkeletonOptions, label: string): Promise<void> {
    const { skeleton, markers, fingers, jointNames, orientation, skeletonEdits: edits } = this.#viewer;
    const all = { markers, fingers, jointNames, orientation, edits };
    const before: FitSkeletonOptions = skeleton === 'none' ? all : { ...all, skeleton };
    this.#push(before, { ...before, ...change }, label);
    return this.#set(change);
  }

  #push(before: FitSkeletonOptions, after: FitSkeletonOptions, label: string): void {
    this.#history.push({ label, undo: () => void this.#set(before), redo: () => void this.#set(after) });
  }

  async #set(options: FitSkeletonOptions): Promise<void> {
    // Failures are reported by the error event of the element.
    await this.#viewer.fitSkeleton(options).catch(() => {});
  }

  /** Moves the camera, at the same distance, to one side of the character. */
  lookFrom(side: Side): void {
    const viewer = this.#viewer;
    const { camera, skeletonFit } = viewer;
    if (!camera) return;
    const { up, front } = skeletonFit?.orientation ?? { up: [0, 1, 0], front: [0, 0, 1] };
    const [x, y, z] = { front, side: cross(up, front), top: up }[side];
    const degrees = 180 / Math.PI;
    const pitch = Math.asin(Math.max(-1, Math.min(1, y))) * degrees;
    // Straight from above, the front is below.
    const [fx, , fz] = front;
    const yaw = Math.hypot(x, z) > 1e-3 ? Math.atan2(x, z) : Math.atan2(fx, fz);
    viewer.camera = { ...camera, yaw: yaw * degrees, pitch };
  }
}

/** The bone that is nearest to a point. */
function nearestBone({ bones }: SkeletonFit, point: Point): FittedBone | undefined {
  const distance = ({ head, tail }: FittedBone): number => {
    const along = difference(tail, head);
    const length = dot(along, along);
    const share = length > 0 ? Math.min(1, Math.max(0, dot(difference(point, head), along) / length)) : 0;
    return Math.hypot(...point.map((x, axis) => x - (head[axis] ?? 0) - (along[axis] ?? 0) * share));
  };
  const far = bones.map((bone) => distance(bone));
  return bones[far.indexOf(Math.min(...far))];
}

/** The label of the same joint of the other side. */
function mirrored(label: string): string {
  return label.replace(/\.([LR])$/, (_, side) => (side === 'L' ? '.R' : '.L'));
}

function negated([x, y, z]: Vector): [number, number, number] {
  return [0 - x, 0 - y, 0 - z];
}

function difference(a: Vector, b: Vector): [number, number, number] {
  return [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
}

function dot(a: Vector, b: Vector): number {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

function cross(a: Vector, b: Vector): [number, number, number] {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}

/** Plain objects of numbers are compared by their text. */
function isSame(a: object, b: object): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/**
 * What every panel shares: the element, the history, and the changes that can be undone. A panel never
 * sets the recipe, the pose or the joints by itself; it asks here, so that undo knows.
 */
import type { JointAngles, ModelSource, Point } from '../element/api.ts';
import { valueAt, withValueAt } from '../parameters.ts';
import type { Deformer, Recipe, SampleCharacter } from '../wasm.ts';
import { type Angles, sameTurn, simplest } from './angles.ts';
import { ExampleSettings } from './examples.ts';
import { baseName, mainFile } from './files.ts';
import { HandleSettings } from './handles.ts';
import { History } from './history.ts';
import type { LinkState } from './link.ts';
import { SAMPLES } from './parameters.ts';
import { PostSkinningSettings } from './post_skinning.ts';
import { listen, type Viewer } from './viewer.ts';
import { Halves } from './views.ts';

type Positions = Readonly<Record<string, Point>>;

/** What the page calls the character, and whether a link can bring it back. */
export interface Source {
  readonly name: string;
  readonly member: SampleCharacter | null;
}

export class Studio {
  readonly viewer: Viewer;
  readonly history = new History();
  readonly halves: Halves;
  readonly postSkinning: PostSkinningSettings;
  readonly examples: ExampleSettings;
  readonly handles: HandleSettings;
  /** As the element had them when the page opened. */
  readonly defaults: LinkState;
  source: Source = { name: 'Mannequin', member: 'mannequin' };
  /** What is being opened; it becomes the source once it is on screen. */
  #opening: Source | null = null;
  /** The recipe of the skin on screen. */
  #rigged: Recipe | null = null;
  /** The same in the right half. */
  #compared: Recipe | null = null;
  /** Turns as they were asked for; the element may tell the same turn in other numbers. */
  #asked: JointAngles = {};
  #pose: JointAngles = {};
  #positions: Positions = {};

  constructor(viewer: Viewer) {
    this.viewer = viewer;
    this.halves = new Halves(viewer, this.history);
    const { recipe, deformer, show, divider } = viewer;
    this.postSkinning = new PostSkinningSettings(viewer, this.history);
    this.examples = new ExampleSettings(viewer, this.postSkinning, this.history);
    this.handles = new HandleSettings(viewer, this.history);
    const postSkinning = this.postSkinning.state;
    this.defaults = {
      member: 'mannequin',
      recipe,
      deformer,
      show,
      divider,
      compare: null,
      postSkinning,
      frames: null,
    };
    this.#followPose();
    this.#followLoad();
  }

  /**
   * Opens another character. Errors reach the page through the element's `error` event. `isNamed` when what is set joint
   * by joint was set for this one, as a link does.
   */
  async open(source: ModelSource, isNamed = false): Promise<boolean> {
    const opening = sourceOf(source);
    this.#opening = opening;
    // What is set joint by joint belongs to the character that has them.
    if (!isNamed && !sameSource(this.source, opening)) {
      const { recipe, compareRecipe } = this.viewer;
      if (namesJoints(recipe)) this.viewer.recipe = withoutJoints(recipe);
      if (compareRecipe && namesJoints(compareRecipe))
        this.viewer.compareRecipe = withoutJoints(compareRecipe);
      if (this.viewer.volumeExcluded.length) this.viewer.volumeExcluded = [];
    }
    try {
      await this.viewer.load(source);
      return true;
    } catch {
      if (this.#opening === opening) this.#opening = null;
      return false;
    }
  }

  /** Stops what is under way, and takes back the setting that asked for it. */
  cancel(): void {
    this.viewer.cancel();
    // What was to be learned from stays in the tray, and can be learned from later.
    if (this.viewer.method === 'examples') return;
    // The skin on screen was found by another recipe; the panels should say which.
    if (this.#isAhead || this.#isRightAhead) this.history.undo();
    if (this.#rigged && this.#isAhead) this.viewer.recipe = this.#rigged;
    if (this.#isRightAhead) this.viewer.compareRecipe = this.viewer.compareReport && this.#compared;
  }

  /** Whether another skin is wanted than the one on screen. */
  get #isAhead(): boolean {
    return this.#rigged !== null && !same(this.#rigged, this.viewer.recipe);
  }

  get #isRightAhead(): boolean {
    const { compareRecipe, compareReport } = this.viewer;
    return (
      compareRecipe !== null && (!compareReport || !this.#compared || !same(this.#compared, compareRecipe))
    );
  }

  /** Sets one value of the current half's recipe. `settled` is false while a slider is being dragged. */
  setParameter(path: string, value: unknown, label: string, settled = true): void {
    const { recipe } = this.halves;
    if (valueAt(recipe, path) === value) {
      if (settled) this.history.seal();
      return;
    }
    this.#setRecipe(withValueAt(recipe, path, value), label, `recipe ${path}`);
    if (settled) this.history.seal();
  }

  /** A softness of its own for one joint; null takes it back. */
  setSoftness(joint: string, k: number | null, settled: boolean): void {
    const { recipe } = this.halves;
    const { [joint]: before, ...others } = recipe.atlas.k_joints;
    const k_joints = k === null ? others : { ...others, [joint]: k };
    if (before !== (k ?? undefined)) {
      const atlas = { ...recipe.atlas, k_joints };
      this.#setRecipe({ ...recipe, atlas }, `softness of ${joint}`, `softness ${joint}`);
    }
    if (settled) this.history.seal();
  }

  /** Switches a joint on or off against what was decided for it. A joint is the same in both halves. */
  setDeforms(joint: string, on: boolean): void {
    const { viewer, history } = this;
    const before = [viewer.recipe, viewer.compareRecipe] as const;
    const switched = <T extends Recipe | null>(recipe: T): T =>
      recipe && { ...recipe, deforms: { ...recipe.deforms, [joint]: on } };
    const after = [switched(before[0]), switched(before[1])] as const;
    const set = ([recipe, compared]: readonly [Recipe, Recipe | null]): void => {
      viewer.recipe = recipe;
      viewer.compareRecipe = compared;
    };
    set(after);
    history.push({ label: `switch of ${joint}`, undo: () => set(before), redo: () => set(after) });
  }

  #setRecipe(recipe: Recipe, label: string, kind: string): void {
    const { viewer, history, halves } = this;
    const { recipe: before, current } = halves;
    const set = (to: Recipe): void => {
      if (current === 'left') viewer.recipe = to;
      else viewer.compareRecipe = to;
    };
    set(recipe);
    history.push({ label, kind: `${current} ${kind}`, undo: () => set(before), redo: () => set(recipe) });
  }

  setDeformer(deformer: Deformer): void {
    const { viewer, history, halves } = this;
    if (halves.current === 'right') {
      halves.setDeformer(deformer);
      return;
    }
    const before = viewer.deformer;
    if (before === deformer) return;
    const set = (to: Deformer): void => {
      viewer.deformer = to;
    };
    set(deformer);
    history.push({ label: 'deformer', undo: () => set(before), redo: () => set(deformer) });
  }

  /** A joint's turn, in the numbers it was asked for where those still hold. */
  anglesOf(joint: string): Angles {
    const told = this.viewer.pose[joint] ?? [0, 0, 0];
    const asked = this.#asked[joint];
    return asked && sameTurn(asked, told) ? asked : simplest(told);
  }

  /** Turns one joint; the others stay. */
  turn(joint: string, angles: Angles, settled: boolean): void {
    const { viewer } = this;
    if (!viewer.paused) viewer.pause();
    const before = { ...viewer.pose, [joint]: this.anglesOf(joint) };
    const after = { ...before, [joint]: angles };
    this.#asked = { ...this.#asked, [joint]: angles };
    viewer.setPose(after);
    this.#recordPose(before, after, `turn of ${joint}`, `pose ${joint}`);
    if (settled) this.history.seal();
  }

  resetPose(): void {
    const { viewer } = this;
    if (!viewer.paused) viewer.pause();
    const before = viewer.pose;
    const pulled = viewer.handleTargets;
    if (same(before, {}) && same(pulled, {})) return;
    viewer.resetPose();
    const set = (pose: JointAngles, targets: Positions): void => {
      viewer.pause();
      viewer.setPose(pose);
      viewer.handleTargets = targets;
      this.#pose = pose;
    };
    set({}, {});
    this.history.push({ label: 'pose reset', undo: () => set(before, pulled), redo: () => set({}, {}) });
  }

  #recordPose(before: JointAngles, after: JointAngles, label: string, kind?: string): void {
    this.#pose = after;
    const set = (pose: JointAngles): void => {
      this.viewer.pause();
      this.#asked = { ...this.#asked, ...pose };
      this.viewer.setPose(pose);
      this.#pose = pose;
    };
    this.history.push({ label, ...(kind ? { kind } : {}), undo: () => set(before), redo: () => set(after) });
  }

  /** Moves one joint in rest space, as a drag in the picture does: its mirror image along, if that is on. */
  place(joint: string, point: Point): void {
    const before = this.viewer.jointPositions;
    const after = this.viewer.jointPositionsWith(joint, point);
    this.#setPositions(after);
    this.#recordJoints(before, after, `move of ${joint}`);
  }

  #recordJoints(before: Positions, after: Positions, label: string): void {
    this.#positions = after;
    this.history.push({
      label,
      undo: () => this.#setPositions(before),
      redo: () => this.#setPositions(after),
    });
  }

  #setPositions(positions: Positions): void {
    this.#positions = positions;
    // What goes wrong is told by the element's error event.
    this.viewer.setJointPositions(positions).catch(() => {});
  }

  /** Turns by the gizmo happen inside the element; only where they began and ended is seen here. */
  #followPose(): void {
    const { viewer } = this;
    let dragging = false;
    listen(viewer, 'gesture-start', () => {
      dragging = true;
      this.#pose = viewer.pose;
      this.#positions = viewer.jointPositions;
    });
    listen(viewer, 'gesture-end', () => {
      if (!dragging) return;
      dragging = false;
      const { pose, jointPositions } = viewer;
      if (!same(this.#pose, pose)) {
        this.#recordPose(this.#pose, pose, viewer.selectedJoint ? `turn of ${viewer.selectedJoint}` : 'pose');
      }
      if (!same(this.#positions, jointPositions)) {
        this.#recordJoints(this.#positions, jointPositions, 'move of joints');
      }
    });
  }

  #followLoad(): void {
    listen(this.viewer, 'load', () => {
      // Of several files, the one with the mesh is what the character is called after.
      const { name } = this.viewer.model ?? {};
      this.source = this.#opening ?? this.source;
      if (this.#opening?.member === null && name) this.source = { name: baseName(name), member: null };
      this.#opening = null;
      this.#rigged = null;
      this.#compared = null;
      this.#asked = {};
      this.#pose = {};
      this.#positions = this.viewer.jointPositions;
      this.history.clear();
    });
    listen(this.viewer, 'rig-complete', () => {
      this.#rigged = this.viewer.recipe;
    });
    listen(this.viewer, 'compare-complete', () => {
      this.#compared = this.viewer.compareRecipe;
    });
  }
}

function sourceOf(source: ModelSource): Source {
  if (source.kind === 'sample') {
    const name = SAMPLES.find((choice) => choice.value === source.member)?.label ?? source.member;
    return { name, member: source.member };
  }
  const name = source.kind === 'url' ? source.url : (mainFile(source.files)?.name ?? 'character');
  return { name: baseName(name), member: null };
}

function sameSource(a: Source, b: Source): boolean {
  return a.member !== null && a.member === b.member;
}

function namesJoints({ deforms, atlas, handles }: Recipe): boolean {
  return hasMembers(deforms) || hasMembers(atlas.k_joints) || handles.length > 0;
}

function withoutJoints(recipe: Recipe): Recipe {
  return { ...recipe, deforms: {}, handles: [], atlas: { ...recipe.atlas, k_joints: {} } };
}

function hasMembers(object: object): boolean {
  return Object.keys(object).length > 0;
}

/** Plain numbers in plain objects: their text tells them apart. */
function same(a: object, b: object): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

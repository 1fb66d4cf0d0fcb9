/**
 * What every panel shares: the element, its state, the history, and the changes that can be undone.
 * A panel never sets the recipe, the pose or the joints by itself but calls a method here, so that
 * the change is in the history.
 */

import type { ModelSource } from '../element/api.ts';
import { OPTIONS } from '../options.ts';
import { valueAt, withValueAt } from '../parameters.ts';
import type { Deformer, Recipe, SampleCharacter } from '../wasm.ts';
import { ExampleSettings } from './examples.ts';
import { baseName, mainFile } from './files.ts';
import { HandleSettings } from './handles.ts';
import { History } from './history.ts';
import type { LinkState } from './link.ts';
import { JointPositions, PoseSettings } from './pose.ts';
import { PostSkinningSettings } from './post_skinning.ts';
import { SkeletonSettings } from './skeleton.ts';
import { SplitView } from './split_view.ts';
import { StateStore } from './state.ts';
import { Tools } from './tools.ts';
import { listen, type Viewer } from './viewer.ts';
import { SAMPLES } from './words.ts';

/** The name of the character, and the sample that it is; null for the user's own files. */
export interface Source {
  readonly name: string;
  readonly member: SampleCharacter | null;
}

export class Studio {
  readonly viewer: Viewer;
  readonly history = new History();
  readonly state: StateStore;
  readonly split: SplitView;
  readonly postSkinning: PostSkinningSettings;
  readonly examples: ExampleSettings;
  readonly handles: HandleSettings;
  readonly pose: PoseSettings;
  readonly joints: JointPositions;
  readonly tools: Tools;
  readonly skeleton: SkeletonSettings;
  /** The state of the element when the page opened. */
  readonly defaults: LinkState;
  source: Source = { name: 'Mannequin', member: 'mannequin' };
  /** What is being opened; it becomes the source when it is on screen. */
  #opening: Source | null = null;
  /** Whether the correction was set for what is being opened. */
  #keepsCorrection = true;
  /** The recipe of the weights on screen. */
  #rigged: Recipe | null = null;
  /** The same for the second view. */
  #riggedSecond: Recipe | null = null;

  constructor(viewer: Viewer) {
    const { history } = this;
    this.viewer = viewer;
    this.state = new StateStore(viewer);
    this.split = new SplitView(viewer, this.state, history);
    this.postSkinning = new PostSkinningSettings(viewer, history);
    this.examples = new ExampleSettings(viewer, this.postSkinning, history);
    this.handles = new HandleSettings(viewer, history);
    this.pose = new PoseSettings(viewer, history);
    this.tools = new Tools(viewer, this.state, this.examples);
    this.skeleton = new SkeletonSettings(viewer, this.state, history, this.tools);
    this.joints = new JointPositions(viewer, history, this.skeleton);
    const { recipe, deformer, show, divider } = viewer;
    this.defaults = {
      member: 'mannequin',
      recipe,
      deformer,
      show,
      divider,
      compare: null,
      postSkinning: this.postSkinning.settings,
      frames: null,
    };
    this.#followLoad();
  }

  /**
   * Opens another character. Errors are reported by the `error` event of the element. `isLink` when
   * settings by joint and the correction were set for this character by a link.
   */
  async open(source: ModelSource, isLink = false): Promise<boolean> {
    const opening = sourceOf(source);
    this.#opening = opening;
    this.#keepsCorrection = isLink || isSameSource(this.source, opening);
    if (!this.#keepsCorrection) this.#forgetJoints();
    // A file is first shown as its artist made it, whatever was tried on the last character.
    if (source.kind !== 'sample' && !isLink) this.viewer.method = OPTIONS.recipe.method;
    // The body plan and the fingers belong to the last character.
    this.viewer.skeleton = 'auto';
    this.viewer.fingers = null;
    try {
      await this.viewer.load(source);
      return true;
    } catch {
      if (this.#opening === opening) this.#opening = null;
      return false;
    }
  }

  /** Settings by joint belong to one character. */
  #forgetJoints(): void {
    const { recipe, compareRecipe } = this.viewer;
    if (namesJoints(recipe)) this.viewer.recipe = withoutJoints(recipe);
    if (compareRecipe && namesJoints(compareRecipe)) this.viewer.compareRecipe = withoutJoints(compareRecipe);
  }

  /** Stops the run, and undoes the setting that started it. */
  cancel(): void {
    this.viewer.cancel();
    // Examples stay in the list and can be fitted later.
    if (this.viewer.method === 'examples') return;
    // The weights on screen belong to an earlier recipe; the panels should show that one.
    if (this.#isAhead || this.#isSecondAhead) this.history.undo();
    if (this.#rigged && this.#isAhead) this.viewer.recipe = this.#rigged;
    if (this.#isSecondAhead) this.viewer.compareRecipe = this.viewer.compareReport && this.#riggedSecond;
  }

  /** Whether the recipe differs from that of the weights on screen. */
  get #isAhead(): boolean {
    return this.#rigged !== null && !isSame(this.#rigged, this.viewer.recipe);
  }

  get #isSecondAhead(): boolean {
    const { compareRecipe, compareReport } = this.viewer;
    if (compareRecipe === null) return false;
    return !compareReport || !this.#riggedSecond || !isSame(this.#riggedSecond, compareRecipe);
  }

  /**
   * Sets one value of the recipe of the chosen side. `settled` is false while a slider is dragged.
   */
  setParameter(path: string, value: unknown, label: string, settled = true): void {
    const recipe = this.#sideRecipe;
    if (valueAt(recipe, path) !== value)
      this.#setRecipe(withValueAt(recipe, path, value), label, `recipe ${path}`);
    if (settled) this.history.seal();
  }

  /** The softness of one joint; null for that of all others. */
  setSoftness(joint: string, k: number | null, settled: boolean): void {
    const recipe = this.#sideRecipe;
    const { [joint]: before, ...others } = recipe.atlas.k_joints;
    const k_joints = k === null ? others : { ...others, [joint]: k };
    if (before !== (k ?? undefined)) {
      const atlas = { ...recipe.atlas, k_joints };
      this.#setRecipe({ ...recipe, atlas }, `softness of ${joint}`, `softness ${joint}`);
    }
    if (settled) this.history.seal();
  }

  /** Overrides whether a joint deforms the skin, on both sides. */
  setDeforms(joint: string, on: boolean): void {
    const { viewer, history } = this;
    const before = [viewer.recipe, viewer.compareRecipe] as const;
    const switched = <T extends Recipe | null>(recipe: T): T =>
      recipe && { ...recipe, deforms: { ...recipe.deforms, [joint]: on } };
    const after = [switched(before[0]), switched(before[1])] as const;
    const set = ([recipe, second]: readonly [Recipe, Recipe | null]): void => {
      viewer.recipe = recipe;
      viewer.compareRecipe = second;
    };
    set(after);
    history.push({
      label: `switch of ${joint}`,
      undo: () => set(before),
      redo: () => set(after),
    });
  }

  get #isRight(): boolean {
    return this.state.now.side === 'right' && this.split.isOpen;
  }

  /** As the element has it now; the state of the panels follows at the end of the turn. */
  get #sideRecipe(): Recipe {
    const { recipe, compareRecipe } = this.viewer;
    return (this.#isRight && compareRecipe) || recipe;
  }

  #setRecipe(recipe: Recipe, label: string, kind: string): void {
    const { viewer, history } = this;
    const isRight = this.#isRight;
    const before = this.#sideRecipe;
    const set = (to: Recipe): void => {
      if (isRight) viewer.compareRecipe = to;
      else viewer.recipe = to;
    };
    set(recipe);
    history.push({
      label,
      kind: `${isRight ? 'right' : 'left'} ${kind}`,
      undo: () => set(before),
      redo: () => set(recipe),
    });
  }

  setDeformer(deformer: Deformer): void {
    const { viewer, history } = this;
    if (this.#isRight) {
      this.split.setDeformer(deformer);
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

  #followLoad(): void {
    const { viewer } = this;
    listen(viewer, 'load', () => {
      // Of several files, the one with the mesh names the character.
      const { name } = viewer.model ?? {};
      this.source = this.#opening ?? this.source;
      if (this.#opening?.member === null && name) this.source = { name: baseName(name), member: null };
      this.#opening = null;
      // The correction was chosen for the previous character.
      if (!this.#keepsCorrection) {
        this.postSkinning.restore(this.defaults.postSkinning);
        this.state.set({ bakes: false });
      }
      this.#keepsCorrection = true;
      this.#rigged = null;
      this.#riggedSecond = null;
      this.history.clear();
    });
    listen(viewer, 'rig-complete', () => {
      this.#rigged = viewer.recipe;
    });
    listen(viewer, 'compare-complete', () => {
      this.#riggedSecond = viewer.compareRecipe;
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

function isSameSource(a: Source, b: Source): boolean {
  return a.member !== null && a.member === b.member;
}

function namesJoints({ deforms, atlas, handles, loose_part_motions }: Recipe): boolean {
  const named = [deforms, atlas.k_joints, loose_part_motions];
  return named.some(hasMembers) || handles.length > 0;
}

function withoutJoints(recipe: Recipe): Recipe {
  const atlas = { ...recipe.atlas, k_joints: {} };
  return { ...recipe, deforms: {}, handles: [], loose_part_motions: {}, atlas };
}

function hasMembers(object: object): boolean {
  return Object.keys(object).length > 0;
}

/** Recipes are plain objects and are compared by their text. */
function isSame(a: object, b: object): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

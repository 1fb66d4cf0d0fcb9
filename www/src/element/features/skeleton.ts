/** The skeleton that is fitted to a mesh: body plan, markers, fingers, names, edits by hand. */

import { PliantFailure } from '../../solver/failure.ts';
import type { FitSkeletonAnswer, SkeletonFit } from '../../solver/protocol.ts';
import type { SkeletonEdits } from '../../solver/skeleton_edits.ts';
import type { BodyPlan, FitOptions, FittedBone, Names, Orientation } from '../../wasm.ts';
import type { FitSkeletonOptions, PliantViewerApi, Point, SkeletonChoice, ViewerState } from '../api.ts';
import { numberIn, oneOf, reflect } from '../attributes.ts';
import type { ViewerContext } from '../context.ts';
import type { CharacterOptions, Feature } from '../feature.ts';
import { ignoreRejection, type Task } from '../tasks.ts';
import { Playback } from './playback.ts';
import { Source } from './source.ts';
import { Tools } from './tools.ts';

type Markers = Readonly<Record<string, Point>>;

/** A record, so that the compiler reports a plan of the Rust side that is missing here. */
const PLANS: Record<BodyPlan, true> = {
  humanoid: true,
  quadruped: true,
  bird: true,
  fish: true,
  snake: true,
  spider: true,
  generic: true,
};

/** Body plans that can be chosen. */
export const BODY_PLANS = Object.keys(PLANS) as readonly BodyPlan[];

const CHOICES: readonly SkeletonChoice[] = ['auto', ...BODY_PLANS, 'none'];

const NAMES: Record<Names, true> = {
  plain: true,
  mixamo: true,
  vrm: true,
  unity: true,
  unreal: true,
  rigify: true,
};

const CONVENTIONS = Object.keys(NAMES) as readonly Names[];

/** Fingers of a hand. */
const FINGERS = [0, 5] as const;

/** Labels of the joints of fingers. */
const FINGER = /^(thumb|index|middle|ring|little)_\d/;

/** The cosine of the angle between camera and front beyond which a face cannot be seen. */
const BESIDE = 0.3;

/** A joint was moved if it is farther away than this share of the body's height. */
const MOVED_SHARE = 1e-4;

export class Skeleton implements Feature {
  static readonly attributes = ['skeleton', 'fingers', 'joint-names'];
  static readonly members = [
    'skeleton',
    'markers',
    'fingers',
    'jointNames',
    'orientation',
    'skeletonEdits',
    'skeletonFit',
    'markersWith',
    'fitSkeleton',
  ] as const satisfies readonly (keyof PliantViewerApi)[];

  readonly #context: ViewerContext;
  #markers: Markers = {};
  #orientation: Orientation | null = null;
  #edits: SkeletonEdits = {};
  #fit: SkeletonFit | null = null;
  /** The fit that is about to be on screen. */
  #coming: SkeletonFit | undefined;
  /** Fits until nothing has changed any more. */
  #run: Promise<void> | undefined;
  #isOutdated = false;
  /** The camera still looks where the format of the file promises the front. */
  #isNewMesh = false;
  #isScheduled = false;
  /** Markers that a dragged joint stands for, not sent to the solver yet. */
  #dragged: { readonly markers: Markers; readonly isFinger: boolean } | undefined;
  /** Refits while a joint is dragged. */
  #following: Promise<void> | undefined;
  /** Where the dragged joint was when markers were sent last. */
  #lastHead: Point | undefined;

  constructor(context: ViewerContext) {
    this.#context = context;
  }

  partialState(): Pick<
    ViewerState,
    'skeleton' | 'markers' | 'fingers' | 'jointNames' | 'orientation' | 'skeletonEdits' | 'skeletonFit'
  > {
    const { skeleton, markers, fingers, jointNames, orientation, skeletonEdits, skeletonFit } = this;
    return { skeleton, markers, fingers, jointNames, orientation, skeletonEdits, skeletonFit };
  }

  // Attributes and properties.

  attributeChanged(name: string): void {
    const key = name === 'joint-names' ? 'jointNames' : (name as 'skeleton' | 'fingers');
    this.#changed(key);
  }

  get skeleton(): SkeletonChoice {
    return oneOf(this.#context.element.getAttribute('skeleton'), CHOICES, 'auto');
  }

  set skeleton(choice: SkeletonChoice) {
    reflect(this.#context.element, 'skeleton', choice);
  }

  get fingers(): number | null {
    const count = numberIn(this.#context.element.getAttribute('fingers'), FINGERS, -1);
    return count < 0 ? null : Math.round(count);
  }

  set fingers(count: number | null) {
    reflect(this.#context.element, 'fingers', count === null ? null : String(count));
  }

  get jointNames(): Names {
    return oneOf(this.#context.element.getAttribute('joint-names'), CONVENTIONS, 'plain');
  }

  set jointNames(names: Names) {
    reflect(this.#context.element, 'joint-names', names);
  }

  get markers(): Markers {
    return structuredClone(this.#markers);
  }

  set markers(markers: Markers) {
    this.#markers = structuredClone(markers);
    this.#changed('markers');
  }

  get orientation(): Orientation | null {
    return structuredClone(this.#orientation);
  }

  set orientation(orientation: Orientation | null) {
    this.#orientation = structuredClone(orientation);
    this.#changed('orientation');
  }

  get skeletonEdits(): SkeletonEdits {
    return structuredClone(this.#edits);
  }

  set skeletonEdits(edits: SkeletonEdits) {
    this.#edits = structuredClone(edits);
    this.#changed('skeletonEdits');
  }

  get skeletonFit(): SkeletonFit | null {
    return this.#fit;
  }

  /** A setting changed. A skeleton that was fitted is fitted again, once for all of one turn. */
  #changed(key: 'skeleton' | 'markers' | 'fingers' | 'jointNames' | 'orientation' | 'skeletonEdits'): void {
    const { model } = this.#context;
    this.#context.changed(key);
    const isBare = model !== null && model.joints.length === 0 && key === 'skeleton';
    if (this.#isScheduled || !(this.#fit || isBare) || !this.isAutomatic) return;
    this.#isScheduled = true;
    queueMicrotask(() => {
      // Unless `fitSkeleton` was called in the same turn.
      if (this.#isScheduled) ignoreRejection(this.#refit());
    });
  }

  async fitSkeleton(options: FitSkeletonOptions = {}): Promise<SkeletonFit> {
    const { skeleton, markers, fingers, jointNames, orientation, edits } = options;
    if (!this.#context.model) {
      const message = 'No character is loaded';
      throw new PliantFailure({ code: 'nothing_loaded', message, hint: 'Load one first' });
    }
    if (skeleton !== undefined) this.skeleton = skeleton;
    if (fingers !== undefined) this.fingers = fingers;
    if (jointNames !== undefined) this.jointNames = jointNames;
    if (markers !== undefined) this.markers = markers;
    if (orientation !== undefined) this.orientation = orientation;
    if (edits !== undefined) this.skeletonEdits = edits;
    await this.#refit();
    if (!this.#fit) throw PliantFailure.cancelled();
    return this.#fit;
  }

  /** Whether a mesh without a skeleton gets one. */
  get isAutomatic(): boolean {
    return this.skeleton !== 'none';
  }

  /** Fits a skeleton to a mesh that has just come. False if there is none, which is reported. */
  async fitNewMesh(task: Task): Promise<boolean> {
    try {
      this.#isNewMesh = true;
      await this.#fitWithin(task, this.#context.get(Playback).autoplay);
      return true;
    } catch (thrown) {
      if (task.signal.aborted || this.#fit) throw thrown;
      this.#context.fail(PliantFailure.of(thrown));
      return false;
    }
  }

  markersWith(label: string, to: Point): Markers {
    const markers = { ...this.#markers, [label]: to };
    const other = this.#context.get(Tools).mirrorJoints ? otherSide(label) : null;
    const image = other && this.#reflected(to, label, other);
    return image && other ? { ...markers, [other]: image } : markers;
  }

  /** A point reflected in the plane between two joints; null if the skeleton lacks one of them. */
  #reflected(point: Point, ...pair: [string, string]): Point | null {
    const heads = pair.flatMap((label) => this.#fit?.bones.filter((bone) => bone.label === label) ?? []);
    const [a, b] = heads.map(({ head }) => head);
    if (!this.#fit || !a || !b) return null;
    const { up, front } = this.#fit.orientation;
    const left = cross(up, front);
    const along = (p: Point): number => p[0] * left[0] + p[1] * left[1] + p[2] * left[2];
    const twice = 2 * along(point) - along(a) - along(b);
    return [point[0] - twice * left[0], point[1] - twice * left[1], point[2] - twice * left[2]];
  }

  // Joints that are dragged.

  /** The bone whose head or end is dragged, and where its head is if that is what is dragged. */
  #draggedBone(): { readonly bone: FittedBone; readonly head: Point | null } | null {
    const { viewer } = this.#context;
    const bone = this.#fit?.bones.find(({ name }) => name === viewer?.selected);
    const head = bone && viewer?.jointPositions()[bone.name];
    if (!bone || !head) return null;
    return { bone, head: this.#lastHead || this.#isMoved(head, bone.head) ? head : null };
  }

  #isMoved(to: Point | undefined, from: Point): to is Point {
    const limit = (this.#fit?.height ?? 0) * MOVED_SHARE;
    return to !== undefined && Math.hypot(to[0] - from[0], to[1] - from[1], to[2] - from[2]) > limit;
  }

  /** The dragged joint has moved: the others follow. One refit at a time, the newest next. */
  jointDragged(): void {
    const { bone, head } = this.#draggedBone() ?? {};
    if (!bone || !head || (this.#lastHead && isSame(head, this.#lastHead))) return;
    this.#lastHead = head;
    this.#dragged = { markers: this.markersWith(bone.label, head), isFinger: FINGER.test(bone.label) };
    this.#following ??= this.#followDrag().finally(() => {
      this.#following = undefined;
    });
  }

  async #followDrag(): Promise<void> {
    while (this.#dragged) {
      const { markers, isFinger } = this.#dragged;
      this.#dragged = undefined;
      // Fingers take as long as everything else. They follow the hand until it is released.
      const options = isFinger
        ? this.#options(markers)
        : { ...this.#options(withoutFingers(markers)), fingers: 0 };
      const ask = { kind: 'preview-skeleton', options, edits: this.#edits } as const;
      // What fails here fails again, and is reported, when the joint is released.
      const fit = await this.#context.solver.ask(ask).catch(() => null);
      if (!fit || !this.#fit || !this.#lastHead) return;
      const bones = withFollowers(this.#fit.bones, fit.bones);
      const by = (end: 'head' | 'tail') => Object.fromEntries(bones.map((bone) => [bone.name, bone[end]]));
      this.#context.viewer?.followDrag(by('head'), by('tail'));
      this.#markDoubtful(fit);
      this.#context.viewerChanged();
    }
  }

  #endDrag(): void {
    this.#dragged = undefined;
    this.#lastHead = undefined;
  }

  dragCancelled(): void {
    this.#endDrag();
    if (this.#fit) this.#markDoubtful(this.#fit);
  }

  /** A joint or the end of a bone that the user has dragged stays there; the others follow. */
  jointPlaced(): void {
    const { bone, head } = this.#draggedBone() ?? {};
    this.#endDrag();
    const { viewer } = this.#context;
    const fit = this.#fit;
    if (!viewer || !fit || !bone) return;
    if (head) {
      this.markers = this.markersWith(bone.label, head);
      return;
    }
    const tails = viewer.leafTails();
    const ends = fit.bones.filter(({ name, tail }) => this.#isMoved(tails[name], tail));
    if (ends.length === 0) return;
    const moved = ends.map(({ name, label }) => [label, tails[name]]);
    this.skeletonEdits = { ...this.#edits, tails: { ...this.#edits.tails, ...Object.fromEntries(moved) } };
  }

  // Fitting.

  #refit(): Promise<void> {
    this.#isScheduled = false;
    this.#isOutdated = true;
    const playback = this.#context.get(Playback);
    const autoplay = this.#fit ? !playback.paused : playback.autoplay;
    this.#run ??= this.#context.tasks
      .run(async (task) => {
        while (this.#isOutdated) {
          this.#isOutdated = false;
          await this.#fitWithin(task, autoplay);
        }
      })
      .finally(() => {
        this.#run = undefined;
        this.#isOutdated = false;
      });
    return this.#run;
  }

  async #fitWithin(task: Task, autoplay: boolean): Promise<void> {
    const { solver } = this.#context;
    task.progress.part(0, 1)(0, 'Fitting a skeleton');
    const ask = { kind: 'fit-skeleton', options: this.#options(), edits: this.#edits } as const;
    const answer = solver.ask(ask, { signal: task.signal }).then((answer: FitSkeletonAnswer) => {
      this.#coming = answer.fit;
      return answer;
    });
    await this.#context.get(Source).bind(task, answer, {
      autoplay,
      isLatest: () => !this.#isOutdated && !this.#isScheduled,
    });
  }

  #options(given = this.#markers): FitOptions {
    const { skeleton, fingers, jointNames } = this;
    const markers: NonNullable<FitOptions['markers']> = {};
    for (const [label, [x, y, z]] of Object.entries(given)) markers[label] = [x, y, z];
    return {
      markers,
      names: jointNames,
      ...(skeleton === 'auto' || skeleton === 'none' ? {} : { plan: skeleton }),
      ...(fingers === null ? {} : { fingers }),
      ...(this.#orientation ? { orientation: this.#orientation } : {}),
    };
  }

  // What is on screen.

  characterChanged(_: unknown, { isSameMesh }: CharacterOptions): void {
    if (!isSameMesh) {
      // They belong to the mesh.
      this.#markers = {};
      this.#orientation = null;
      this.#edits = {};
      this.#context.changed('markers', 'orientation', 'skeletonEdits');
    }
    this.#endDrag();
    this.#fit = this.#coming ?? null;
    this.#coming = undefined;
    this.#context.changed('skeletonFit');
    if (!this.#fit) return;
    this.#markDoubtful(this.#fit);
    if (this.#isNewMesh) this.#lookAtFront(this.#fit.orientation);
    this.#isNewMesh = false;
    this.#context.emit('skeleton-fit', this.#fit);
  }

  /** Points out joints that are uncertain or outside of the body. */
  #markDoubtful({ bones, uncertain, outside }: SkeletonFit): void {
    const isDoubtful = ({ label }: FittedBone) => uncertain.includes(label) || outside.includes(label);
    this.#context.viewer?.markJoints(bones.filter(isDoubtful).map(({ name }) => name));
  }

  /** Turns the camera around a character that stands with its back to it. */
  #lookAtFront({ up, front: [x, , z] }: Orientation): void {
    const { viewer } = this.#context;
    const camera = viewer?.camera();
    if (!viewer || !camera || up[1] < 0.9) return;
    const front = (Math.atan2(x, z) * 180) / Math.PI;
    const apart = Math.cos(((camera.yaw - front) * Math.PI) / 180);
    if (apart < BESIDE) viewer.setCamera({ ...camera, yaw: camera.yaw + front });
  }

  disconnected(): void {
    this.#fit = null;
    this.#context.changed('skeletonFit');
  }
}

/** Markers of all joints but those of fingers. */
function withoutFingers(markers: Markers): Markers {
  return Object.fromEntries(Object.entries(markers).filter(([label]) => !FINGER.test(label)));
}

/** The bones of a new fit, and those that it lacks, moved along with the bone that they hang on. */
function withFollowers(before: readonly FittedBone[], now: readonly FittedBone[]): readonly FittedBone[] {
  const placed = new Map(now.map((bone) => [bone.label, bone]));
  for (const bone of before) {
    const [was, is] = [before[bone.parent], placed.get(before[bone.parent]?.label ?? '')];
    if (placed.has(bone.label) || !was || !is) continue;
    const moved = ([x, y, z]: Point): [number, number, number] => [
      x + is.head[0] - was.head[0],
      y + is.head[1] - was.head[1],
      z + is.head[2] - was.head[2],
    ];
    placed.set(bone.label, { ...bone, head: moved(bone.head), tail: moved(bone.tail) });
  }
  return [...placed.values()];
}

/** The label of the same joint of the other side. */
function otherSide(label: string): string | null {
  const [, part, side] = /^(.*)\.([LR])$/.exec(label) ?? [];
  return part === undefined ? null : `${part}.${side === 'L' ? 'R' : 'L'}`;
}

function isSame(a: Point, b: Point): boolean {
  return a.every((x, axis) => x === b[axis]);
}

function cross(a: Point, b: Point): Point {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}

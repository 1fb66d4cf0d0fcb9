/**
 * The public interface of `<pliant-viewer>`. The studio uses nothing else; if it needs something,
 * the element must offer it.
 *
 * `Recipe`, `ModelInfo`, `RigReport` and other data types are generated from the Rust types.
 */
import type { PostSkinningValues } from '../parameters.ts';
import type { SkeletonFit } from '../solver/protocol.ts';
import type { SkeletonEdits } from '../solver/skeleton_edits.ts';
import type {
  BodyPlan,
  Brush,
  CameraPlace,
  CorrectionMap,
  Deformer,
  Energy,
  LoosePartWeights,
  Method,
  ModelInfo,
  Names,
  Orientation,
  PlacedHandle,
  PliantError,
  Recipe,
  RigReport,
  SampleCharacter,
  Show,
  Transition,
  VolumeStats,
  Warning,
} from '../wasm.ts';

export type { SkeletonFit } from '../solver/protocol.ts';
export type { JointChain, SkeletonEdits } from '../solver/skeleton_edits.ts';

/** Where a character comes from. */
export type ModelSource =
  | { kind: 'url'; url: string }
  | { kind: 'files'; files: readonly File[] }
  | { kind: 'sample'; member: SampleCharacter };

/** Rotations about the X, Y and Z axes of a joint's own frame, in degrees. */
export type Angles = readonly [number, number, number];

/** Rotations by joint. Joints that are not listed are not rotated. */
export type JointAngles = Readonly<Record<string, Angles>>;

/** A point in the rest pose, unless another space is stated. */
export type Point = readonly [number, number, number];

/**
 * Where a handle is placed: on the vertex nearest to a point, or on a vertex by its index in the
 * file.
 */
export type HandlePlace = { readonly point: Point } | { readonly vertex: number };

/** The body plan of a skeleton that is fitted; detected if `auto`, not fitted if `none`. */
export type SkeletonChoice = 'auto' | BodyPlan | 'none';

/** Settings of a fit. What is missing stays as it is. */
export interface FitSkeletonOptions {
  readonly skeleton?: Exclude<SkeletonChoice, 'none'>;
  readonly markers?: Readonly<Record<string, Point>>;
  readonly fingers?: number | null;
  readonly jointNames?: Names;
  readonly orientation?: Orientation | null;
  readonly edits?: SkeletonEdits;
}

/** The map of the volume correction, or no correction. */
export type VolumeChoice = 'off' | CorrectionMap;

/** Volumes at one time of the clip, in seconds. */
export interface VolumeSample {
  readonly time: number;
  readonly stats: VolumeStats;
}

/** Volumes over a clip, at equal intervals from its beginning to its end. */
export interface VolumeSamples {
  readonly samples: readonly VolumeSample[];
  /** Samples per second. Less than asked for if the clip is very long. */
  readonly framesPerSecond: number;
}

export interface SampleOptions {
  /** 30 if missing. */
  readonly framesPerSecond?: number;
  readonly signal?: AbortSignal;
}

/** Which part of the correction is exported, as morph targets that clips drive. */
export interface BakeOptions {
  /** Names of clips; the current one if missing. */
  readonly clips?: readonly string[];
  /** Times per clip at which the morph targets are exact. In between they are interpolated. */
  readonly keys?: number;
  /** Joints whose surroundings are exported; all if missing. */
  readonly joints?: readonly string[];
}

/** A pose that weights are fitted to. */
export interface Example {
  readonly name: string;
  /** Three numbers per vertex, in the order of the character's file. */
  readonly positions: Float32Array;
  /** Whether the fit uses it; true if missing. */
  readonly chosen?: boolean;
}

/** Where examples come from. */
export type ExampleSource =
  /**
   * Files with the topology of the character. A file in the character's rest pose contributes its
   * morph targets and `frames` frames of each clip.
   */
  | { kind: 'files'; files: readonly File[]; frames?: number }
  /** The morph targets of the character. */
  | { kind: 'morph-targets' }
  /**
   * Frames of a clip, the current one if `name` is missing: deformed by the weights in the file,
   * or, if there are none, as the first view shows it.
   */
  | { kind: 'clip'; name?: string; frames?: number };

/**
 * What `show="fit"` shows: an example, or its reproduction by the weights before or after the fit.
 */
export interface FitChoice {
  /** Index in `examples`. */
  readonly example: number;
  readonly stage: 'before' | 'after' | 'example';
}

export interface ExportOptions {
  /** Without it the file contains the skin alone. Needs `volume` or `foldGuard`. */
  readonly bake?: BakeOptions;
  /** Whether the file is compressed, without loss, with `EXT_meshopt_compression`. */
  readonly compress?: boolean;
}

/** How a motion is added. */
export interface MotionOptions {
  /** Whether the travel along the ground is removed; true if missing. */
  readonly inPlace?: boolean;
  /** Whether it plays at once; true if missing. */
  readonly plays?: boolean;
}

/** The weight of one joint at a point of the skin. */
export interface Influence {
  readonly joint: string;
  /** From 0 to 1. The weights of a point sum to 1. */
  readonly weight: number;
}

/** What a pointer in the picture does. Exactly one tool is active. */
export type ToolName = 'rotate' | 'place-joints' | 'handles' | 'paint';

type Camel<S extends string> = S extends `${infer A}_${infer B}` ? `${A}${Capitalize<Camel<B>>}` : S;
type Section<M extends Method & keyof Recipe> = {
  [K in keyof Recipe[M] & string as `${M}${Capitalize<Camel<K>>}`]: Recipe[M][K];
};

/**
 * One property per parameter of a recipe: its path in camel case. `atlas.k_joints` is
 * `atlasKJoints`. All but records have an attribute as well: `atlas.k` is `atlas-k`.
 */
export interface RecipeParameters
  extends Section<'atlas'>,
    Section<'distance'>,
    Section<'heat'>,
    Section<'glow'>,
    Section<'bbw'>,
    Section<'examples'> {
  method: Method;
  maxInfluences: number;
  looseParts: LoosePartWeights;
}

export type RecipeParameterName = keyof RecipeParameters;

/** Settings of the second view; null where it uses those of the first view. */
export interface SecondViewState {
  readonly recipe: Recipe;
  /** Of the weights on screen; null before there are any. */
  readonly report: RigReport | null;
  readonly deformer: Deformer | null;
  readonly show: Show | null;
  readonly volume: VolumeChoice | null;
}

/** One property per parameter of volume correction and contacts; each has an attribute too. */
export type PostSkinningParameters = { -readonly [K in keyof PostSkinningValues]: PostSkinningValues[K] };

export interface PlaybackState {
  readonly clip: string | null;
  readonly animations: readonly string[];
  readonly currentTime: number;
  readonly duration: number;
  readonly playbackRate: number;
  readonly paused: boolean;
}

/**
 * All settings and what is on screen, at one moment. Panels are drawn from it. The names of its
 * members are the `keys` of `state-change`.
 */
export interface ViewerState {
  readonly model: ModelInfo | null;
  readonly busy: boolean;
  readonly skeleton: SkeletonChoice;
  readonly markers: Readonly<Record<string, Point>>;
  readonly fingers: number | null;
  readonly jointNames: Names;
  readonly orientation: Orientation | null;
  readonly skeletonEdits: SkeletonEdits;
  readonly skeletonFit: SkeletonFit | null;
  readonly recipe: Recipe;
  readonly report: RigReport | null;
  readonly rigSeconds: number | null;
  readonly deformer: Deformer;
  readonly show: Show;
  readonly bones: 'shown' | 'hidden';
  readonly theme: 'auto' | 'light' | 'dark';
  /** Null while there is one view. */
  readonly secondView: SecondViewState | null;
  readonly divider: number;
  readonly postSkinning: PostSkinningValues;
  readonly volumeMap: Float32Array | null;
  readonly volumeStats: VolumeStats | null;
  readonly pose: JointAngles;
  readonly poseOffsets: JointAngles;
  readonly playback: PlaybackState;
  readonly motions: 'auto' | 'none';
  readonly motionLibrary: readonly string[];
  readonly selectedJoint: string | null;
  readonly selectedHandle: string | null;
  readonly tool: ToolName;
  /** The brush of the tool `paint`, also while another tool is active. */
  readonly brush: Brush;
  readonly mirrorJoints: boolean;
  readonly jointPositions: Readonly<Record<string, Point>>;
  readonly handles: readonly PlacedHandle[];
  readonly handlePositions: Readonly<Record<string, Point>>;
  readonly handleTargets: Readonly<Record<string, Point>>;
  readonly examples: readonly Example[];
  readonly fitProgress: readonly Energy[] | null;
  readonly fit: FitChoice | null;
}

export interface PliantViewerApi extends RecipeParameters, PostSkinningParameters {
  /**
   * A snapshot of everything that can be set, and of what is on screen. Each access makes a new
   * one.
   */
  readonly state: ViewerState;

  // The character.
  /** A URL, or `sample:` and the name of a sample character. */
  src: string | null;
  readonly model: ModelInfo | null;
  readonly loaded: boolean;
  /** A load, a computation of weights or an export is under way. */
  readonly busy: boolean;
  /**
   * Loads a character. Settings stay. What names joints or vertices of the last character is
   * dropped: examples, the painted map, pose offsets, and excluded joints that the new one does not
   * have.
   */
  load(source: ModelSource): Promise<void>;
  /** Binds the mesh on screen to the skeleton in these files. */
  loadSkeleton(files: readonly File[]): Promise<void>;
  /** Binds it to the skeleton of a sample character, scaled and moved to fit the mesh. */
  useTemplate(member: SampleCharacter): Promise<void>;
  // The skeleton that is fitted to a mesh without one. Setting a property fits it again.
  /** `auto` unless set. A file with a skeleton keeps it. */
  skeleton: SkeletonChoice;
  /** Points in the rest pose where joints are, by label. They belong to the character. */
  markers: Readonly<Record<string, Point>>;
  /** `markers` with one more, and its mirror image with `mirrorJoints`. */
  markersWith(label: string, to: Point): Readonly<Record<string, Point>>;
  /** Fingers of each hand, 0 to 5; null if they shall be counted. */
  fingers: number | null;
  /** How the joints of a fitted skeleton are named. */
  jointNames: Names;
  /** Up and front of the character; null if they shall be found out. */
  orientation: Orientation | null;
  /** Chains of joints, names, and other edits that stay when the skeleton is fitted again. */
  skeletonEdits: SkeletonEdits;
  /** The fitted skeleton on screen, with a confidence for each joint; null for another one. */
  readonly skeletonFit: SkeletonFit | null;
  /** Fits a skeleton to the mesh on screen, also if it has one. */
  fitSkeleton(options?: FitSkeletonOptions): Promise<SkeletonFit>;
  /** Stops the current work. What is on screen stays, and so do weights that were fitted so far. */
  cancel(): void;
  exportGLB(options?: ExportOptions): Promise<Blob>;

  // Weights. One property per parameter comes from `RecipeParameters`.
  /** All parameters. Setting it computes only what has changed. */
  recipe: Recipe;
  /** Of the weights on screen. Its times are those of the stages that ran last. */
  readonly report: RigReport | null;
  /** Seconds that all stages took for this character and method, each at its latest run. */
  readonly rigSeconds: number | null;
  /** Computes weights again. */
  rig(): Promise<RigReport>;
  /** The heights of a transition at `count` places from 0 to 1; none before there is a picture. */
  transitionCurve(transition: Transition, count: number): readonly number[];

  // Display.
  deformer: Deformer;
  show: Show;
  /** Whether bones and joints are drawn over the skin. */
  bones: 'shown' | 'hidden';
  /** `auto` is the page's `color-scheme`, else that of the system. */
  theme: 'auto' | 'light' | 'dark';
  /** The camera; null before there is a picture. Setting it moves the camera at once. */
  camera: CameraPlace | null;
  /** Moves the camera so that the whole character is visible. */
  frame(): void;
  /** The picture as an image file. */
  toBlob(type?: string): Promise<Blob>;
  /** The weights at a point of the picture, in CSS pixels, largest first; none beside the skin. */
  influencesAt(x: number, y: number): readonly Influence[];

  // The second view: the same character in the same pose, right of a divider.
  /** The method of the second view; null for one view. The export contains the first view. */
  compare: Method | null;
  /** Position of the divider, from 0 (left) to 1 (right). The user can move it. */
  divider: number;
  /** Null for the same as `show`. */
  compareShow: Show | null;
  /** Null for the same as `deformer`. */
  compareDeformer: Deformer | null;
  /** Null for the same as `volume`. `off` shows skinning alone, also without contacts. */
  compareVolume: VolumeChoice | null;
  /**
   * All parameters of the second view. Setting `compare` alone starts with those of the first view.
   */
  compareRecipe: Recipe | null;
  readonly compareReport: RigReport | null;

  // After skinning: volume correction and contacts. Their parameters come from
  // `PostSkinningParameters`.
  /** A painted factor per vertex; null for none. A map of another length is refused. */
  volumeMap: Float32Array | null;
  /** Setting a brush chooses the tool `paint`; null leaves it. */
  volumeBrush: Brush | null;
  /**
   * The numbers of the last `volume` event; null while `volume` is off or another character came.
   */
  readonly volumeStats: VolumeStats | null;
  /**
   * Volumes over the current clip, sampled while the browser is idle; none while `volume` is off.
   */
  sampleVolume(options?: SampleOptions): Promise<VolumeSamples>;

  // Example fitting, `method="examples"`. Without examples, weights stay as they are.
  /** Set as a whole. Another list is fitted at once. */
  examples: readonly Example[];
  /** Returns what was added. A file that does not fit is refused with its first difference. */
  addExamples(source: ExampleSource): Promise<readonly Example[]>;
  removeExample(index: number): void;
  chooseExample(index: number, chosen: boolean): void;
  /** A picture of one example, `size` × `size` pixels, transparent around it. */
  exampleThumbnail(index: number, size: number): ImageData;
  /** The energy after every iteration so far; null while nothing is fitted. */
  readonly fitProgress: readonly Energy[] | null;
  /** Ends the fit. Its weights so far are kept; before the first iteration, the old ones are. */
  stopFitting(): void;
  /** What `show="fit"` shows; null for the first example after the fit. */
  fit: FitChoice | null;

  // The pose.
  /** Rotations on top of the rest pose. */
  readonly pose: JointAngles;
  /** Sets the whole pose. Pauses the clip, and removes rotations on top of it. */
  setPose(angles: JointAngles): void;
  /**
   * Sets the rotation of one joint on top of the rest pose; the others stay. Pauses the clip. On a
   * pose of the clip it is kept as an offset when the clip advances, like a rotation with the
   * gizmo.
   */
  rotateJoint(joint: string, angles: Angles): void;
  /** Sets the rest pose, and removes targets of handles. */
  resetPose(): void;
  /** Rotations on top of the clip, which stay when it advances. Set as a whole. */
  poseOffsets: JointAngles;
  clearPoseOffsets(): void;
  selectedJoint: string | null;

  // The clip.
  autoplay: boolean;
  /** The current clip; the first one unless set. */
  animationName: string | null;
  readonly animations: readonly string[];
  /** In seconds. */
  readonly duration: number;
  currentTime: number;
  playbackRate: number;
  readonly paused: boolean;
  play(): void;
  pause(): void;

  // Motions that the file does not have.
  /**
   * `auto` offers the library for every character, and plays one of its clips if the file has none.
   * `none` unless set.
   */
  motions: 'auto' | 'none';
  /**
   * The clips of the library that fit the character; none before it is offered, and for bodies that
   * are neither a person nor an animal.
   */
  readonly motionLibrary: readonly string[];
  /**
   * Adds a clip of the library by its name, or the clips of files (BVH, VRMA, GLB, VRM, FBX),
   * which are retargeted. Returns the names that they have in `animations`. They are exported.
   */
  addMotion(source: string | readonly File[], options?: MotionOptions): Promise<readonly string[]>;
  /** Renames a clip that was added. False if it was not, or if the name is taken. */
  renameMotion(name: string, to: string): boolean;
  /** Removes a clip that was added. */
  removeMotion(name: string): boolean;

  // Tools.
  /**
   * What a pointer in the picture does. `rotate`: the gizmo rotates the selected joint.
   * `place-joints`: dragging a joint moves its head in the rest pose. `handles`: a click on the
   * skin adds a handle. `paint`: dragging over the skin paints `volumeMap`. Handles can be dragged
   * with every tool.
   */
  tool: ToolName;
  /** True with the tool `place-joints`. Setting it chooses that tool or leaves it. */
  placingJoints: boolean;
  /** The same for the tool `handles`. */
  placingHandles: boolean;
  /** `place-joints` moves the joint of the other side as well (left/right, .L/.R, _l/_r). */
  mirrorJoints: boolean;

  // Positions of joints in the rest pose.
  readonly jointPositions: Readonly<Record<string, Point>>;
  /** `jointPositions` with one joint moved, and its mirror image with `mirrorJoints`. */
  jointPositionsWith(joint: string, to: Point): Readonly<Record<string, Point>>;
  setJointPositions(positions: Readonly<Record<string, Point>>): Promise<void>;
  /** The middle of the body at a point of the picture, in CSS pixels; null beside the body. */
  bodyPointAt(x: number, y: number): Point | null;

  // Handles: points or regions of vertices on the skin. Each is a joint of the exported skin.
  /** The handles of the recipe. Setting them computes weights. */
  handles: readonly PlacedHandle[];
  /** Adds a handle and returns its name. It is selected when it has weights. */
  addHandle(place: HandlePlace, name?: string): string;
  removeHandle(name: string): boolean;
  /** False if the name is taken. */
  renameHandle(name: string, to: string): boolean;
  /** A handle is a joint: `selectedJoint` has the same value then. */
  selectedHandle: string | null;
  /** Positions in the pose. */
  readonly handlePositions: Readonly<Record<string, Point>>;
  /**
   * Positions that handles are dragged to. Set as a whole. A layer over the pose: the posed shape
   * is deformed as rigidly as possible so that these handles are there and all others stay where
   * they were.
   */
  handleTargets: Readonly<Record<string, Point>>;
  /** Sets the target of one handle; null removes it. */
  moveHandle(name: string, to: Point | null): void;
  /** Removes all targets. */
  resetHandles(): void;
}

/**
 * Event name → `detail`. All events cross shadow roots. All bubble except `load` and `error`, as
 * those of images: they would reach the page's own `window.onload` and `onerror`.
 */
export interface PliantViewerEvents {
  /**
   * Members of `state` that may have changed, whoever changed them. One event in a microtask
   * reports all changes of one turn, after the specific events.
   */
  'state-change': { keys: readonly (keyof ViewerState)[] };
  load: { model: ModelInfo };
  /** `totalProgress` goes from 0 to 1 and never decreases. `stage` is text for users. */
  progress: { totalProgress: number; stage: string };
  /**
   * Weights of the latest recipe are on screen. While a slider is dragged, earlier ones are shown
   * too.
   */
  'rig-complete': { report: RigReport };
  /** The same for the second view. */
  'compare-complete': { report: RigReport };
  'rig-warning': { warnings: readonly Warning[] };
  error: PliantError;
  /** A skeleton was fitted. Weights follow. */
  'skeleton-fit': SkeletonFit;
  /**
   * The mesh has no skeleton, and none could be or should be fitted: use `loadSkeleton`,
   * `useTemplate` or handles.
   */
  'skeleton-needed': { model: ModelInfo };
  select: { joint: string | null };
  /** The pointer is over another joint, or over none. */
  hover: { joint: string | null; tail: boolean };
  'tool-change': { tool: ToolName };
  /** `final` is false during a drag or a clip, here and below. */
  'pose-change': { pose: JointAngles; final: boolean };
  /** Rotations on top of the clip were made, changed or removed. */
  'pose-offset-change': { offsets: JointAngles };
  /** A joint was placed. */
  'joint-change': { positions: Readonly<Record<string, Point>>; final: boolean };
  /** The clip moved, was paused, or is another one. */
  'time-update': { currentTime: number; duration: number; paused: boolean };
  /** Volumes in the pose, at most ten times a second, while `volume` is not off. */
  volume: VolumeStats;
  'volume-map-change': { final: boolean };
  /** Handles were added, renamed, removed or dragged. */
  'handle-change': {
    handles: readonly PlacedHandle[];
    positions: Readonly<Record<string, Point>>;
    targets: Readonly<Record<string, Point>>;
    final: boolean;
  };
  'examples-change': { examples: readonly Example[] };
  /** The method is `examples`, and there are none. */
  'examples-needed': Record<string, never>;
  /** An iteration of the fit is done. `rms` is the error as a share of the character's size. */
  'fit-progress': { iteration: number; energy: Energy; rms: number };
  /** The user begins and ends a change that may be undone as a whole. */
  'gesture-start': Record<string, never>;
  'gesture-end': Record<string, never>;
}

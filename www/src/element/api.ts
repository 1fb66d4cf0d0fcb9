/**
 * What `<pliant-viewer>` offers. Everything the studio page does goes through this interface; if the page
 * needs something, the element must offer it.
 *
 * `Recipe`, `ModelInfo`, `RigReport` and the other data types come from the Rust options (generated into
 * the wasm package's `.d.ts`), never written here a second time.
 */
import type {
  Brush,
  CameraPlace,
  CorrectionMap,
  CorrectionMode,
  Deformer,
  Energy,
  Metric,
  ModelInfo,
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

/** Where a character comes from. */
export type ModelSource =
  | { kind: 'url'; url: string }
  | { kind: 'files'; files: readonly File[] }
  /** `made` is the address of the mesh as `sampleMesh` gave it, which saves making it. */
  | { kind: 'sample'; member: SampleCharacter; vertices?: number; made?: string };

/** Turns about the X, Y and Z axes of each joint's own frame, in degrees, on top of the rest pose. */
export type JointAngles = Readonly<Record<string, readonly [number, number, number]>>;

/** A point in rest space. */
export type Point = readonly [number, number, number];

/** Where a handle is put: on the vertex nearest to a point of rest space, or on one by its number in the file. */
export type HandlePlace = { readonly point: Point } | { readonly vertex: number };

/** Where flesh gives so that it keeps its volume, or nowhere. */
export type VolumeChoice = 'off' | CorrectionMap;

/** Volumes at a time of the clip. */
export interface VolumeSample {
  readonly time: number;
  readonly figures: VolumeStats;
}

/** What of the correction goes into a file, so that engines that only skin show it: morph targets that clips drive. */
export interface BakeOptions {
  /** For these; the chosen one when missing. */
  readonly clips?: readonly string[];
  /** At so many times of each, where it is exact; between them it is blended. */
  readonly keys?: number;
  /** Only the flesh around these; all of it when missing. */
  readonly joints?: readonly string[];
}

/** A pose to learn from. */
export interface Example {
  readonly name: string;
  /** Three numbers per vertex, in the order of the character's own. */
  readonly positions: Float32Array;
  /** Whether it is learned from; it is, unless told otherwise. */
  readonly chosen?: boolean;
}

/** Where poses come from. */
export type ExampleSource =
  /** Files of the character's topology. One that stands as the character does gives its morph targets and frames of its clips. */
  | { kind: 'files'; files: readonly File[]; frames?: number }
  /** Those of the character itself. */
  | { kind: 'morph-targets' }
  /**
   * Frames of a clip, the chosen one when missing: as the weights in its file move the character, or, where it came without any, as it
   * is seen now, with its deformer and all that is done to the flesh.
   */
  | { kind: 'clip'; name?: string; frames?: number };

/** What `show="fit"` shows: an example as the weights reproduce it that learning began with or ended with, or the example itself. */
export interface FitChoice {
  /** Its place in `examples`. */
  readonly example: number;
  readonly stage: 'before' | 'after' | 'example';
}

export interface ExportOptions {
  /** Without it, or without `volume` and `foldGuard`, a file holds what is skinned. */
  readonly bake?: BakeOptions;
}

/** What a pointer in the picture does. Exactly one tool is active. */
export type ToolName = 'rotate' | 'place-joints' | 'handles' | 'paint';

/** The second view's own settings; null where it uses those of the first view. */
export interface SecondViewState {
  readonly recipe: Recipe;
  /** Of the weights on screen; null before there are any. */
  readonly report: RigReport | null;
  readonly deformer: Deformer | null;
  readonly show: Show | null;
  readonly volume: VolumeChoice | null;
}

/** Volume correction and contacts. */
export interface PostSkinningState {
  readonly volume: VolumeChoice;
  readonly alpha: number;
  readonly beta: number;
  readonly mode: CorrectionMode;
  readonly excluded: readonly string[];
  readonly foldGuard: boolean;
}

export interface PlaybackState {
  readonly clip: string | null;
  readonly animations: readonly string[];
  readonly currentTime: number;
  readonly duration: number;
  readonly playbackRate: number;
  readonly paused: boolean;
}

/**
 * Everything that can be set and what is on screen, as it is now. Panels are drawn from it. The names of
 * its members are the `keys` of `state-change`.
 */
export interface ViewerState {
  readonly model: ModelInfo | null;
  readonly busy: boolean;
  readonly recipe: Recipe;
  readonly report: RigReport | null;
  readonly deformer: Deformer;
  readonly show: Show;
  readonly bones: 'shown' | 'hidden';
  readonly theme: 'auto' | 'light' | 'dark';
  /** Null while there is one view. */
  readonly secondView: SecondViewState | null;
  readonly divider: number;
  readonly postSkinning: PostSkinningState;
  /** The painted factors, one per vertex; null for none. */
  readonly volumeMap: Float32Array | null;
  readonly volumeStats: VolumeStats | null;
  readonly pose: JointAngles;
  /** Rotations on top of the clip. */
  readonly poseOffsets: JointAngles;
  readonly playback: PlaybackState;
  readonly selectedJoint: string | null;
  readonly selectedHandle: string | null;
  readonly tool: ToolName;
  /** The brush of the tool `paint`. */
  readonly brush: Brush;
  readonly mirrorJoints: boolean;
  readonly jointPositions: Readonly<Record<string, Point>>;
  readonly handles: readonly PlacedHandle[];
  readonly handlePositions: Readonly<Record<string, Point>>;
  readonly handleTargets: Readonly<Record<string, Point>>;
  readonly examples: readonly Example[];
  /** The energy after every iteration so far; null while nothing is fitted. */
  readonly fitProgress: readonly Energy[] | null;
  readonly fit: FitChoice | null;
}

export interface PliantViewerApi {
  /** A snapshot of everything below. Each access makes a new one. */
  readonly state: ViewerState;
  /**
   * What a pointer in the picture does. `paint` uses `volumeBrush`, or the usual brush; setting
   * `placingJoints`, `placingHandles` or `volumeBrush` chooses a tool as well.
   */
  tool: ToolName;
  /** Rotations on top of the clip, by joint, in degrees about its own axes. Set as a whole. */
  poseOffsets: JointAngles;
  clearPoseOffsets(): void;

  // Attributes, each with a property of the same meaning.
  /** An address, or `sample:mannequin` and the like for a character of the cast. */
  src: string | null;
  method: Recipe['method'];
  deformer: Deformer;
  maxInfluences: number;
  /** How soft joints are, K of the atlas method: 0 is rigid, 0.5 the classic width, 2 very soft. */
  overlap: number;
  /** How the atlas method measures distances. */
  distance: Metric;
  /** The same for the overlaps alone; null for the same as `distance`. */
  overlapDistance: Metric | null;
  /** How weights fade across an overlap. As an attribute: a name, or the points of a curve, "0.3,0.1 0.7,0.9". */
  transition: Transition;
  show: Show;
  /** Whether bones and joints are drawn over the skin. */
  bones: 'shown' | 'hidden';
  autoplay: boolean;
  animationName: string | null;
  /** Surroundings: as the attribute says, else as the page's `color-scheme`, else as the system. */
  theme: 'auto' | 'light' | 'dark';

  // A divided picture: the same character in the same pose, right of the divider by another method.
  /** The right half's method; null for a picture that is whole. What is exported is the left half's. */
  compare: Recipe['method'] | null;
  /** Where the divider stands, from 0, left, to 1, right. The user drags it, or moves it with the arrow keys. */
  divider: number;
  /** What the right half's colours show; null for the same as `show`. */
  compareShow: Show | null;
  /** How the right half's joints are blended; null for the same as `deformer`. */
  compareDeformer: Deformer | null;
  /** Every parameter of the right half at once; null with `compare`. `compare` alone begins with those of the left. */
  compareRecipe: Recipe | null;
  readonly compareReport: RigReport | null;

  // PostSkinning: what is done to the pose after skinning, by whatever deformer.
  /** Where flesh gives so that it keeps its volume; `local` keeps that of every limb. */
  volume: VolumeChoice;
  /** How strongly the bulge gathers at the joints: an exponent, 0 to 8. */
  volumeAlpha: number;
  /** How strongly it gathers away from the bones: an exponent, 0 to 8. For `organic` and `local`. */
  volumeBeta: number;
  /** To the last digit, or one linear step as in the paper. */
  volumeMode: CorrectionMode;
  /** Whether flesh in bent joints is kept from passing through itself. */
  foldGuard: boolean;
  /** The right half's; null for the same as `volume`. `off` shows what skinning alone gives, without the guard. */
  compareVolume: VolumeChoice | null;
  /** Joints whose bones do not count for how far flesh is from a bone. Set as a whole. */
  volumeExcluded: readonly string[];
  /** A factor per vertex for how much flesh gives; null for none. A map of another length is refused. Belongs to the character. */
  volumeMap: Float32Array | null;
  /** While there is one, dragging over the skin paints `volumeMap`; `gesture-start` and `gesture-end` bracket a stroke. */
  volumeBrush: Brush | null;
  /** As the last `volume` event told; null while volume is not kept. */
  readonly volumeStats: VolumeStats | null;
  /** Volumes at `count` times of the chosen clip, found while the browser is idle; empty while volume is not kept. */
  sampleVolume(count: number, signal?: AbortSignal): Promise<readonly VolumeSample[]>;

  // Learning from examples, `method="examples"`. They belong to the character. Without any, its weights stay as they are.
  /** What there is to learn from. Set as a whole; another list is learned from at once. */
  examples: readonly Example[];
  /** Adds what is found there; those that were added. What does not fit is refused with the place where it differs. */
  addExamples(source: ExampleSource): Promise<readonly Example[]>;
  removeExample(index: number): void;
  /** Whether it is learned from. */
  chooseExample(index: number, chosen: boolean): void;
  /** A picture of one, `size` pixels in square, transparent around it. */
  exampleThumbnail(index: number, size: number): ImageData;
  /** The energy after every iteration so far; null while nothing is being learned. */
  readonly fitProgress: readonly Energy[] | null;
  /** Ends learning: what was learned so far stays. Before there is anything, the same as `cancel`. */
  stopFitting(): void;
  /** What `show="fit"` shows; null for the first example as it was learned. */
  fit: FitChoice | null;

  /** Joints that are softer or stiffer than the rest: joint → K. Set as a whole. */
  overlapByJoint: Readonly<Record<string, number>>;

  // Every parameter at once; setting it rigs again with as little work as possible.
  recipe: Recipe;

  // What there is.
  readonly model: ModelInfo | null;
  readonly report: RigReport | null;
  readonly loaded: boolean;
  /** A load, a solve or an export is under way. */
  readonly busy: boolean;

  // Getting a character in, and out.
  load(source: ModelSource): Promise<void>;
  /** Binds the mesh that is shown to the skeleton in these files. */
  loadSkeleton(files: readonly File[]): Promise<void>;
  /** Binds it to a cast member's skeleton, scaled and moved onto the mesh. */
  useTemplate(member: SampleCharacter): Promise<void>;
  rig(): Promise<RigReport>;
  /** Stops whatever is under way; what is on screen stays, and so does what was learned so far. */
  cancel(): void;
  exportGLB(options?: ExportOptions): Promise<Blob>;
  /** The picture as it is drawn now. */
  toBlob(type?: string): Promise<Blob>;

  // Posing. Setting angles by hand pauses the clip.
  readonly pose: JointAngles;
  setPose(angles: JointAngles): void;
  resetPose(): void;
  selectedJoint: string | null;

  // The clip.
  readonly animations: readonly string[];
  readonly duration: number;
  currentTime: number;
  playbackRate: number;
  readonly paused: boolean;
  play(): void;
  pause(): void;

  // Placing joints by hand: while on, dragging a joint in the picture moves its head in rest space.
  placingJoints: boolean;
  /** Moves the joint of the other side along (names with left/right, .L/.R, _l/_r). */
  mirrorJoints: boolean;
  readonly jointPositions: Readonly<Record<string, Point>>;
  /** `jointPositions` if one joint were moved there; with `mirrorJoints`, its mirror image moves along. */
  jointPositionsWith(joint: string, to: Point): Readonly<Record<string, Point>>;
  setJointPositions(positions: Readonly<Record<string, Point>>): Promise<void>;

  // Handles: points (or regions of vertices) on the skin, weighed beside the bones or without any, and pulled at. Methods that weigh bones
  // only leave them out. Each is a joint of the exported skin, a plain translated node.
  /** In the recipe as well. Setting them weighs again. */
  handles: readonly PlacedHandle[];
  /** Puts a handle on the skin and says its name; it is selected once it has weights. */
  addHandle(place: HandlePlace, name?: string): string;
  removeHandle(name: string): boolean;
  /** Whether the name was free. */
  renameHandle(name: string, to: string): boolean;
  /** A handle is a joint: `selectedJoint` is then the same, and `show="weights"` shows what it holds. */
  selectedHandle: string | null;
  /** While on, a click on the skin places a handle, and so does Enter in the middle of the picture. */
  placingHandles: boolean;
  /** Where they are in the pose. */
  readonly handlePositions: Readonly<Record<string, Point>>;
  /**
   * Where handles are pulled to, in the space the character stands in; set as a whole. A layer over the pose: the shape that joints or a
   * clip give is bent as little as it can so that these are there and all other handles where they were. Turning joints moves
   * what is below, so pulled handles stay pinned.
   */
  handleTargets: Readonly<Record<string, Point>>;
  /** Pulls one handle; null lets it go. */
  moveHandle(name: string, to: Point | null): void;
  /** Lets all of them go. */
  resetHandles(): void;

  /** Moves the camera so that the whole character is seen. */
  frame(): void;
  /** Where the camera stands; null before there is a picture. Setting it jumps there. */
  camera: CameraPlace | null;
  /** The heights of a transition at `count` places from 0 to 1, to draw it; none before there is a picture. */
  transitionCurve(transition: Transition, count: number): readonly number[];
}

/**
 * Event name → `detail`. All cross shadow roots. All bubble but `load` and `error`, as those of images do not either:
 * on their way up they would call the page's own `window.onload` and `onerror`.
 */
export interface PliantViewerEvents {
  /**
   * Members of `state` that may have changed, whoever changed them. Fired in a microtask, once for all
   * changes of one turn, after the more specific events.
   */
  'state-change': { keys: readonly (keyof ViewerState)[] };
  'tool-change': { tool: ToolName };
  /** Rotations on top of the clip were made, changed or cleared. */
  'pose-offset-change': { offsets: JointAngles };
  load: { model: ModelInfo };
  /** `totalProgress` runs from 0 to 1 and never back; `stage` is for people. */
  progress: { totalProgress: number; stage: string };
  /** Weights by the latest recipe are on screen. While a slider is dragged, those on the way to it are shown too. */
  'rig-complete': { report: RigReport };
  /** Weights by the latest `compareRecipe` are on screen, right of the divider. */
  'compare-complete': { report: RigReport };
  /** What the pose costs in volume, and what is left of that; at most ten times a second, while `volume` is not off. */
  volume: VolumeStats;
  /** `volumeMap` is another; `final` is false while a stroke goes on. */
  'volume-map-change': { final: boolean };
  /** Learning went on by a step: E and its terms, and how far the examples are missed, as a share of the character's size. */
  'fit-progress': { iteration: number; energy: Energy; rms: number };
  /** `examples` is another list. */
  'examples-change': { examples: readonly Example[] };
  /** The method learns from examples, and there are none: give some by `addExamples` or `examples`. */
  'examples-needed': Record<string, never>;
  'rig-warning': { warnings: readonly Warning[] };
  error: PliantError;
  select: { joint: string | null };
  /** `final` is false while a drag or a clip goes on. */
  'pose-change': { pose: JointAngles; final: boolean };
  /** A mesh has no skeleton: give one by `loadSkeleton` or `useTemplate`, or place handles. */
  'skeleton-needed': { model: ModelInfo };
  /** A joint was placed by hand. */
  'joint-change': { positions: Readonly<Record<string, Point>>; final: boolean };
  /** Handles were placed, named, removed or pulled; `final` is false while a drag goes on. */
  'handle-change': {
    handles: readonly PlacedHandle[];
    positions: Readonly<Record<string, Point>>;
    targets: Readonly<Record<string, Point>>;
    final: boolean;
  };
  /** The clip moved on, was paused, or changed. */
  'time-update': { currentTime: number; duration: number; paused: boolean };
  /** A key or click in the picture asks for something the host may want to undo: bracket for history. */
  'gesture-start': Record<string, never>;
  'gesture-end': Record<string, never>;
}

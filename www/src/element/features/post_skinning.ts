/** What is done to the pose after skinning: volume correction and contacts. */
import { OPTIONS } from '../../options.ts';
import {
  attributeName,
  attributeText,
  hasAttribute,
  type Parameter,
  type PostSkinningValues,
  parametersOf,
  parseAttribute,
  postSkinningOptions,
  propertyName,
} from '../../parameters.ts';
import { PliantFailure } from '../../solver/failure.ts';
import type { Bake, ModelInfo, PostSkinningOptions, Viewer, ViewerEvent, VolumeStats } from '../../wasm.ts';
import type { BakeOptions, SampleOptions, ViewerState, VolumeChoice, VolumeSamples } from '../api.ts';
import { reflect, volumeOf } from '../attributes.ts';
import type { ViewerContext } from '../context.ts';
import type { Feature, ViewIndex } from '../feature.ts';
import { whenIdle } from '../idle.ts';
import { SelfIntersections } from '../self_intersections.ts';
import { ViewSetting } from '../view_setting.ts';
import { Playback } from './playback.ts';
import { SecondView } from './second_view.ts';
import { ShowFeature } from './show.ts';
import { Tools } from './tools.ts';
import { Weights } from './weights.ts';

/**
 * Least interval of `volume` events, in milliseconds. Longer: numbers lag behind the pose. Shorter:
 * they cannot be read, and slow listeners delay the frames.
 */
const REPORT_INTERVAL_MS = 100;

/** Frames per second of most animation software. */
const FRAMES_PER_SECOND = 30;

/** Most samples of one clip. More: a large character is sampled for minutes. */
const MAX_SAMPLES = 1200;

const PARAMETERS = parametersOf('post-skinning');

export class PostSkinning implements Feature {
  static readonly attributes = PARAMETERS.filter(hasAttribute).map(attributeName);
  static readonly members = ['volumeMap', 'volumeStats', 'sampleVolume'] as const;
  /** One property per parameter. */
  static readonly properties = PARAMETERS.map((parameter) => ({
    name: propertyName(parameter) as keyof PostSkinningValues,
    get: (postSkinning: PostSkinning) => postSkinning.#value(parameter),
    set: (postSkinning: PostSkinning, value: unknown) => postSkinning.#setValue(parameter, value),
  }));

  readonly intersections: SelfIntersections;
  readonly #context: ViewerContext;
  readonly #setting = new ViewSetting(
    (view) => this.optionsOf(view),
    (viewer, view, options) => viewer.setPostSkinning(view, options),
  );
  #excluded: readonly string[] = [];
  /** A map that was set before there was a character for it. */
  #earlyMap: Float32Array | null = null;
  /** A copy of the viewer's map; undefined after a change. */
  #cachedMap: Float32Array | null | undefined;
  #stats: VolumeStats | null = null;
  /** The viewer's counter of moves at the last report, and when that was. */
  #reported = { moves: -1, atMs: 0 };
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(context: ViewerContext) {
    this.#context = context;
    this.intersections = new SelfIntersections({
      solver: context.solver,
      viewer: () => context.viewer,
      isShown: (view) => this.#isShownIn(view),
      found: () => {
        context.get(ShowFeature).drawLegends();
        context.requestFrame();
      },
    });
  }

  partialState(): Pick<ViewerState, 'postSkinning' | 'volumeMap' | 'volumeStats'> {
    return {
      postSkinning: this.values,
      volumeMap: this.#currentMap,
      volumeStats: this.volumeStats,
    };
  }

  // Settings.

  attributeChanged(): void {
    this.#optionsChanged();
    this.#context.settingsChanged();
  }

  #optionsChanged(): void {
    this.#context.changed('postSkinning');
    if (this.volumeIn(0) === 'off') this.#setStats(null);
  }

  /** The settings of the first view. */
  get values(): PostSkinningValues {
    const entries = PARAMETERS.map((parameter) => [propertyName(parameter), this.#value(parameter)]);
    return Object.fromEntries(entries) as PostSkinningValues;
  }

  #value(parameter: Parameter): unknown {
    if (!hasAttribute(parameter)) return [...this.#excluded];
    return parseAttribute(parameter, this.#context.element.getAttribute(attributeName(parameter)));
  }

  #setValue(parameter: Parameter, value: unknown): void {
    if (hasAttribute(parameter)) {
      const text = attributeText(parameter, value);
      const isDefault = text === attributeText(parameter, parameter.default);
      reflect(this.#context.element, attributeName(parameter), isDefault ? null : text);
    } else {
      this.#excluded = [...(value as readonly string[])];
      this.attributeChanged();
    }
  }

  /** The volume setting of a view. */
  volumeIn(view: ViewIndex): VolumeChoice {
    const second = view === 1 ? this.#context.get(SecondView).compareVolume : null;
    return second ?? volumeOf(this.#context.element.getAttribute('volume'));
  }

  optionsOf(view: ViewIndex): PostSkinningOptions {
    const isPlain = view === 1 && this.#context.get(SecondView).compareVolume === 'off';
    // A second view without volume correction shows skinning alone.
    if (isPlain) return { volume: null, fold_guard: false };
    return postSkinningOptions({ ...this.values, volume: this.volumeIn(view) });
  }

  viewerOpened(): void {
    this.#cachedMap = undefined;
    this.#setting.reset();
    this.settingsChanged();
  }

  settingsChanged(): void {
    if (this.#setting.update(this.#context.viewer)) this.#context.requestFrame();
  }

  meshChanged(): void {
    this.intersections.reset();
    this.#mapChanged();
    if (this.#earlyMap) this.#context.viewer?.setPainted(this.#earlyMap);
    this.#earlyMap = null;
  }

  characterChanged({ joints }: ModelInfo): void {
    this.#setStats(null);
    // Settings stay, but for names of joints that the character does not have.
    const names = new Set(joints.map(({ name }) => name));
    this.#excluded = this.#excluded.filter((name) => names.has(name));
    this.#context.changed('postSkinning');
    // The viewer resolves names of joints again.
    this.viewerOpened();
  }

  // The painted map.

  get volumeMap(): Float32Array | null {
    return this.#currentMap?.slice() ?? null;
  }

  /** The map itself, which must not be changed. */
  get #currentMap(): Float32Array | null {
    if (this.#earlyMap) return this.#earlyMap;
    if (this.#cachedMap === undefined) this.#cachedMap = this.#context.viewer?.painted() ?? null;
    return this.#cachedMap;
  }

  #mapChanged(): void {
    this.#cachedMap = undefined;
    this.#context.changed('volumeMap');
  }

  set volumeMap(map: Float32Array | null) {
    const { viewer, model } = this.#context;
    if (!viewer || !model) {
      this.#earlyMap = map?.slice() ?? null;
      return;
    }
    if (!viewer.setPainted(map ?? undefined)) {
      const message = `a map of ${map?.length ?? 0} numbers is not for this character`;
      throw new PliantFailure({ code: 'argument', message, hint: 'Give one number per vertex' });
    }
    this.#emitMap(true);
    this.#context.viewerChanged();
  }

  viewerEvent({ kind }: ViewerEvent): void {
    if (kind === 'paint') this.#emitMap(false);
    if (kind === 'gesture-end' && this.#context.get(Tools).tool === 'paint') this.#emitMap(true);
  }

  #emitMap(isFinal: boolean): void {
    this.#mapChanged();
    this.#context.emit('volume-map-change', { final: isFinal });
  }

  // Volumes.

  get volumeStats(): VolumeStats | null {
    return this.#stats;
  }

  #setStats(stats: VolumeStats | null): void {
    if (stats === this.#stats) return;
    this.#stats = stats;
    this.#context.changed('volumeStats');
  }

  get #isMeasured(): boolean {
    return this.volumeIn(0) !== 'off' && this.#context.get(Weights).canMove;
  }

  #isShownIn(view: ViewIndex): boolean {
    const isDrawn = view === 0 || this.#context.get(SecondView).isShown;
    const { canMove } = this.#context.get(Weights);
    return canMove && isDrawn && this.#context.get(ShowFeature).of(view) === 'folds';
  }

  afterFrame(viewer: Viewer): void {
    this.intersections.follow(viewer);
    if (!this.#isMeasured || viewer.moves === this.#reported.moves) return;
    const waitMs = this.#reported.atMs + REPORT_INTERVAL_MS - performance.now();
    if (waitMs <= 0) this.#report(viewer);
    // The last pose has to be reported as well.
    else this.#timer ??= setTimeout(() => this.#reportLater(), waitMs);
  }

  #reportLater(): void {
    this.#timer = undefined;
    const { viewer } = this.#context;
    if (viewer && this.#isMeasured) this.#report(viewer);
  }

  #report(viewer: Viewer): void {
    this.#reported = { moves: viewer.moves, atMs: performance.now() };
    const stats = viewer.volumeStats(0);
    if (!stats) return;
    this.#setStats(stats);
    this.#context.emit('volume', stats);
  }

  /** One sample per idle period of the browser, so that frames are not delayed. */
  async sampleVolume({ framesPerSecond, signal }: SampleOptions = {}): Promise<VolumeSamples> {
    const { clip, duration } = this.#context.get(Playback);
    const wanted = framesPerSecond ?? FRAMES_PER_SECOND;
    const frames = Math.max(1, Math.min(Math.round(duration * wanted), MAX_SAMPLES - 1));
    const samples: { time: number; stats: VolumeStats }[] = [];
    for (let frame = 0; clip !== null && this.volumeIn(0) !== 'off' && frame <= frames; frame++) {
      await whenIdle();
      if (signal?.aborted) throw PliantFailure.cancelled();
      const time = (duration * frame) / frames;
      const stats = this.#context.viewer?.volumeStatsAt(0, clip, time);
      if (!stats) break;
      samples.push({ time, stats });
    }
    return { samples, framesPerSecond: duration > 0 ? frames / duration : wanted };
  }

  /** What the solver bakes into a file; undefined without a correction. */
  bakeOf({ clips, keys, joints = [] }: BakeOptions): Bake | undefined {
    const options = this.optionsOf(0);
    if (!options.volume && !options.fold_guard) return undefined;
    const { clip } = this.#context.get(Playback);
    const all = clips ?? (clip === null ? [] : [clip]);
    return {
      post_skinning: options,
      clips: [...all],
      keys: keys ?? OPTIONS.bakeKeys,
      joints: [...joints],
    };
  }
}

/** Volume kept and folds held back: what is wanted, told to the viewer; figures and folds of every pose, told outside. */
import { OPTIONS } from '../options.ts';
import type { SolverBridge } from '../solver/bridge.ts';
import { PliantFailure } from '../solver/failure.ts';
import type { Bake, Brush, PostSkinningOptions, Show, Viewer, ViewerEvent, VolumeStats } from '../wasm.ts';
import type { BakeOptions, PliantViewerEvents, VolumeChoice, VolumeSample } from './api.ts';
import { exponentOf, volumeModeOf, volumeOf } from './attributes.ts';
import { Folds } from './folds.ts';
import { idle } from './idle.ts';
import type { Playback } from './playback.ts';

/** How often a moving character's figures are told: often enough to read, seldom enough for slow listeners. */
const REPORT_MS = 100;

export interface PostSkinningHost {
  readonly element: HTMLElement;
  readonly solver: SolverBridge;
  readonly playback: Playback;
  viewer(): Viewer | undefined;
  /** Whether there are weights. */
  isReady(): boolean;
  /** What the colours show, left and right of the divider; null for a picture that is whole. */
  shows(): readonly [Show, Show | null];
  requestFrame(): void;
  /** After something was done to the viewer from outside. */
  settle(): void;
  /** What the colours mean has changed. */
  colorsChanged(): void;
  emit<K extends keyof PliantViewerEvents>(type: K, detail: PliantViewerEvents[K]): void;
}

export class PostSkinning {
  readonly folds: Folds;
  readonly #host: PostSkinningHost;
  #excluded: readonly string[] = [];
  #brush: Brush | null = null;
  /** A map that came before its character. */
  #early: Float32Array | null = null;
  #figures: VolumeStats | null = null;
  #told = { moves: -1, at: 0 };
  #later: ReturnType<typeof setTimeout> | undefined;

  constructor(host: PostSkinningHost) {
    this.#host = host;
    this.folds = new Folds(host);
  }

  /** By the attributes, and what has none. */
  get options(): PostSkinningOptions {
    return this.#optionsFor(this.volume);
  }

  get volume(): VolumeChoice {
    return volumeOf(this.#host.element.getAttribute('volume'));
  }

  /** Right of the divider; null for the same as left of it. */
  get comparedVolume(): VolumeChoice | null {
    const compared = this.#host.element.getAttribute('compare-volume');
    return compared === null ? null : volumeOf(compared);
  }

  #optionsFor(choice: VolumeChoice): PostSkinningOptions {
    const { element } = this.#host;
    const volume = choice === 'off' ? null : { ...OPTIONS.volume, map: choice };
    if (volume) {
      volume.alpha = exponentOf(element.getAttribute('volume-alpha'), 'alpha');
      volume.beta = exponentOf(element.getAttribute('volume-beta'), 'beta');
      volume.mode = volumeModeOf(element.getAttribute('volume-mode'));
      volume.excluded = [...this.#excluded];
    }
    return { volume, fold_guard: element.hasAttribute('fold-guard') };
  }

  get excluded(): readonly string[] {
    return this.#excluded;
  }

  set excluded(joints: readonly string[]) {
    this.#excluded = joints;
    this.refresh();
  }

  /** A viewer that knows nothing yet. */
  prepare(): void {
    this.#host.viewer()?.setBrush(this.#brush);
    this.refresh();
  }

  /** Attributes have changed. */
  refresh(): void {
    const viewer = this.#host.viewer();
    if (!viewer) return;
    const { comparedVolume } = this;
    // Without volume the second view is as skinning leaves it.
    const none = { volume: null, fold_guard: false };
    const second = comparedVolume === 'off' ? none : this.#optionsFor(comparedVolume ?? this.volume);
    viewer.setPostSkinning(0, this.options);
    viewer.setPostSkinning(1, second);
    if (this.volume === 'off') this.#figures = null;
    this.#host.requestFrame();
  }

  /** Another character is shown. */
  begin(): void {
    this.#figures = null;
    const early = this.#early;
    this.#early = null;
    if (early) this.#host.viewer()?.setPainted(early);
    // Names are told apart by the character that has them.
    this.refresh();
  }

  get map(): Float32Array | null {
    return this.#early ?? this.#host.viewer()?.painted() ?? null;
  }

  set map(map: Float32Array | null) {
    const viewer = this.#host.viewer();
    if (!viewer || !this.#host.isReady()) {
      this.#early = map?.slice() ?? null;
      return;
    }
    if (!viewer.setPainted(map ?? undefined)) {
      const message = `a map of ${map?.length ?? 0} numbers is not for this character`;
      throw new PliantFailure({ code: 'argument', message, hint: 'Give one number per vertex' });
    }
    this.#host.emit('volume-map-change', { final: true });
    this.#host.settle();
  }

  get brush(): Brush | null {
    return this.#brush;
  }

  setBrush(brush: Brush | null): void {
    this.#brush = brush;
    this.#host.viewer()?.setBrush(brush);
    this.#host.colorsChanged();
    this.#host.settle();
  }

  /** Volumes in the last pose that was told. */
  get figures(): VolumeStats | null {
    return this.#figures;
  }

  /** The user did something in the picture. */
  acted(events: readonly ViewerEvent[]): void {
    const isPainted = events.some(({ kind }) => kind === 'paint');
    const isOver = events.some(({ kind }) => kind === 'gesture-end');
    if (isPainted || (isOver && this.#brush)) this.#host.emit('volume-map-change', { final: isOver });
  }

  /** After every picture. */
  afterFrame(viewer: Viewer): void {
    this.folds.follow(viewer);
    if (this.volume === 'off' || !this.#host.isReady() || viewer.moves === this.#told.moves) return;
    const wait = this.#told.at + REPORT_MS - performance.now();
    if (wait <= 0) this.#tell(viewer);
    // The last pose of all must be told, too.
    else this.#later ??= setTimeout(() => this.#tellLater(), wait);
  }

  #tellLater(): void {
    this.#later = undefined;
    const viewer = this.#host.viewer();
    if (viewer && this.volume !== 'off' && this.#host.isReady()) this.#tell(viewer);
  }

  #tell(viewer: Viewer): void {
    this.#told = { moves: viewer.moves, at: performance.now() };
    const figures = viewer.volumeStats(0);
    if (!figures) return;
    this.#figures = figures;
    this.#host.emit('volume', figures);
  }

  /** Volumes at `count` times of the clip, one a frame at most, so that nobody waits. */
  async sample(count: number, signal?: AbortSignal): Promise<readonly VolumeSample[]> {
    const { name, duration } = this.#host.playback;
    const samples: VolumeSample[] = [];
    if (name === null || this.volume === 'off') return samples;
    for (let i = 0; i < count; i++) {
      await idle();
      if (signal?.aborted) throw PliantFailure.cancelled();
      const time = (duration * i) / Math.max(count - 1, 1);
      const figures = this.#host.viewer()?.volumeStatsAt(0, name, time);
      if (!figures) break;
      samples.push({ time, figures });
    }
    return samples;
  }

  /** What the solver is told to bake; nothing when there is no correction, or no clip. */
  bakeOf({ clips, keys, joints = [] }: BakeOptions): Bake | undefined {
    const postSkinning = this.options;
    if (!postSkinning.volume && !postSkinning.fold_guard) return undefined;
    const { name } = this.#host.playback;
    const all = clips ?? (name === null ? [] : [name]);
    return {
      post_skinning: postSkinning,
      clips: [...all],
      keys: keys ?? OPTIONS.bakeKeys,
      joints: [...joints],
    };
  }
}

/** The clip: which one, where in it, and whether it plays. */
import { note } from '../../perf_marks.ts';
import type { ViewerState } from '../api.ts';
import { reflect } from '../attributes.ts';
import { ClipClock } from '../clip_clock.ts';
import type { ViewerContext } from '../context.ts';
import type { CharacterOptions, Feature } from '../feature.ts';
import { Pose } from './pose.ts';
import { Tools } from './tools.ts';

/**
 * Interval of `time-update` and `pose-change` while a clip plays, in milliseconds. Longer: a slider
 * moves in steps. Shorter: slow listeners delay the frames.
 */
const REPORT_INTERVAL_MS = 100;

export class Playback implements Feature {
  static readonly attributes = ['autoplay', 'animation-name'];
  static readonly members = [
    'autoplay',
    'animationName',
    'animations',
    'duration',
    'currentTime',
    'playbackRate',
    'paused',
    'play',
    'pause',
  ] as const;

  readonly #context: ViewerContext;
  readonly #clock = new ClipClock();
  /** The clip that was asked for, which the character may not have. */
  #wantedClip: string | null = null;
  /** Plays as soon as there is a clip. */
  #playsLater = false;
  /** The character on screen has weights. */
  #isShown = false;
  #reportedMs = 0;

  constructor(context: ViewerContext) {
    this.#context = context;
  }

  partialState(): Pick<ViewerState, 'playback'> {
    const { animationName: clip, animations, currentTime, duration, playbackRate, paused } = this;
    return { playback: { clip, animations, currentTime, duration, playbackRate, paused } };
  }

  attributeChanged(name: string, value: string | null): void {
    if (name === 'animation-name') this.#choose(value);
    else if (value !== null) this.play();
  }

  get autoplay(): boolean {
    return this.#context.element.hasAttribute('autoplay');
  }

  set autoplay(value: boolean) {
    reflect(this.#context.element, 'autoplay', value);
  }

  get animationName(): string | null {
    return this.#clock.clip ?? this.#wantedClip;
  }

  set animationName(name: string | null) {
    const { element } = this.#context;
    if (name === element.getAttribute('animation-name')) this.#choose(name);
    else reflect(element, 'animation-name', name);
  }

  get animations(): readonly string[] {
    return this.#context.model?.clips.map(({ name }) => name) ?? [];
  }

  /** The clip of the character on screen; null before it can move. */
  get clip(): string | null {
    return this.#clock.clip;
  }

  get duration(): number {
    return this.#clock.duration;
  }

  get currentTime(): number {
    return this.#clock.time;
  }

  set currentTime(seconds: number) {
    if (this.#clock.clip === null) return;
    this.#stopPlacing();
    this.#clock.time = seconds;
    this.#clock.skip();
    this.#context.get(Pose).showClip(this.#clock.clip, this.#clock.time);
    this.#emitTime();
    if (this.paused) this.#context.get(Pose).emitPose(true);
    this.#context.requestFrame();
  }

  get playbackRate(): number {
    return this.#clock.rate;
  }

  set playbackRate(rate: number) {
    if (!Number.isFinite(rate)) return;
    this.#clock.rate = rate;
    this.#context.changed('playback');
  }

  get paused(): boolean {
    return this.#clock.isPaused;
  }

  play(): void {
    if (this.#clock.clip === null) {
      this.#playsLater = true;
      return;
    }
    this.#stopPlacing();
    this.#clock.play();
    this.#emitTime();
    this.#context.requestFrame();
  }

  pause(): void {
    this.#playsLater = false;
    if (this.paused) return;
    this.#clock.pause();
    this.#emitTime();
    this.#context.get(Pose).emitPose(true);
  }

  characterChanged(_: unknown, { autoplay }: CharacterOptions): void {
    this.#clock.choose(null, 0);
    this.#playsLater = autoplay;
    this.#isShown = false;
    this.#context.changed('playback');
  }

  weightsShown(): void {
    this.#isShown = true;
    if (this.#clock.clip === null) this.#adoptClip();
    if (this.#playsLater && !this.#context.get(Tools).placingJoints) this.play();
    this.#playsLater = false;
  }

  /** Whether the character on screen can move. */
  get canPlay(): boolean {
    return this.#isShown;
  }

  /** Chooses a clip that was added. A default does not replace a clip that was asked for. */
  adopt(name: string, { plays, isDefault = false }: { plays: boolean; isDefault?: boolean }): void {
    const clips = this.#context.model?.clips ?? [];
    const hasWanted = clips.some((clip) => clip.name === this.#wantedClip);
    const wasPlaying = !this.paused;
    if (!(isDefault && hasWanted)) this.#wantedClip = name;
    if (!this.#isShown) return;
    this.#adoptClip();
    // Showing a clip would end the placement of joints.
    if (this.#context.get(Tools).placingJoints) return;
    if (plays || wasPlaying) this.play();
    else this.currentTime = 0;
  }

  /** A clip has another name. */
  clipRenamed(name: string, to: string): void {
    if (this.#wantedClip === name) this.#wantedClip = to;
    if (this.#clock.clip === name) this.#clock.clip = to;
    this.#emitTime();
  }

  /** Clips were removed. If the current one was, the first one follows. */
  clipsChanged(): void {
    const clips = this.#context.model?.clips ?? [];
    if (clips.some(({ name }) => name === this.#clock.clip)) return;
    const wasPlaying = !this.paused;
    this.#adoptClip();
    if (this.#clock.clip === null) this.#context.get(Pose).setPose({});
    else if (wasPlaying) this.play();
    else this.currentTime = 0;
  }

  #choose(name: string | null): void {
    this.#wantedClip = name;
    this.#context.changed('playback');
    if (this.#clock.clip === null && this.#context.model === null) return;
    const wasPlaying = !this.paused;
    this.#adoptClip();
    if (wasPlaying) this.play();
    else if (this.#clock.clip !== null) this.currentTime = 0;
  }

  /** Takes the wanted clip, or the first one. */
  #adoptClip(): void {
    const clips = this.#context.model?.clips ?? [];
    const clip = clips.find(({ name }) => name === this.#wantedClip) ?? clips[0];
    this.#clock.choose(clip?.name ?? null, clip?.duration ?? 0);
    this.#emitTime();
  }

  #stopPlacing(): void {
    const tools = this.#context.get(Tools);
    if (tools.placingJoints) tools.tool = 'rotate';
  }

  beforeFrame(nowMs: number): boolean {
    const clock = this.#clock;
    // The last frame has shown the clip in motion.
    if (!clock.isPaused && clock.time > 0) note('moving');
    if (clock.clip === null || !clock.advance(nowMs)) return false;
    this.#context.get(Pose).showClip(clock.clip, clock.time);
    if (nowMs - this.#reportedMs >= REPORT_INTERVAL_MS) {
      this.#reportedMs = nowMs;
      this.#emitTime();
      this.#context.get(Pose).emitPose(false);
    }
    return true;
  }

  #emitTime(): void {
    const { currentTime, duration, paused } = this;
    this.#context.changed('playback');
    this.#context.emit('time-update', { currentTime, duration, paused });
  }
}

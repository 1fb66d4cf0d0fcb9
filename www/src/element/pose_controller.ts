/** What is done to a character once it is there: clip, pose, selection, placing joints, colours. */
import { note } from '../perf_marks.ts';
import type { Deformer, ModelInfo, RigReport, Show, Viewer, ViewerEvent } from '../wasm.ts';
import type { JointAngles, PliantViewerEvents, Point } from './api.ts';
import type { FitLegend } from './fit.ts';
import { drawLegend } from './legend.ts';
import { Playback } from './playback.ts';

/** How often a running clip is reported: often enough for a slider, seldom enough for slow listeners. */
const REPORT_MS = 100;

export interface PoserHost {
  viewer(): Viewer | undefined;
  model(): ModelInfo | null;
  report(): RigReport | null;
  requestFrame(): void;
  /** After something was done to the viewer from outside. */
  settle(): void;
  /** Joints were placed by hand and stay so. */
  placed(positions: Readonly<Record<string, Point>>): void;
  /** What the colours mean has changed: another joint, other weights, another view. */
  colorsChanged(): void;
  /** How many vertices lie in folds; null where nobody has looked. */
  folded(): number | null;
  isPainting(): boolean;
  /** What a fit is about; null where none is shown. */
  fit(): FitLegend | null;
  /** Puts everything that the user has moved back to rest. */
  reset(): void;
  /** What it means for handles. */
  handled(event: ViewerEvent): void;
  say(text: string): void;
  emit<K extends keyof PliantViewerEvents>(type: K, detail: PliantViewerEvents[K]): void;
}

export class Poser {
  readonly playback = new Playback();
  readonly #host: PoserHost;
  readonly #legend: HTMLElement;
  #deformer: Deformer | undefined;
  #show: Show = 'shaded';
  #hidesBones = false;
  #wantedClip: string | null = null;
  #wantsPlay = false;
  #isPlacing = false;
  #mirrors = true;
  #isDragging = false;
  #reported = 0;

  constructor(host: PoserHost, legend: HTMLElement) {
    this.#host = host;
    this.#legend = legend;
  }

  /** A viewer without a character yet gets what was chosen before. */
  prepare(viewer: Viewer): void {
    if (this.#deformer) viewer.setDeformer(0, this.#deformer);
    viewer.setShow(0, this.#show);
    viewer.setBones(!this.#hidesBones);
    this.#updateLegend();
  }

  /** Another character, or another skeleton in it: its clips are other ones. */
  begin(autoplay: boolean): void {
    this.#isDragging = false;
    this.#isPlacing = false;
    this.playback.choose(null, 0);
    this.#wantsPlay = autoplay;
    this.#updateLegend();
  }

  /** The character can move now. */
  ready(): void {
    if (this.playback.name === null) this.#adoptClip();
    if (this.#wantsPlay && !this.#isPlacing) this.play();
    this.#wantsPlay = false;
    this.#updateLegend();
  }

  #adoptClip(): void {
    const clips = this.#host.model()?.clips ?? [];
    const clip = clips.find(({ name }) => name === this.#wantedClip) ?? clips[0];
    this.playback.choose(clip?.name ?? null, clip?.duration ?? 0);
    this.#tellTime();
  }

  get clip(): string | null {
    return this.playback.name ?? this.#wantedClip;
  }

  chooseClip(name: string | null): void {
    this.#wantedClip = name;
    if (this.playback.name === null && this.#host.model() === null) return;
    const wasPlaying = !this.playback.isPaused;
    this.#adoptClip();
    if (wasPlaying) this.play();
    else if (this.playback.name !== null) this.seek(0);
  }

  play(): void {
    if (this.playback.name === null) {
      this.#wantsPlay = true;
      return;
    }
    this.setPlacing(false);
    this.playback.play();
    this.#tellTime();
    this.#host.requestFrame();
  }

  pause(): void {
    this.#wantsPlay = false;
    if (this.playback.isPaused) return;
    this.playback.pause();
    this.#tellTime();
    this.#tellPose(true);
  }

  seek(seconds: number): void {
    if (this.playback.name === null) return;
    this.setPlacing(false);
    this.playback.time = seconds;
    this.playback.skip();
    this.#host.viewer()?.setClipTime(this.playback.name, this.playback.time);
    this.#tellTime();
    if (this.playback.isPaused) this.#tellPose(true);
    this.#host.requestFrame();
  }

  /** Moves the clip on; whether one plays. */
  beforeFrame(nowMs: number): boolean {
    const { playback } = this;
    // The last frame has shown it under way.
    if (!playback.isPaused && playback.time > 0) note('moving');
    if (playback.name === null || !playback.advance(nowMs)) return false;
    this.#host.viewer()?.setClipTime(playback.name, playback.time);
    if (nowMs - this.#reported >= REPORT_MS) {
      this.#reported = nowMs;
      this.#tellTime();
      this.#tellPose(false);
    }
    return true;
  }

  get pose(): JointAngles {
    return this.#host.viewer()?.pose() ?? {};
  }

  setPose(angles: JointAngles): void {
    this.pause();
    this.setPlacing(false);
    const plain = Object.fromEntries(Object.entries(angles).map(([joint, [x, y, z]]) => [joint, [x, y, z]]));
    if (this.#host.viewer()?.setPose(plain as Record<string, [number, number, number]>)) {
      this.#tellPose(true);
      this.#host.settle();
    }
  }

  get selected(): string | null {
    return this.#host.viewer()?.selected ?? null;
  }

  select(joint: string | null): void {
    if (joint === this.selected) return;
    this.#host.viewer()?.select(joint);
    this.#selected();
    this.#host.settle();
  }

  /** The joint `steps` after the selected one, among those that deform. */
  selectNext(steps: number): boolean {
    const joints = this.#host.model()?.joints.filter(({ deforms }) => deforms) ?? [];
    if (joints.length === 0) return false;
    const at = joints.findIndex(({ name }) => name === this.selected);
    const next = at < 0 ? (steps > 0 ? 0 : joints.length - 1) : (at + steps + joints.length) % joints.length;
    this.select(joints[next]?.name ?? null);
    return true;
  }

  #selected(): void {
    const joint = this.selected;
    this.#updateLegend();
    this.#host.say(joint === null ? 'Nothing selected' : `${joint} selected`);
    this.#host.emit('select', { joint });
  }

  setDeformer(deformer: Deformer): void {
    this.#deformer = deformer;
    this.#host.viewer()?.setDeformer(0, deformer);
    this.#host.requestFrame();
  }

  setShow(show: Show): void {
    this.#show = show;
    this.#host.viewer()?.setShow(0, show);
    this.#updateLegend();
    this.#host.requestFrame();
  }

  get show(): Show {
    return this.#show;
  }

  /** What they mean, for there is paint, or folds were looked for. */
  colorsChanged(): void {
    this.#updateLegend();
  }

  setBones(areShown: boolean): void {
    this.#hidesBones = !areShown;
    this.#host.viewer()?.setBones(areShown);
    this.#host.requestFrame();
  }

  get isPlacing(): boolean {
    return this.#isPlacing;
  }

  setPlacing(on: boolean): void {
    if (on === this.#isPlacing) return;
    if (on) this.pause();
    this.#isPlacing = this.#host.viewer()?.setPlacing(on, this.#mirrors) ?? false;
    this.#host.settle();
  }

  get mirrors(): boolean {
    return this.#mirrors;
  }

  setMirrors(on: boolean): void {
    this.#mirrors = on;
    if (this.#isPlacing) this.#host.viewer()?.setPlacing(true, on);
  }

  get jointPositions(): Readonly<Record<string, Point>> {
    return this.#host.viewer()?.jointPositions() ?? {};
  }

  jointPositionsWith(joint: string, to: Point): Readonly<Record<string, Point>> {
    return this.#host.viewer()?.jointPositionsWith(joint, [...to], this.#mirrors) ?? {};
  }

  /** The camera was put somewhere. */
  moved(): void {
    this.#host.settle();
  }

  frame(): void {
    this.#host.viewer()?.key('frame-all');
    this.#host.settle();
  }

  /** Puts the pose back to rest because the user asked for it; whether there was one. */
  resetByUser(): boolean {
    if (this.#isPlacing || !this.#host.viewer()) return false;
    this.#host.emit('gesture-start', {});
    this.#host.reset();
    this.#host.emit('gesture-end', {});
    return true;
  }

  /** The user did something in the picture. */
  acted(events: readonly ViewerEvent[]): void {
    for (const event of events) {
      this.#host.handled(event);
      switch (event.kind) {
        case 'select':
          this.#selected();
          break;
        case 'hover':
        case 'paint':
        case 'handle-asked':
        case 'pull':
          break;
        case 'gesture-start':
          this.pause();
          this.#isDragging = true;
          this.#host.emit('gesture-start', {});
          break;
        case 'pose':
          this.#tellPose(!this.#isDragging);
          break;
        case 'joints':
          this.#host.emit('joint-change', { positions: this.jointPositions, final: false });
          break;
        case 'gesture-end':
          this.#isDragging = false;
          this.#gestureEnded(event.cancelled);
          break;
      }
    }
  }

  #gestureEnded(isCancelled: boolean): void {
    if (this.#isPlacing) {
      const positions = this.jointPositions;
      this.#host.emit('joint-change', { positions, final: true });
      if (!isCancelled) this.#host.placed(positions);
    } else {
      this.#tellPose(true);
    }
    this.#host.emit('gesture-end', {});
  }

  #tellPose(isFinal: boolean): void {
    this.#host.emit('pose-change', { pose: this.pose, final: isFinal });
  }

  #tellTime(): void {
    const { time, duration, isPaused } = this.playback;
    this.#host.emit('time-update', { currentTime: time, duration, paused: isPaused });
  }

  #updateLegend(): void {
    // The colours come from the viewer's side, so there is no legend before it.
    if (!this.#host.viewer()) return;
    const report = this.#host.report();
    const overlap = report?.regions.length ? report.overlap : null;
    const { folded, isPainting, fit } = this.#host;
    const postSkinning = { folded: folded(), isPainting: isPainting(), fit: fit() };
    drawLegend(this.#legend, { show: this.#show, joint: this.selected, overlap, ...postSkinning });
    this.#host.colorsChanged();
  }
}

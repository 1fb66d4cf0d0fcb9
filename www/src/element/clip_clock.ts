/** A longer wait between frames was a hidden tab: the clip goes on from the last visible frame. */
const MAX_STEP_MS = 250;

/** The time within a looping clip. Knows the clip's name and duration only. */
export class ClipClock {
  clip: string | null = null;
  /** In seconds. */
  duration = 0;
  rate = 1;
  #time = 0;
  #isPaused = true;
  /**
   * When the clip last advanced or began to play; undefined after a pause, which does not count.
   */
  #lastMs: number | undefined;

  /** In seconds, from 0 to `duration`. */
  get time(): number {
    return this.#time;
  }

  set time(seconds: number) {
    this.#time = Number.isFinite(seconds) ? Math.min(Math.max(seconds, 0), this.duration) : 0;
  }

  get isPaused(): boolean {
    return this.#isPaused;
  }

  /** Chooses a clip, or none, at time 0. */
  choose(clip: string | null, duration: number): void {
    this.clip = clip;
    this.duration = duration;
    this.#time = 0;
    if (clip === null) this.pause();
  }

  play(): void {
    this.#isPaused = this.clip === null;
    this.#lastMs = performance.now();
  }

  pause(): void {
    this.#isPaused = true;
    this.#lastMs = undefined;
  }

  /** The time since the last frame does not count. */
  skip(): void {
    this.#lastMs = undefined;
  }

  /** Advances to `nowMs`. False if paused. */
  advance(nowMs: number): boolean {
    if (this.#isPaused) return false;
    // The timestamp of a frame may lie before the call of `play`.
    const stepMs = this.#lastMs === undefined ? 0 : Math.min(Math.max(nowMs - this.#lastMs, 0), MAX_STEP_MS);
    this.#lastMs = nowMs;
    if (this.duration > 0) {
      const time = (this.#time + (stepMs / 1000) * this.rate) % this.duration;
      this.#time = time < 0 ? time + this.duration : time;
    }
    return true;
  }
}

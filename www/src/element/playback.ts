/** A longer wait was a tab in the background, and the clip goes on from where it was seen last. */
const LONGEST_MS = 250;

/** Where in a clip we are. Knows no clips, only their lengths; loops. */
export class Playback {
  name: string | null = null;
  duration = 0;
  rate = 1;
  #time = 0;
  #isPaused = true;
  /** When the clip was last moved on, or began to play; none after a pause, so that the pause does not count. */
  #last: number | undefined;

  get time(): number {
    return this.#time;
  }

  set time(seconds: number) {
    this.#time = Number.isFinite(seconds) ? Math.min(Math.max(seconds, 0), this.duration) : 0;
  }

  get isPaused(): boolean {
    return this.#isPaused;
  }

  /** Chooses a clip, or none; it starts from its beginning. */
  choose(name: string | null, duration: number): void {
    this.name = name;
    this.duration = duration;
    this.#time = 0;
    if (name === null) this.pause();
  }

  play(): void {
    this.#isPaused = this.name === null;
    this.#last = performance.now();
  }

  pause(): void {
    this.#isPaused = true;
    this.#last = undefined;
  }

  /** Nobody watched for a while; that time does not count. */
  skip(): void {
    this.#last = undefined;
  }

  /** Moves on to `nowMs`; whether it is playing at all. */
  advance(nowMs: number): boolean {
    if (this.#isPaused) return false;
    // A frame's time is when it was due, which may be before the clip was played.
    const waited = this.#last === undefined ? 0 : Math.min(Math.max(nowMs - this.#last, 0), LONGEST_MS);
    const passed = (waited / 1000) * this.rate;
    this.#last = nowMs;
    if (this.duration > 0) {
      const time = (this.#time + passed) % this.duration;
      this.#time = time < 0 ? time + this.duration : time;
    }
    return true;
  }
}

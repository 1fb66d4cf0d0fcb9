/** Progress of a task in parts, as one number that never runs back. */
export class Progress {
  #share = 0;
  readonly #tell: (share: number, stage: string) => void;

  constructor(tell: (share: number, stage: string) => void) {
    this.#tell = tell;
  }

  /** A listener for one part of the task, from `start` to `end` of the whole. */
  part(start: number, end: number): (share: number, stage: string) => void {
    return (share, stage) => {
      const whole = start + (end - start) * Math.min(Math.max(share, 0), 1);
      this.#share = Math.max(this.#share, whole);
      this.#tell(this.#share, stage);
    };
  }
}

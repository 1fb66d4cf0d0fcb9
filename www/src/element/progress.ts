/** Progress of a task in parts, as one number that never decreases. */
export class Progress {
  #share = 0;
  readonly #report: (share: number, stage: string) => void;

  constructor(report: (share: number, stage: string) => void) {
    this.#report = report;
  }

  /** A listener for one part of the task, from `start` to `end` of the whole (0 to 1). */
  part(start: number, end: number): (share: number, stage: string) => void {
    return (share, stage) => {
      const whole = start + (end - start) * Math.min(Math.max(share, 0), 1);
      this.#share = Math.max(this.#share, whole);
      this.#report(this.#share, stage);
    };
  }
}

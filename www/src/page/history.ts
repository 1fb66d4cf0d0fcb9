/**
 * Undo and redo. A step knows how to go back and forth; a drag makes one step, however many events it
 * fires. Knows nothing of characters.
 */

export interface Step {
  /** What was done, as it follows "Undo": "turn of left knee". */
  readonly label: string;
  undo(): void;
  redo(): void;
  /** Steps of one kind that follow each other without a pause become one. */
  readonly kind?: string;
}

/** More steps than anyone takes back; fewer would forget a long session's start. */
const DEEPEST = 200;

export class History {
  readonly #done: Step[] = [];
  readonly #undone: Step[] = [];
  readonly #listeners = new Set<() => void>();
  /** The newest step may still grow. */
  #open = false;
  /** Undoing must not be recorded as something new. */
  #replaying = false;

  get canUndo(): boolean {
    return this.#done.length > 0;
  }

  get canRedo(): boolean {
    return this.#undone.length > 0;
  }

  /** What undo would take back. */
  get undoLabel(): string | null {
    return this.#done.at(-1)?.label ?? null;
  }

  get redoLabel(): string | null {
    return this.#undone.at(-1)?.label ?? null;
  }

  /** True while a step is taken back or done again: changes seen now are not the user's. */
  get replaying(): boolean {
    return this.#replaying;
  }

  /** Records something that has already been done. */
  push(step: Step): void {
    if (this.#replaying) return;
    this.#undone.length = 0;
    const last = this.#done.at(-1);
    if (last && this.#open && step.kind !== undefined && last.kind === step.kind) {
      // The first knows the way back, the last knows where it ended.
      this.#done[this.#done.length - 1] = { ...step, undo: () => last.undo() };
    } else {
      this.#done.push(step);
      if (this.#done.length > DEEPEST) this.#done.shift();
    }
    this.#open = step.kind !== undefined;
    this.#tell();
  }

  /** The drag is over: what follows is a step of its own. */
  seal(): void {
    this.#open = false;
  }

  undo(): boolean {
    const step = this.#done.pop();
    if (!step) return false;
    this.#undone.push(step);
    this.#replay(() => step.undo());
    return true;
  }

  redo(): boolean {
    const step = this.#undone.pop();
    if (!step) return false;
    this.#done.push(step);
    this.#replay(() => step.redo());
    return true;
  }

  /** Another character: the old steps mean nothing to it. */
  clear(): void {
    this.#done.length = 0;
    this.#undone.length = 0;
    this.seal();
    this.#tell();
  }

  /** Calls `listener` after every change; returns how to stop that. */
  watch(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #replay(work: () => void): void {
    this.seal();
    this.#replaying = true;
    try {
      work();
    } finally {
      this.#replaying = false;
      this.#tell();
    }
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}

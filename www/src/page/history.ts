/**
 * Undo and redo. A step can be undone and redone; a drag is one step, however many events it fires.
 */

export interface Step {
  /** What was done, as it follows "Undo": "rotation of left knee". */
  readonly label: string;
  undo(): void;
  redo(): void;
  /** Consecutive steps of one kind are merged, until `seal` is called. */
  readonly kind?: string;
}

/** Steps that are kept. More: more memory for maps. Fewer: long sessions cannot be undone. */
const MAX_STEPS = 200;

export class History {
  readonly #done: Step[] = [];
  readonly #undone: Step[] = [];
  readonly #listeners = new Set<() => void>();
  /** The newest step may be merged with the next. */
  #open = false;
  /** Changes made by undo and redo are not recorded. */
  #replaying = false;

  get canUndo(): boolean {
    return this.#done.length > 0;
  }

  get canRedo(): boolean {
    return this.#undone.length > 0;
  }

  /** The label of the step that undo would undo. */
  get undoLabel(): string | null {
    return this.#done.at(-1)?.label ?? null;
  }

  get redoLabel(): string | null {
    return this.#undone.at(-1)?.label ?? null;
  }

  /** Records something that has already been done. */
  push(step: Step): void {
    if (this.#replaying) return;
    this.#undone.length = 0;
    const last = this.#done.at(-1);
    if (last && this.#open && step.kind !== undefined && last.kind === step.kind) {
      // Undo of the first, redo of the last.
      this.#done[this.#done.length - 1] = { ...step, undo: () => last.undo() };
    } else {
      this.#done.push(step);
      if (this.#done.length > MAX_STEPS) this.#done.shift();
    }
    this.#open = step.kind !== undefined;
    this.#tell();
  }

  /** Ends merging: the next step is separate. */
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

  /** Removes all steps; they belong to another character. */
  clear(): void {
    this.#done.length = 0;
    this.#undone.length = 0;
    this.seal();
    this.#tell();
  }

  /** Calls `listener` after every change; the returned function stops that. */
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

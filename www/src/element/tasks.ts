/** Tasks under way: their progress, their cancellation, and the report of a failure. */
import { PliantFailure } from '../solver/failure.ts';
import { Progress } from './progress.ts';

export interface Task {
  signal: AbortSignal;
  progress: Progress;
}

export interface TasksHost {
  progress(share: number, stage: string): void;
  /** A task began or ended. */
  busyChanged(): void;
  /** Not called for a task that was cancelled. */
  failed(failure: PliantFailure): void;
}

export class Tasks {
  readonly #host: TasksHost;
  readonly #running = new Set<AbortController>();

  constructor(host: TasksHost) {
    this.#host = host;
  }

  get isBusy(): boolean {
    return this.#running.size > 0;
  }

  cancel(): void {
    for (const controller of this.#running) controller.abort();
  }

  async run<T>(work: (task: Task) => Promise<T>): Promise<T> {
    const controller = new AbortController();
    this.#running.add(controller);
    this.#host.busyChanged();
    const progress = new Progress((share, stage) => this.#host.progress(share, stage));
    let failure: PliantFailure | undefined;
    try {
      return await work({ signal: controller.signal, progress });
    } catch (thrown) {
      failure = controller.signal.aborted ? PliantFailure.cancelled() : PliantFailure.of(thrown);
      throw failure;
    } finally {
      // Before the failure is reported, so that listeners do not see a busy element.
      this.#running.delete(controller);
      this.#host.busyChanged();
      if (failure && failure.code !== 'cancelled') this.#host.failed(failure);
    }
  }
}

/** For a promise that nobody awaits. Its failure was reported by the `error` event. */
export function ignoreRejection(promise: Promise<unknown>): void {
  promise.catch(() => undefined);
}

/** What is under way: how far it is, what stops it, and what is told when it fails. */
import { PliantFailure } from '../solver/failure.ts';
import { Progress } from './progress.ts';

export interface Task {
  signal: AbortSignal;
  progress: Progress;
}

export interface TasksHost {
  progress(share: number, stage: string): void;
  /** Something began or ended. */
  busy(): void;
  /** Not told of what was stopped on request. */
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
    this.#host.busy();
    const progress = new Progress((share, stage) => this.#host.progress(share, stage));
    let failure: PliantFailure | undefined;
    try {
      return await work({ signal: controller.signal, progress });
    } catch (thrown) {
      failure = controller.signal.aborted ? PliantFailure.cancelled() : PliantFailure.of(thrown);
      throw failure;
    } finally {
      // Before anyone is told, so that nothing seems busy any more.
      this.#running.delete(controller);
      this.#host.busy();
      if (failure && failure.code !== 'cancelled') this.#host.failed(failure);
    }
  }
}

/** For what nobody awaits: the `error` event has told already. */
export function quietly(promise: Promise<unknown>): void {
  promise.catch(() => undefined);
}

/**
 * The page's side of the solver: sends requests in order, and can cancel each.
 *
 * WebAssembly cannot be interrupted, so cancelling a running request terminates the worker. The
 * next request starts a new worker, which first gets the requests in the replay log again.
 */
import type { Energy, RigAnswer } from '../wasm.ts';
import { PliantFailure } from './failure.ts';
import type { AnswerTo, Ask, FromWorker, ToWorker } from './protocol.ts';
import { type Character, remember } from './replay_log.ts';
import { spawn } from './spawn.ts';

export interface AskOptions {
  signal?: AbortSignal;
  /** Called with the part done, 0 to 1, and the name of the stage. */
  onProgress?: (share: number, stage: string) => void;
  /** Called after every iteration of example fitting. */
  onIteration?: (energy: Energy) => void;
  /** Called with intermediate results of example fitting. */
  onPartialResult?: (answer: RigAnswer) => void;
  /** Ends example fitting early: the request is answered with the current weights. */
  stop?: AbortSignal | undefined;
}

interface Job {
  ask: Ask;
  options: AskOptions;
  resolve: (value: never) => void;
  reject: (failure: PliantFailure) => void;
}

export class SolverBridge {
  #queue: Job[] = [];
  readonly #running = new Set<Job>();
  #worker: Promise<Worker> | undefined;
  #lastId = 0;
  /** The requests that made up the current character. */
  #character: Character = [];
  /** Whether the current worker has received them. */
  #isKnown = true;
  /** Reject the promises of running requests. */
  readonly #interrupts = new Set<(failure: PliantFailure) => void>();

  ask<A extends Ask>(ask: A, options: AskOptions = {}): Promise<AnswerTo<A>> {
    return new Promise((resolve, reject) => {
      if (options.signal?.aborted) return reject(PliantFailure.cancelled());
      const job: Job = { ask, options, resolve, reject };
      options.signal?.addEventListener('abort', () => this.#stop(job), { once: true });
      this.#queue.push(job);
      this.#next();
    });
  }

  /** Starts the worker before it is needed. Resolves when it runs or has failed. */
  async warm(): Promise<void> {
    await this.#ready().catch(() => undefined);
  }

  /** Terminates the worker and cancels all requests. The replay log is kept. */
  dispose(): void {
    const waiting = this.#queue.splice(0);
    this.#drop(PliantFailure.cancelled());
    for (const job of waiting) job.reject(PliantFailure.cancelled());
  }

  #stop(job: Job): void {
    if (this.#running.has(job)) {
      this.#drop(PliantFailure.cancelled());
    } else if (this.#queue.includes(job)) {
      this.#queue = this.#queue.filter((other) => other !== job);
      job.reject(PliantFailure.cancelled());
    }
  }

  #next(): void {
    const job = this.#queue[0];
    if (!job || !this.#mayStart(job)) return;
    this.#queue.shift();
    const follows = this.#running.size > 0;
    this.#running.add(job);
    this.#answer(job, follows)
      .then(
        (value) => job.resolve(value as never),
        (thrown) => job.reject(PliantFailure.of(thrown)),
      )
      .finally(() => {
        this.#running.delete(job);
        this.#next();
      });
    this.#next();
  }

  /**
   * One request runs at a time. Only a rig is sent right after a load, so that the worker goes on
   * while the page is busy drawing.
   */
  #mayStart({ ask }: Job): boolean {
    const running = [...this.#running];
    return running.length === 0 || (ask.kind === 'rig' && running.every((job) => isLoad(job.ask)));
  }

  async #answer({ ask, options }: Job, follows: boolean): Promise<unknown> {
    const replaces = isLoad(ask);
    if (!replaces && !follows && !this.#isKnown && speaksOfCharacter(ask)) {
      for (const earlier of this.#character) {
        if (earlier.kind !== 'rig' || ask.kind === 'export') await this.#post(earlier, {});
      }
      this.#isKnown = true;
    }
    // After a load that fails, the worker has no character.
    if (replaces) this.#isKnown = false;
    const value = await this.#post(ask, options);
    if (replaces) this.#isKnown = true;
    this.#character = remember(this.#character, ask, value);
    return value;
  }

  /**
   * Sends a request and waits for its answer. Other answers, and those of terminated workers, are
   * ignored.
   */
  async #post(ask: Ask, { onProgress, onIteration, onPartialResult, stop }: AskOptions): Promise<unknown> {
    const id = ++this.#lastId;
    let hear: (() => void) | undefined;
    let interrupt: (failure: PliantFailure) => void = () => undefined;
    const interrupted = new Promise<never>((_, reject) => {
      interrupt = reject;
    });
    this.#interrupts.add(interrupt);
    const answered = this.#ready().then(
      (worker) =>
        new Promise((resolve, reject) => {
          const onMessage = ({ data }: MessageEvent<FromWorker>) => {
            if (data.kind === 'ready' || data.id !== id) return;
            if (data.kind === 'progress') return onProgress?.(data.share, data.stage);
            if (data.kind === 'iteration') return onIteration?.(data.energy);
            if (data.kind === 'partial-result') return onPartialResult?.(data.value);
            if (data.kind === 'answer') return resolve(data.value);
            if (data.isFatal) this.#drop(new PliantFailure(data.error));
            reject(new PliantFailure(data.error));
          };
          const onError = (event: ErrorEvent | MessageEvent) => {
            const message =
              event instanceof ErrorEvent && event.message ? event.message : 'The solver could not start';
            this.#drop(new PliantFailure({ code: 'worker', message, hint: 'Reload the page' }));
          };
          worker.addEventListener('message', onMessage);
          worker.addEventListener('error', onError);
          worker.addEventListener('messageerror', onError);
          const postStop = () => worker.postMessage({ kind: 'stop', id } satisfies ToWorker);
          stop?.addEventListener('abort', postStop, { once: true });
          hear = () => {
            stop?.removeEventListener('abort', postStop);
            worker.removeEventListener('message', onMessage);
            worker.removeEventListener('error', onError);
            worker.removeEventListener('messageerror', onError);
          };
          const message: ToWorker = { kind: 'ask', id, ask };
          worker.postMessage(message);
          if (stop?.aborted) postStop();
        }),
    );
    try {
      return await Promise.race([answered, interrupted]);
    } finally {
      answered.catch(() => undefined);
      this.#interrupts.delete(interrupt);
      hear?.();
    }
  }

  #ready(): Promise<Worker> {
    if (!this.#worker) {
      const worker = spawn();
      this.#worker = worker;
      worker.catch(() => {
        // The next request tries again.
        if (this.#worker === worker) this.#worker = undefined;
      });
    }
    return this.#worker;
  }

  #drop(why: PliantFailure): void {
    this.#worker?.then((worker) => worker.terminate()).catch(() => undefined);
    this.#worker = undefined;
    this.#isKnown = false;
    for (const interrupt of this.#interrupts) interrupt(why);
  }
}

/** Whether a new worker needs the replay log first. */
function speaksOfCharacter({ kind }: Ask): boolean {
  return kind !== 'memory' && kind !== 'clear-view';
}

/** Whether it replaces the character. */
function isLoad({ kind }: Ask): boolean {
  return kind === 'load';
}

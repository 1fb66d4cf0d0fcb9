/** Poses to learn from: where they come from, which of them count, and how learning from them goes. */
import type { AskOptions, SolverBridge } from '../solver/bridge.ts';
import { PliantFailure } from '../solver/failure.ts';
import type { PoseSource } from '../solver/protocol.ts';
import type { Energy, ModelInfo, PosesAnswer, Recipe, RigAnswer, Viewer } from '../wasm.ts';
import type { Example, ExampleSource, PliantViewerEvents, ViewerState } from './api.ts';
import { idle } from './idle.ts';
import type { Playback } from './playback.ts';
import { named } from './source.ts';
import type { Tasks } from './tasks.ts';
import { thumbnailOf } from './thumbnail.ts';

/** Enough for the turns of a walk, few enough to be learned from in seconds. */
const FRAMES = 6;

export interface ExamplesHost {
  readonly solver: SolverBridge;
  readonly tasks: Tasks;
  readonly playback: Playback;
  viewer(): Viewer | undefined;
  model(): ModelInfo | null;
  recipe(): Recipe;
  /** There are other examples: weights that were learned from the old ones are old. */
  replaced(): void;
  changed(...keys: readonly (keyof ViewerState)[]): void;
  /** Weights that will get better. */
  partialResult(answer: RigAnswer): void;
  emit<K extends keyof PliantViewerEvents>(type: K, detail: PliantViewerEvents[K]): void;
}

export class Examples {
  readonly #host: ExamplesHost;
  #list: readonly Required<Example>[] = [];
  /** Counts how often what is learned from has changed. */
  #revision = 0;
  /** The revision that the solver knows. */
  #sent = 0;
  /** The list was set before there was a character for it. */
  #isEarly = false;
  #triangles: Uint32Array = new Uint32Array();
  /** E after every iteration of the run that is under way. */
  #energy: readonly Energy[] | null = null;
  #iteration = 0;
  #stop = new AbortController();

  constructor(host: ExamplesHost) {
    this.#host = host;
  }

  get list(): readonly Required<Example>[] {
    return this.#list;
  }

  set list(list: readonly Example[]) {
    const { model } = this.#host;
    const vertices = model()?.vertices;
    const stray = list.find(({ positions }) => vertices !== undefined && positions.length !== 3 * vertices);
    if (stray) {
      const message = `${stray.name} has ${stray.positions.length / 3} vertices, but the character has ${vertices}`;
      throw new PliantFailure({ code: 'examples', message, hint: 'Give three numbers per vertex' });
    }
    const before = this.#chosen;
    this.#list = list.map(({ name, positions, chosen = true }) => ({ name, positions, chosen }));
    this.#isEarly = vertices === undefined;
    const after = this.#chosen;
    const isSame = before.length === after.length && before.every((pose, i) => pose === after[i]);
    if (!isSame) this.#revision++;
    this.#host.emit('examples-change', { examples: this.#list });
    if (!isSame) this.#host.replaced();
  }

  get #chosen(): readonly Float32Array[] {
    return this.#list.filter(({ chosen }) => chosen).map(({ positions }) => positions);
  }

  /** The place of one of the list among those that are learned from; −1 when it is not. */
  placeOf(index: number): number {
    return this.#list[index]?.chosen ? this.#list.slice(0, index).filter(({ chosen }) => chosen).length : -1;
  }

  /** Whether a recipe learns, but has nothing to learn from: while another character `arrives`, what there is are poses of the last. */
  lacks({ method }: Recipe, arrives = false): boolean {
    const hasOwn = this.#list.some(({ chosen }) => chosen) && (!arrives || this.#isEarly);
    return method === 'examples' && !hasOwn;
  }

  /** What weights by a recipe depend on besides the recipe. */
  keyFor({ method }: Recipe): string {
    return method === 'examples' ? `|${this.#revision}` : '';
  }

  /** Another character is shown: it is not what these are poses of. */
  begin(triangles: Uint32Array): void {
    this.#triangles = triangles;
    this.#energy = null;
    // The solver has begun anew, too.
    this.#sent = -1;
    if (!this.#isEarly && this.#list.length) {
      this.#list = [];
      this.#revision++;
      this.#host.emit('examples-change', { examples: [] });
    }
    this.#isEarly = false;
  }

  // Learning.

  /** The solver must know of the examples before it is asked to learn from them; questions are answered in order. */
  send(signal: AbortSignal): void {
    if (this.#sent === this.#revision) return;
    this.#sent = this.#revision;
    this.#host.solver.ask({ kind: 'examples', poses: this.#chosen }, { signal }).catch(() => {
      // Stopped or refused: whoever asks to learn next sends them again.
      this.#sent = -1;
    });
  }

  /** Listeners for a run that learns. */
  listeners({ method }: Recipe): AskOptions {
    if (method !== 'examples') return {};
    this.#stop = new AbortController();
    this.#energy = [];
    this.#iteration = 0;
    return {
      stop: this.#stop.signal,
      onIteration: (energy) => this.#heard(energy),
      onPartialResult: (answer) => {
        this.#energy = answer.report.learning?.energy ?? this.#energy;
        this.#host.partialResult(answer);
      },
    };
  }

  #heard(energy: Energy): void {
    this.#energy = [...(this.#energy ?? []), energy];
    const { data } = this.#host.recipe().examples;
    const count = Math.max(1, this.#chosen.length);
    const rms = data > 0 ? Math.sqrt(energy.data / data / count) : 0;
    this.#host.emit('fit-progress', { iteration: ++this.#iteration, energy, rms });
  }

  /** The run is over. */
  rest(): void {
    this.#energy = null;
    this.#host.changed('fitProgress');
  }

  /** E after every iteration so far; null while nothing is being learned. */
  get energy(): readonly Energy[] | null {
    return this.#energy;
  }

  /** Whether something has been learned by now by a run that is still under way. */
  get hasFitted(): boolean {
    return (this.#energy?.length ?? 0) > 0;
  }

  /** What was learned so far is the answer. */
  stop(): void {
    this.#stop.abort();
  }

  // Where they come from.

  /** Adds what is found; those that were added. */
  add(source: ExampleSource): Promise<readonly Example[]> {
    // Nobody wants to know the end of what is learned from fewer.
    if (this.hasFitted) this.stop();
    return this.#host.tasks.run(async ({ signal, progress }) => {
      const onProgress = progress.part(0, 1);
      onProgress(0, 'Reading poses');
      const { poses, failures } = await this.#found(source, signal, (share) =>
        onProgress(share, 'Reading poses'),
      );
      const added = poses.map(({ name, positions }) => ({ name, positions, chosen: true }));
      if (added.length) this.list = [...this.#list, ...added];
      const [first, ...more] = failures;
      if (first) {
        const message = more.length ? `${first.message} (and ${more.length} more)` : first.message;
        throw new PliantFailure({ ...first, message });
      }
      onProgress(1, 'Done');
      return added;
    });
  }

  async #found(
    source: ExampleSource,
    signal: AbortSignal,
    onProgress: (share: number) => void,
  ): Promise<PosesAnswer> {
    const ask = (from: PoseSource) => this.#host.solver.ask({ kind: 'poses', from }, { signal });
    switch (source.kind) {
      case 'files':
        return ask({ kind: 'files', files: named(source.files), frames: source.frames ?? FRAMES });
      case 'morph-targets': {
        const found = await ask({ kind: 'morph-targets' });
        if (!found.poses.length) throw refusal('The character has no morph targets', 'Drop poses as files');
        return found;
      }
      case 'clip': {
        const name = source.name ?? this.#host.playback.name;
        const frames = source.frames ?? FRAMES;
        if (name === null) throw refusal('The character has no clip', 'Drop poses as files');
        const isStored = (this.#host.model()?.storedInfluences ?? null) !== null;
        return isStored ? ask({ kind: 'clip', name, frames }) : this.#shown(name, frames, signal, onProgress);
      }
    }
  }

  /** A clip as it looks now, with all that is done to the flesh; one frame at a time, so that nobody waits. */
  async #shown(
    clip: string,
    frames: number,
    signal: AbortSignal,
    onProgress: (share: number) => void,
  ): Promise<PosesAnswer> {
    const duration = this.#host.model()?.clips.find(({ name }) => name === clip)?.duration ?? 0;
    const poses: PosesAnswer['poses'] = [];
    for (let i = 0; i < frames; i++) {
      await idle();
      if (signal.aborted) throw PliantFailure.cancelled();
      // The end of a clip is its beginning, as a rule.
      const positions = this.#host.viewer()?.verticesAt(clip, (duration * i) / frames);
      if (!positions) throw refusal(`There is no clip '${clip}'`, '');
      poses.push({ name: `${clip} ${i + 1}`, positions });
      onProgress(i / frames);
    }
    return { poses, failures: [] };
  }

  thumbnail(index: number, size: number): ImageData {
    const example = this.#list[index];
    return example ? thumbnailOf(example.positions, this.#triangles, size) : new ImageData(size, size);
  }
}

function refusal(message: string, hint: string): PliantFailure {
  return new PliantFailure({ code: 'examples', message, hint });
}

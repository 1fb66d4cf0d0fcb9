/** Example poses that weights are fitted to: where they come from, and how the fit goes. */
import type { AskOptions } from '../../solver/bridge.ts';
import { PliantFailure } from '../../solver/failure.ts';
import type { PoseSource } from '../../solver/protocol.ts';
import type { AssetPacket, Energy, PosesAnswer, Recipe } from '../../wasm.ts';
import type { Example, ExampleSource, ViewerState } from '../api.ts';
import type { ViewerContext } from '../context.ts';
import type { Feature } from '../feature.ts';
import { whenIdle } from '../idle.ts';
import { named } from '../source.ts';
import { thumbnailOf } from '../thumbnail.ts';
import { Playback } from './playback.ts';
import { Source } from './source.ts';
import { Weights } from './weights.ts';

/** Frames taken of a clip. Fewer miss the extremes of a walk; more make the fit slower. */
const FRAMES = 6;

export class Examples implements Feature {
  static readonly members = [
    'examples',
    'addExamples',
    'removeExample',
    'chooseExample',
    'exampleThumbnail',
    'fitProgress',
    'stopFitting',
  ] as const;

  readonly #context: ViewerContext;
  #list: readonly Required<Example>[] = [];
  /** Incremented when the chosen poses change. */
  #revision = 0;
  /** The revision that the solver has. */
  #sentRevision = 0;
  /** The list was set before there was a character for it. */
  #isEarly = false;
  #triangles: Uint32Array = new Uint32Array();
  /** The energy after every iteration of the fit under way. */
  #energy: readonly Energy[] | null = null;
  #iteration = 0;
  #stop = new AbortController();

  constructor(context: ViewerContext) {
    this.#context = context;
  }

  partialState(): Pick<ViewerState, 'examples' | 'fitProgress'> {
    return { examples: this.examples, fitProgress: this.fitProgress };
  }

  get examples(): readonly Required<Example>[] {
    return [...this.#list];
  }

  set examples(list: readonly Example[]) {
    const vertices = this.#context.model?.vertices;
    const wrong = list.find(({ positions }) => vertices !== undefined && positions.length !== 3 * vertices);
    if (wrong) {
      const count = wrong.positions.length / 3;
      const message = `${wrong.name} has ${count} vertices, but the character has ${vertices}`;
      throw new PliantFailure({ code: 'examples', message, hint: 'Give three numbers per vertex' });
    }
    const before = this.#chosen;
    this.#list = list.map(({ name, positions, chosen = true }) => ({ name, positions, chosen }));
    this.#isEarly = vertices === undefined;
    const after = this.#chosen;
    const isSame = before.length === after.length && before.every((pose, i) => pose === after[i]);
    if (!isSame) this.#revision++;
    this.#emitList();
    if (isSame) return;
    this.#context.get(Weights).examplesChanged();
    this.#context.settingsChanged();
  }

  #emitList(): void {
    this.#context.changed('examples', 'fit');
    this.#context.emit('examples-change', { examples: this.examples });
  }

  removeExample(index: number): void {
    this.examples = this.#list.filter((_, i) => i !== index);
  }

  chooseExample(index: number, chosen: boolean): void {
    this.examples = this.#list.map((example, i) => (i === index ? { ...example, chosen } : example));
  }

  exampleThumbnail(index: number, size: number): ImageData {
    const example = this.#list[index];
    return example ? thumbnailOf(example.positions, this.#triangles, size) : new ImageData(size, size);
  }

  get #chosen(): readonly Float32Array[] {
    return this.#list.filter(({ chosen }) => chosen).map(({ positions }) => positions);
  }

  /** The index of an example among the chosen ones; −1 if it is not chosen. */
  chosenIndex(index: number): number {
    return this.#list[index]?.chosen ? this.#list.slice(0, index).filter(({ chosen }) => chosen).length : -1;
  }

  /**
   * Whether a recipe fits weights to examples and there are none. While another character is
   * loading, the examples are those of the last one, unless they were set before any character.
   */
  lacks({ method }: Pick<Recipe, 'method'>, isLoading = false): boolean {
    const hasOwn = this.#list.some(({ chosen }) => chosen) && (!isLoading || this.#isEarly);
    return method === 'examples' && !hasOwn;
  }

  /** What the weights of a recipe depend on besides the recipe. */
  keyFor({ method }: Recipe): string {
    return method === 'examples' ? `|${this.#revision}` : '';
  }

  meshChanged({ triangles }: AssetPacket): void {
    this.#triangles = triangles;
    this.#energy = null;
    // The solver has dropped them as well.
    this.#sentRevision = -1;
    if (!this.#isEarly && this.#list.length) {
      this.#list = [];
      this.#revision++;
      this.#emitList();
    }
    this.#isEarly = false;
  }

  // The fit.

  get fitProgress(): readonly Energy[] | null {
    return this.#energy;
  }

  /** Sends the examples if the solver does not have them. Requests are answered in order. */
  send(signal: AbortSignal): void {
    if (this.#sentRevision === this.#revision) return;
    this.#sentRevision = this.#revision;
    this.#context.solver.ask({ kind: 'examples', poses: this.#chosen }, { signal }).catch(() => {
      // Cancelled or refused. The next fit sends them again.
      this.#sentRevision = -1;
    });
  }

  /** Listeners for a run that fits weights. */
  listeners({ method }: Recipe): AskOptions {
    if (method !== 'examples') return {};
    this.#stop = new AbortController();
    this.#energy = [];
    this.#iteration = 0;
    this.#context.changed('fitProgress');
    return {
      stop: this.#stop.signal,
      onIteration: (energy) => this.#iterated(energy),
      onPartialResult: (answer) => {
        this.#energy = answer.report.exampleFit?.energy ?? this.#energy;
        this.#context.get(Weights).showPartialResult(answer);
      },
    };
  }

  #iterated(energy: Energy): void {
    this.#energy = [...(this.#energy ?? []), energy];
    const { data } = this.#context.get(Weights).current.examples;
    const count = Math.max(1, this.#chosen.length);
    const rms = data > 0 ? Math.sqrt(energy.data / data / count) : 0;
    this.#context.changed('fitProgress');
    this.#context.emit('fit-progress', { iteration: ++this.#iteration, energy, rms });
  }

  runEnded(): void {
    if (this.#energy === null) return;
    this.#energy = null;
    this.#context.changed('fitProgress');
  }

  /** Whether the fit under way has done an iteration. */
  get hasFitted(): boolean {
    return (this.#energy?.length ?? 0) > 0;
  }

  /** Ends the fit. Its weights so far are the answer. */
  stop(): void {
    this.#stop.abort();
  }

  stopFitting(): void {
    if (this.#energy) this.#context.get(Source).cancel();
  }

  // Sources of examples.

  addExamples(source: ExampleSource): Promise<readonly Example[]> {
    // A fit to fewer examples is out of date.
    if (this.hasFitted) this.stop();
    return this.#context.tasks.run(async ({ signal, progress }) => {
      const onProgress = progress.part(0, 1);
      onProgress(0, 'Reading poses');
      const { poses, failures } = await this.#find(source, signal, (share) =>
        onProgress(share, 'Reading poses'),
      );
      const added = poses.map(({ name, positions }) => ({ name, positions, chosen: true }));
      if (added.length) this.examples = [...this.#list, ...added];
      const [first, ...more] = failures;
      if (first) {
        const message = more.length ? `${first.message} (and ${more.length} more)` : first.message;
        throw new PliantFailure({ ...first, message });
      }
      onProgress(1, 'Done');
      return added;
    });
  }

  async #find(
    source: ExampleSource,
    signal: AbortSignal,
    onProgress: (share: number) => void,
  ): Promise<PosesAnswer> {
    const ask = (from: PoseSource) => this.#context.solver.ask({ kind: 'poses', from }, { signal });
    switch (source.kind) {
      case 'files':
        return ask({ kind: 'files', files: named(source.files), frames: source.frames ?? FRAMES });
      case 'morph-targets': {
        const found = await ask({ kind: 'morph-targets' });
        if (!found.poses.length) throw refusal('The character has no morph targets', 'Drop poses as files');
        return found;
      }
      case 'clip': {
        const name = source.name ?? this.#context.get(Playback).clip;
        const frames = source.frames ?? FRAMES;
        if (name === null) throw refusal('The character has no clip', 'Drop poses as files');
        const hasWeights = (this.#context.model?.storedInfluences ?? null) !== null;
        return hasWeights
          ? ask({ kind: 'clip', name, frames })
          : this.#sample(name, frames, signal, onProgress);
      }
    }
  }

  /** Frames of a clip as the first view shows it, with volume correction and contacts. */
  async #sample(
    clip: string,
    frames: number,
    signal: AbortSignal,
    onProgress: (share: number) => void,
  ): Promise<PosesAnswer> {
    const duration = this.#context.model?.clips.find(({ name }) => name === clip)?.duration ?? 0;
    const poses: PosesAnswer['poses'] = [];
    for (let i = 0; i < frames; i++) {
      await whenIdle();
      if (signal.aborted) throw PliantFailure.cancelled();
      // Clips loop as a rule: the end is the same pose as the beginning.
      const positions = this.#context.viewer?.verticesAt(clip, (duration * i) / frames);
      if (!positions) throw refusal(`There is no clip '${clip}'`, '');
      poses.push({ name: `${clip} ${i + 1}`, positions });
      onProgress(i / frames);
    }
    return { poses, failures: [] };
  }
}

function refusal(message: string, hint: string): PliantFailure {
  return new PliantFailure({ code: 'examples', message, hint });
}

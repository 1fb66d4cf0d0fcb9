/** Clips that the file does not have: of a library, or of other characters. */
import type { MadeClip } from '../../solver/protocol.ts';
import type { ClipInfo, ModelInfo, Viewer } from '../../wasm.ts';
import type { MotionOptions, PliantViewerApi, ViewerState } from '../api.ts';
import { oneOf, reflect } from '../attributes.ts';
import type { ViewerContext } from '../context.ts';
import type { CharacterOptions, Feature } from '../feature.ts';
import { named } from '../source.ts';
import { ignoreRejection } from '../tasks.ts';
import { Playback } from './playback.ts';
import { Skeleton } from './skeleton.ts';

const CHOICES = ['auto', 'none'] as const;

/** What a character does that was just opened, if its library has it. Else the first clip. */
const FIRST = 'walk';

/** A clip that was added. */
interface AddedClip extends MadeClip {
  /** Whether it is exported. The one that plays by itself is not, if the file has a skeleton. */
  readonly isExported: boolean;
  /** Its name in the library; null if it is from a file. */
  readonly library: string | null;
}

export class Motions implements Feature {
  static readonly attributes = ['motions'];
  static readonly members = [
    'motions',
    'motionLibrary',
    'addMotion',
    'renameMotion',
    'removeMotion',
  ] as const satisfies readonly (keyof PliantViewerApi)[];

  readonly #context: ViewerContext;
  #library: readonly string[] = [];
  #added: readonly AddedClip[] = [];
  /** The clips of the file. */
  #ofFile: readonly ClipInfo[] = [];
  /** Incremented with every skeleton, so that late clips are not put on the next one. */
  #generation = 0;
  /** The skeleton for which the library was asked. */
  #offered = -1;
  #autoplays = false;
  /** Clips of the library that the same character had with another skeleton. */
  #again: readonly string[] = [];

  constructor(context: ViewerContext) {
    this.#context = context;
  }

  partialState(): Pick<ViewerState, 'motions' | 'motionLibrary'> {
    return { motions: this.motions, motionLibrary: this.motionLibrary };
  }

  attributeChanged(): void {
    this.#context.changed('motions');
    if (this.#context.get(Playback).canPlay) this.weightsShown();
  }

  get motions(): 'auto' | 'none' {
    return oneOf(this.#context.element.getAttribute('motions'), CHOICES, 'none');
  }

  set motions(choice: 'auto' | 'none') {
    reflect(this.#context.element, 'motions', choice);
  }

  get motionLibrary(): readonly string[] {
    return this.#library;
  }

  // Adding, renaming, removing.

  /** Adds a clip of the library, or the clips of files. Returns their names. */
  addMotion(
    source: string | readonly File[],
    { inPlace = true, plays = true }: MotionOptions = {},
  ): Promise<readonly string[]> {
    const { tasks, solver } = this.#context;
    return tasks.run(async ({ signal }) => {
      const generation = this.#generation;
      const ask =
        typeof source === 'string'
          ? ({ kind: 'library-clip', name: source } as const)
          : ({ kind: 'retarget', files: named(source), inPlace } as const);
      const made = await solver.ask(ask, { signal });
      if (generation !== this.#generation) return [];
      const library = typeof source === 'string' ? source : null;
      const names = this.#add(made, { isExported: true, library });
      if (plays && names[0] !== undefined) this.#context.get(Playback).adopt(names[0], { plays });
      return names;
    });
  }

  /** False if there is no such clip, if it is one of the file, or if the name is taken. */
  renameMotion(name: string, to: string): boolean {
    const isTaken = to === '' || this.#names().includes(to);
    if (isTaken || !this.#added.some((clip) => clip.name === name)) return false;
    this.#added = this.#added.map((clip) =>
      clip.name === name ? { ...clip, name: to, isExported: true } : clip,
    );
    this.#show();
    this.#context.get(Playback).clipRenamed(name, to);
    return true;
  }

  /** False if there is no such clip, or if it is one of the file. */
  removeMotion(name: string): boolean {
    const left = this.#added.filter((clip) => clip.name !== name);
    if (left.length === this.#added.length) return false;
    this.#added = left;
    this.#show();
    this.#context.get(Playback).clipsChanged();
    return true;
  }

  #names(): readonly string[] {
    return [...this.#ofFile, ...this.#added].map(({ name }) => name);
  }

  #add(made: readonly MadeClip[], origin: Pick<AddedClip, 'isExported' | 'library'>): readonly string[] {
    const names: string[] = [];
    for (const clip of made) {
      const known = this.#names();
      let name = clip.name || 'motion';
      for (let number = 2; known.includes(name); number++) name = `${clip.name} ${number}`;
      names.push(name);
      this.#added = [...this.#added, { ...clip, ...origin, name }];
    }
    this.#show();
    return names;
  }

  /** Gives all clips to the viewer, and those that are exported to the solver. */
  #show(): void {
    const context = this.#context;
    if (!context.model) return;
    context.viewer?.setClips(...packed(this.#added));
    const infos = this.#added.map(({ name, duration, tracks }) => ({ name, duration, tracks }));
    context.model = { ...context.model, clips: [...this.#ofFile, ...infos] };
    context.changed('model', 'playback');
    const [names, numbers] = packed(this.#added.filter(({ isExported }) => isExported));
    ignoreRejection(context.solver.ask({ kind: 'clips', names, numbers }));
  }

  // The character.

  characterChanged(model: ModelInfo, { autoplay, isSameMesh }: CharacterOptions): void {
    this.#generation++;
    const chosen = this.#added.filter(({ isExported }) => isExported);
    const again = [...this.#again, ...chosen.flatMap(({ library }) => library ?? [])];
    this.#again = isSameMesh ? again : [];
    this.#added = [];
    this.#ofFile = model.clips;
    this.#library = [];
    this.#autoplays = autoplay;
    this.#context.changed('motionLibrary');
  }

  viewerOpened(viewer: Viewer): void {
    viewer.setClips(...packed(this.#added));
  }

  /** Offers the library, once for each skeleton. */
  weightsShown(): void {
    if (this.motions === 'none' || this.#offered === this.#generation) return;
    this.#offered = this.#generation;
    ignoreRejection(this.#offer(this.#generation));
  }

  async #offer(generation: number): Promise<void> {
    const { solver } = this.#context;
    const fit = this.#context.get(Skeleton).skeletonFit;
    // Without a body plan, branches may look like wings.
    if (fit?.plan === 'generic') return;
    const names = await solver.ask({ kind: 'motion-library' });
    if (generation !== this.#generation) return;
    this.#library = names;
    this.#context.changed('motionLibrary');
    // The clip of a fitted skeleton only shows how its joints bend.
    const isStill = this.#ofFile.length === 0 || fit !== null;
    const first = names.includes(FIRST) ? FIRST : names[0];
    if (!isStill || first === undefined) return;
    const again = new Set(this.#again.filter((name) => names.includes(name)));
    for (const library of new Set([first, ...again])) {
      const made = await solver.ask({ kind: 'library-clip', name: library });
      if (generation !== this.#generation) return;
      this.#add(made, { isExported: fit !== null || again.has(library), library });
    }
    this.#again = [];
    this.#context.get(Playback).adopt(first, { plays: this.#autoplays, isDefault: true });
  }
}

/** Names, and the numbers of all clips. */
function packed(clips: readonly MadeClip[]): [string[], Float64Array] {
  const numbers = new Float64Array(clips.reduce((sum, clip) => sum + clip.numbers.length, 0));
  let end = 0;
  for (const clip of clips) {
    numbers.set(clip.numbers, end);
    end += clip.numbers.length;
  }
  return [clips.map(({ name }) => name), numbers];
}

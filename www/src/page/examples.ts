/** Example poses for fitting weights. Every change can be undone. */
import type { Example, ExampleSource, FitChoice } from '../element/api.ts';
import type { Method, Show } from '../wasm.ts';
import type { History } from './history.ts';
import type { ClipFrames } from './link_frames.ts';
import type { PostSkinningSettings } from './post_skinning.ts';
import { listen, type Viewer } from './viewer.ts';

/** A clip whose frames were added together, and the settings that posed the character then. */
interface Taken {
  readonly frames: ClipFrames;
  readonly settings: string;
}

export class ExampleSettings {
  readonly #viewer: Viewer;
  readonly #postSkinning: PostSkinningSettings;
  readonly #history: History;
  /** The show before a fit was shown. */
  #show: Show = 'shaded';
  /** The clip and the frame that an example was taken from. */
  readonly #origins = new WeakMap<Float32Array, readonly [Taken, number]>();

  constructor(viewer: Viewer, postSkinning: PostSkinningSettings, history: History) {
    this.#viewer = viewer;
    this.#postSkinning = postSkinning;
    this.#history = history;
    // A fit is a fixed shape. Posing the character shows the character again.
    listen(viewer, 'pose-change', () => this.hideFit());
  }

  /** Failures are reported by the error event of the element. */
  async add(source: ExampleSource): Promise<void> {
    const before = this.#viewer.examples;
    const count = await this.#take(source);
    const after = this.#viewer.examples;
    if (count > 0) this.#push(count === 1 ? 'example' : `${count} examples`, before, after);
  }

  /** Adds the frames that a link names, without a step in the history. */
  async restore({ clip, count }: ClipFrames): Promise<void> {
    await this.#take({ kind: 'clip', name: clip, frames: count });
  }

  /** Adds examples; returns how many were added. */
  async #take(source: ExampleSource): Promise<number> {
    const viewer = this.#viewer;
    const before = viewer.examples.length;
    const by = viewer.report?.method ?? viewer.method;
    const settings = this.#settingsOf(by);
    const clip = (source.kind === 'clip' && (source.name ?? viewer.animationName)) || null;
    await viewer.addExamples(source).catch(() => {});
    const added = viewer.examples.slice(before);
    const taken = clip && by !== 'examples' ? { frames: { clip, count: added.length, by }, settings } : null;
    if (taken) for (const [i, { positions }] of added.entries()) this.#origins.set(positions, [taken, i]);
    return added.length;
  }

  /** What the shape of a frame depends on besides the clip. */
  #settingsOf(method: Method): string {
    const { recipe, deformer } = this.#viewer;
    const { deforms, max_influences, handles } = recipe;
    return JSON.stringify([
      method in recipe ? recipe[method as keyof typeof recipe] : null,
      deforms,
      max_influences,
      handles,
      deformer,
      this.#postSkinning.settings,
    ]);
  }

  /** The frames that all examples come from, if a link can name them. */
  get frames(): ClipFrames | null {
    const { examples } = this.#viewer;
    const origins = examples.map(({ positions, chosen }) =>
      chosen ? this.#origins.get(positions) : undefined,
    );
    const taken = origins[0]?.[0];
    const isWhole =
      taken?.frames.count === origins.length &&
      origins.every((origin, i) => origin?.[0] === taken && origin[1] === i);
    return taken && isWhole && taken.settings === this.#settingsOf(taken.frames.by) ? taken.frames : null;
  }

  remove(index: number): void {
    const { examples } = this.#viewer;
    this.#change(
      `removal of ${examples[index]?.name}`,
      examples.filter((_, i) => i !== index),
    );
  }

  choose(index: number, chosen: boolean): void {
    const { examples } = this.#viewer;
    const changed = examples.map((example, i) => (i === index ? { ...example, chosen } : example));
    this.#change(`choice of ${examples[index]?.name}`, changed);
  }

  clear(): void {
    this.#change('removal of all examples', []);
  }

  #change(label: string, after: readonly Example[]): void {
    const before = this.#viewer.examples;
    this.#set(after);
    this.#push(label, before, after);
  }

  #push(label: string, before: readonly Example[], after: readonly Example[]): void {
    this.#history.push({ label, undo: () => this.#set(before), redo: () => this.#set(after) });
  }

  #set(list: readonly Example[]): void {
    const viewer = this.#viewer;
    viewer.examples = list;
    if (!list.length) this.hideFit();
  }

  /** Shows an example in the picture, or hides it if it is shown. */
  toggleFit(example: number): void {
    const viewer = this.#viewer;
    if (viewer.show === 'fit' && viewer.fit?.example === example) {
      this.hideFit();
      return;
    }
    const hasFit = viewer.report?.exampleFit && viewer.examples[example]?.chosen;
    const last = viewer.show === 'fit' ? viewer.fit?.stage : undefined;
    this.showFit({ example, stage: hasFit ? (last ?? 'after') : 'example' });
  }

  /** Sets what the colours show. */
  setShow(show: Show): void {
    const viewer = this.#viewer;
    if (show === 'fit' && viewer.fit) this.showFit(viewer.fit);
    else viewer.show = show;
  }

  /** Shows what was shown before a fit. */
  hideFit(): void {
    if (this.#viewer.show === 'fit') this.#viewer.show = this.#show;
  }

  showFit(choice: FitChoice): void {
    const viewer = this.#viewer;
    if (viewer.show !== 'fit') this.#show = viewer.show;
    // A fit is a fixed shape, so the clip stops.
    viewer.pause();
    viewer.fit = choice;
    viewer.show = 'fit';
  }
}

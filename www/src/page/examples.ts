/** Poses to learn from, as the tray changes them: every change can be undone. */
import type { Example, ExampleSource, FitChoice } from '../element/api.ts';
import type { Method, Show } from '../wasm.ts';
import type { History } from './history.ts';
import type { ClipFrames } from './link_frames.ts';
import type { PostSkinningSettings } from './post_skinning.ts';
import { listen, type Viewer } from './viewer.ts';

/** A clip whose frames were taken together, and how the character moved then. */
interface Taken {
  readonly frames: ClipFrames;
  readonly moved: string;
}

export class ExampleSettings {
  readonly #viewer: Viewer;
  readonly #postSkinning: PostSkinningSettings;
  readonly #history: History;
  /** What the colours showed before a fit. */
  #show: Show = 'shaded';
  /** Of what a pose is which frame. */
  readonly #origins = new WeakMap<Float32Array, readonly [Taken, number]>();

  constructor(viewer: Viewer, postSkinning: PostSkinningSettings, history: History) {
    this.#viewer = viewer;
    this.#postSkinning = postSkinning;
    this.#history = history;
    // A fit stands still; whoever moves the character wants to see it move.
    listen(viewer, 'pose-change', () => this.hideFit());
  }

  /** What cannot be added is told by the element's error event. */
  async add(source: ExampleSource): Promise<void> {
    const before = this.#viewer.examples;
    const count = await this.#take(source);
    const after = this.#viewer.examples;
    if (count > 0) this.#push(count === 1 ? 'example' : `${count} examples`, before, after);
  }

  /** Adds what a link names; whoever opens it need not be able to undo that. */
  async restore({ clip, count }: ClipFrames): Promise<void> {
    await this.#take({ kind: 'clip', name: clip, frames: count });
  }

  /** How many were added. */
  async #take(source: ExampleSource): Promise<number> {
    const viewer = this.#viewer;
    const before = viewer.examples.length;
    const by = viewer.report?.method ?? viewer.method;
    const moved = this.#movedBy(by);
    const clip = (source.kind === 'clip' && (source.name ?? viewer.animationName)) || null;
    await viewer.addExamples(source).catch(() => {});
    const added = viewer.examples.slice(before);
    const taken = clip && by !== 'examples' ? { frames: { clip, count: added.length, by }, moved } : null;
    if (taken) for (const [i, { positions }] of added.entries()) this.#origins.set(positions, [taken, i]);
    return added.length;
  }

  /** What frames of a clip depend on besides the clip. */
  #movedBy(method: Method): string {
    const { recipe, deformer } = this.#viewer;
    const { deforms, max_influences, handles } = recipe;
    return JSON.stringify([
      recipe[method],
      deforms,
      max_influences,
      handles,
      deformer,
      this.#postSkinning.state,
    ]);
  }

  /** What is learned from, if whoever has the same character can take it again. */
  get frames(): ClipFrames | null {
    const { examples } = this.#viewer;
    const origins = examples.map(({ positions, chosen }) =>
      chosen ? this.#origins.get(positions) : undefined,
    );
    const taken = origins[0]?.[0];
    const isWhole =
      taken?.frames.count === origins.length &&
      origins.every((origin, i) => origin?.[0] === taken && origin[1] === i);
    return taken && isWhole && taken.moved === this.#movedBy(taken.frames.by) ? taken.frames : null;
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

  /** Shows an example on the skin; the one that is shown goes away. */
  toggleFit(example: number): void {
    const viewer = this.#viewer;
    if (viewer.show === 'fit' && viewer.fit?.example === example) {
      this.hideFit();
      return;
    }
    const hasFit = viewer.report?.learning && viewer.examples[example]?.chosen;
    const last = viewer.show === 'fit' ? viewer.fit?.stage : undefined;
    this.showFit({ example, stage: hasFit ? (last ?? 'after') : 'example' });
  }

  /** Other colours, or an example in them. */
  setShow(show: Show): void {
    const viewer = this.#viewer;
    if (show === 'fit' && viewer.fit) this.showFit(viewer.fit);
    else viewer.show = show;
  }

  /** Back to what the colours showed before. */
  hideFit(): void {
    if (this.#viewer.show === 'fit') this.#viewer.show = this.#show;
  }

  showFit(choice: FitChoice): void {
    const viewer = this.#viewer;
    if (viewer.show !== 'fit') this.#show = viewer.show;
    // It stands still, whatever the clip does.
    viewer.pause();
    viewer.fit = choice;
    viewer.show = 'fit';
  }
}

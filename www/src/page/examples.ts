/** Poses to learn from, as the tray changes them: every change can be undone. */
import type { Example, ExampleSource, FitChoice } from '../element/api.ts';
import type { Show } from '../wasm.ts';
import type { History } from './history.ts';
import { listen, type Viewer } from './viewer.ts';

export class ExampleSettings {
  readonly #viewer: Viewer;
  readonly #history: History;
  /** What the colours showed before a fit. */
  #show: Show = 'shaded';

  constructor(viewer: Viewer, history: History) {
    this.#viewer = viewer;
    this.#history = history;
    // A fit stands still; whoever moves the character wants to see it move.
    listen(viewer, 'pose-change', () => this.hideFit());
  }

  /** What cannot be added is told by the element's error event. */
  async add(source: ExampleSource): Promise<void> {
    const before = this.#viewer.examples;
    await this.#viewer.addExamples(source).catch(() => {});
    const after = this.#viewer.examples;
    const count = after.length - before.length;
    if (count > 0) this.#push(count === 1 ? 'example' : `${count} examples`, before, after);
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

/** The properties and methods about learning from examples. */
import type { Energy } from '../wasm.ts';
import type { Example, ExampleSource, FitChoice } from './api.ts';
import { CHARACTER } from './base.ts';
import { VolumeElement } from './volume_element.ts';

export abstract class ExamplesElement extends VolumeElement {
  get examples(): readonly Required<Example>[] {
    return [...this[CHARACTER].examples.list];
  }
  set examples(list: readonly Example[]) {
    this[CHARACTER].examples.list = list;
  }

  addExamples(source: ExampleSource): Promise<readonly Example[]> {
    return this[CHARACTER].examples.add(source);
  }

  removeExample(index: number): void {
    this.examples = this.examples.filter((_, i) => i !== index);
  }

  chooseExample(index: number, chosen: boolean): void {
    this.examples = this.examples.map((example, i) => (i === index ? { ...example, chosen } : example));
  }

  exampleThumbnail(index: number, size: number): ImageData {
    return this[CHARACTER].examples.thumbnail(index, size);
  }

  get fitProgress(): readonly Energy[] | null {
    return this[CHARACTER].examples.energy;
  }

  stopFitting(): void {
    this[CHARACTER].stopFitting();
  }

  get fit(): FitChoice | null {
    return this[CHARACTER].fit.choice;
  }
  set fit(choice: FitChoice | null) {
    this[CHARACTER].fit.choice = choice;
  }
}

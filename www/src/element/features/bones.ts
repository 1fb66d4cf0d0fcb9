/** Whether bones and joints are drawn over the skin. */
import type { Viewer } from '../../wasm.ts';
import type { ViewerState } from '../api.ts';
import { reflect } from '../attributes.ts';
import type { ViewerContext } from '../context.ts';
import type { Feature } from '../feature.ts';

export class Bones implements Feature {
  static readonly attributes = ['bones'];
  static readonly members = ['bones'] as const;

  readonly #context: ViewerContext;

  constructor(context: ViewerContext) {
    this.#context = context;
  }

  partialState(): Pick<ViewerState, 'bones'> {
    return { bones: this.bones };
  }

  get bones(): 'shown' | 'hidden' {
    return this.#context.element.getAttribute('bones') === 'hidden' ? 'hidden' : 'shown';
  }

  set bones(value: 'shown' | 'hidden') {
    reflect(this.#context.element, 'bones', value === 'hidden' ? 'hidden' : null);
  }

  attributeChanged(): void {
    this.#context.changed('bones');
    this.#context.viewer?.setBones(this.bones === 'shown');
    this.#context.requestFrame();
  }

  viewerOpened(viewer: Viewer): void {
    viewer.setBones(this.bones === 'shown');
  }
}

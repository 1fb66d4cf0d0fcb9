/** The influences of the point of the skin under the pointer. */
import type { ViewerEvent } from '../../wasm.ts';
import type { Influence } from '../api.ts';
import type { ViewerContext } from '../context.ts';
import type { Feature } from '../feature.ts';

export class Hover implements Feature {
  static readonly members = ['influencesAt'] as const;

  readonly #context: ViewerContext;

  constructor(context: ViewerContext) {
    this.#context = context;
  }

  influencesAt(x: number, y: number): readonly Influence[] {
    return this.#context.viewer?.influencesAt(x, y) ?? [];
  }

  viewerEvent(event: ViewerEvent): void {
    if (event.kind === 'hover') this.#context.emit('hover', { joint: event.joint, tail: event.tail });
  }
}

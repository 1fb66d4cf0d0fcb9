/** The snapshot of the element's state, composed from the parts of all features. */
import type { ViewerState } from '../api.ts';
import type { ViewerContext } from '../context.ts';

export class State {
  static readonly members = ['state'] as const;

  readonly #context: ViewerContext;

  constructor(context: ViewerContext) {
    this.#context = context;
  }

  get state(): ViewerState {
    const parts = [...this.#context.features].map((feature) => feature.partialState?.());
    // `features/index.ts` checks that the parts together are complete.
    return Object.assign({}, ...parts);
  }
}

/** Labels beside joints that have a softness of their own, in each view. */
import type { Recipe, Viewer } from '../../wasm.ts';
import type { ViewerContext } from '../context.ts';
import { type Feature, VIEWS, type ViewIndex } from '../feature.ts';
import { JointLabels } from '../joint_labels.ts';
import { SecondView } from './second_view.ts';
import { Weights } from './weights.ts';

export class SoftnessLabels implements Feature {
  static readonly members = [] as const;

  readonly #context: ViewerContext;
  readonly #labels: readonly [JointLabels, JointLabels];

  constructor(context: ViewerContext) {
    this.#context = context;
    const box = context.shadow.labels;
    this.#labels = [new JointLabels(box), new JointLabels(box)];
  }

  settingsChanged(): void {
    for (const view of VIEWS) {
      const recipe = this.#recipeOf(view);
      this.#labels[view].set(recipe?.method === 'atlas' ? recipe.atlas.k_joints : {});
    }
    if (this.#context.viewer) this.afterFrame(this.#context.viewer);
  }

  #recipeOf(view: ViewIndex): Readonly<Recipe> | null {
    return view === 0 ? this.#context.get(Weights).current : this.#context.get(SecondView).compareRecipe;
  }

  afterFrame(viewer: Viewer): void {
    const second = this.#context.get(SecondView);
    const width = this.#context.canvas.clientWidth;
    const edge = second.isShown ? second.divider * width : Number.POSITIVE_INFINITY;
    this.#labels[0].place(viewer, (x) => x < edge);
    this.#labels[1].place(viewer, (x) => x >= edge);
  }
}

/** Linear blend or dual quaternion skinning. */
import type { Deformer } from '../../wasm.ts';
import type { ViewerState } from '../api.ts';
import { deformerOf, reflect } from '../attributes.ts';
import type { ViewerContext } from '../context.ts';
import type { Feature, ViewIndex } from '../feature.ts';
import { ViewSetting } from '../view_setting.ts';
import { SecondView } from './second_view.ts';

export class DeformerFeature implements Feature {
  static readonly attributes = ['deformer'];
  static readonly members = ['deformer'] as const;

  readonly #context: ViewerContext;
  readonly #setting = new ViewSetting(
    (view) => this.of(view),
    (viewer, view, deformer) => viewer.setDeformer(view, deformer),
  );

  constructor(context: ViewerContext) {
    this.#context = context;
  }

  partialState(): Pick<ViewerState, 'deformer'> {
    return { deformer: this.deformer };
  }

  get deformer(): Deformer {
    return deformerOf(this.#context.element.getAttribute('deformer'));
  }

  set deformer(value: Deformer) {
    reflect(this.#context.element, 'deformer', value);
  }

  /** The deformer of a view. */
  of(view: ViewIndex): Deformer {
    return (view === 1 ? this.#context.get(SecondView).compareDeformer : null) ?? this.deformer;
  }

  attributeChanged(): void {
    this.#context.changed('deformer');
    this.#context.settingsChanged();
  }

  viewerOpened(): void {
    this.#setting.reset();
    this.settingsChanged();
  }

  settingsChanged(): void {
    this.#setting.update(this.#context.viewer);
  }
}

/** Linear blend or dual quaternion skinning. */
import type { Deformer } from '../../wasm.ts';
import type { ViewerState } from '../api.ts';
import { deformerOf } from '../attributes.ts';
import type { ViewerContext } from '../context.ts';
import { ViewWordFeature } from '../view_setting.ts';
import { SecondView } from './second_view.ts';

export class DeformerFeature extends ViewWordFeature<'deformer'> {
  static readonly attributes = ['deformer'];
  static readonly members = ['deformer'] as const;

  constructor(context: ViewerContext) {
    super(context, {
      name: 'deformer',
      parse: deformerOf,
      second: () => context.get(SecondView).compareDeformer,
      send: (viewer, view, deformer) => viewer.setDeformer(view, deformer),
    });
  }

  partialState(): Pick<ViewerState, 'deformer'> {
    return { deformer: this.deformer };
  }

  get deformer(): Deformer {
    return this.value;
  }

  set deformer(value: Deformer) {
    this.value = value;
  }
}

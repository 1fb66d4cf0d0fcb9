/** The properties about a divided picture. */
import type { Deformer, Method, Recipe, RigReport, Show } from '../wasm.ts';
import { deformerOf, dividerOf, reflect, showOf } from './attributes.ts';
import { CHARACTER, CharacterElement, REFLECTING } from './base.ts';

export abstract class ComparedElement extends CharacterElement {
  get compare(): Method | null {
    return this[CHARACTER].split.comparison.recipe?.method ?? null;
  }
  set compare(value: Method | null) {
    reflect(this, 'compare', value);
  }

  get divider(): number {
    return dividerOf(this.getAttribute('divider'));
  }
  set divider(value: number) {
    reflect(this, 'divider', String(value));
  }

  get compareShow(): Show | null {
    const show = this.getAttribute('compare-show');
    return show === null ? null : showOf(show);
  }
  set compareShow(value: Show | null) {
    reflect(this, 'compare-show', value);
  }

  get compareDeformer(): Deformer | null {
    const deformer = this.getAttribute('compare-deformer');
    return deformer === null ? null : deformerOf(deformer);
  }
  set compareDeformer(value: Deformer | null) {
    reflect(this, 'compare-deformer', value);
  }

  get compareRecipe(): Recipe | null {
    return structuredClone(this[CHARACTER].split.comparison.recipe);
  }
  set compareRecipe(value: Recipe | null) {
    this[REFLECTING] = true;
    reflect(this, 'compare', value?.method ?? null);
    this[REFLECTING] = false;
    this[CHARACTER].split.comparison.change(structuredClone(value));
  }

  get compareReport(): RigReport | null {
    return this[CHARACTER].split.comparison.report;
  }
}

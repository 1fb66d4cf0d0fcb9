/**
 * The second view: the same character in the same pose, right of a divider, with settings of its
 * own.
 */
import { OPTIONS } from '../../options.ts';
import type { Deformer, Method, Recipe, RigAnswer, RigReport, Show } from '../../wasm.ts';
import type { ViewerState, VolumeChoice } from '../api.ts';
import { deformerOf, methodOf, numberIn, reflect, showOf, volumeOf } from '../attributes.ts';
import type { ViewerContext } from '../context.ts';
import { Divider } from '../divider.ts';
import type { Feature, ViewIndex } from '../feature.ts';
import { RecipeFollower, type RequestOptions } from '../recipe_follower.ts';
import { ignoreRejection } from '../tasks.ts';
import { type NamedView, viewNames } from '../view_names.ts';
import { DeformerFeature } from './deformer.ts';
import { Examples } from './examples.ts';
import { usedHandles } from './handles.ts';
import { PostSkinning } from './post_skinning.ts';
import { Weights } from './weights.ts';

const MIDDLE = 0.5;

/** A recipe, or how to make one when it is needed: the attributes of a tag come in any order. */
type LazyRecipe = Recipe | (() => Recipe);

export class SecondView implements Feature {
  static readonly attributes = ['compare', 'compare-show', 'compare-deformer', 'compare-volume', 'divider'];
  static readonly members = [
    'compare',
    'divider',
    'compareShow',
    'compareDeformer',
    'compareVolume',
    'compareRecipe',
    'compareReport',
  ] as const;

  readonly follower: RecipeFollower;
  readonly #context: ViewerContext;
  readonly #divider: Divider;
  #recipe: LazyRecipe | null = null;
  /** The solver or the viewer has data of this view. */
  #isInUse = false;
  #isReflecting = false;
  #sentDivider: number | undefined;

  constructor(context: ViewerContext) {
    this.#context = context;
    this.#divider = new Divider(context.shadow.divider, {
      canvas: () => context.canvas,
      viewer: () => context.viewer,
      moved: (share) => {
        this.divider = Number(share.toFixed(4));
      },
    });
    this.follower = new RecipeFollower(1, {
      tasks: context.tasks,
      viewer: () => context.viewer,
      wanted: () => this.#wanted,
      keyOf: (recipe) => JSON.stringify(recipe) + context.get(Examples).keyFor(recipe),
      isReady: () => context.get(Weights).report !== null,
      send: (recipe, options) => this.#send(recipe, options),
      superseded: () => undefined,
      advanced: () => this.#changed(),
      completed: (report) => this.#completed(report),
    });
  }

  partialState(): Pick<ViewerState, 'secondView' | 'divider'> {
    const { compareRecipe: recipe, divider } = this;
    const secondView = recipe && {
      recipe,
      report: this.compareReport,
      deformer: this.compareDeformer,
      show: this.compareShow,
      volume: this.compareVolume,
    };
    return { secondView, divider };
  }

  // Attributes and properties.

  attributeChanged(name: string, value: string | null): void {
    if (name !== 'compare') this.#changed();
    else if (!this.#isReflecting) this.#setMethod(value === null ? null : methodOf(value));
  }

  get compare(): Method | null {
    return this.#currentRecipe?.method ?? null;
  }

  set compare(value: Method | null) {
    reflect(this.#context.element, 'compare', value);
  }

  get divider(): number {
    return numberIn(this.#attribute('divider'), [0, 1], MIDDLE);
  }

  set divider(value: number) {
    reflect(this.#context.element, 'divider', String(value));
  }

  get compareShow(): Show | null {
    const text = this.#attribute('compare-show');
    return text === null ? null : showOf(text);
  }

  set compareShow(value: Show | null) {
    reflect(this.#context.element, 'compare-show', value);
  }

  get compareDeformer(): Deformer | null {
    const text = this.#attribute('compare-deformer');
    return text === null ? null : deformerOf(text);
  }

  set compareDeformer(value: Deformer | null) {
    reflect(this.#context.element, 'compare-deformer', value);
  }

  get compareVolume(): VolumeChoice | null {
    const text = this.#attribute('compare-volume');
    return text === null ? null : volumeOf(text);
  }

  set compareVolume(value: VolumeChoice | null) {
    reflect(this.#context.element, 'compare-volume', value);
  }

  #attribute(name: string): string | null {
    return this.#context.element.getAttribute(name);
  }

  get compareRecipe(): Recipe | null {
    return structuredClone(this.#currentRecipe);
  }

  set compareRecipe(value: Recipe | null) {
    this.#isReflecting = true;
    reflect(this.#context.element, 'compare', value?.method ?? null);
    this.#isReflecting = false;
    this.#set(structuredClone(value));
  }

  get compareReport(): RigReport | null {
    return this.follower.report;
  }

  /** Whether the view is drawn. */
  get isShown(): boolean {
    return this.follower.isShown;
  }

  get #currentRecipe(): Recipe | null {
    return typeof this.#recipe === 'function' ? this.#recipe() : this.#recipe;
  }

  /** Another method, with the parameters of the first view if this view has none yet. */
  #setMethod(method: Method | null): void {
    const recipe = this.#currentRecipe;
    const first = this.#context.get(Weights);
    if (method === null) this.#set(null);
    else if (recipe) this.#set({ ...recipe, method });
    else this.#set(() => ({ ...first.recipe, method }));
  }

  #set(recipe: LazyRecipe | null): void {
    this.#recipe = recipe;
    if (recipe === null) this.#end();
    this.#changed();
    this.follower.recipeChanged();
  }

  #changed(): void {
    this.#context.changed('secondView', 'divider');
    this.#context.settingsChanged();
  }

  // Weights.

  /**
   * The recipe with the handles of the first view: they are joints, and both views are in one pose.
   */
  get #wanted(): Recipe | null {
    const recipe = this.#currentRecipe;
    return recipe && { ...recipe, handles: structuredClone(usedHandles(this.#context.get(Weights).current)) };
  }

  #send(
    recipe: Recipe,
    { signal, known, onProgress }: RequestOptions,
  ): { recipe: Recipe; answer: Promise<RigAnswer> } {
    this.#isInUse = true;
    this.#recipe = recipe;
    if (recipe.method === 'examples') this.#context.get(Examples).send(signal);
    const listener = onProgress && {
      onProgress: (share: number, stage: string) => onProgress(share, `${stage}, second view`),
    };
    const onPartialResult = (answer: RigAnswer) => {
      this.follower.showPartialResult(answer);
      this.#context.requestFrame();
    };
    const ask = { kind: 'rig', view: 1, recipe, known } as const;
    const answer = this.#context.solver.ask(ask, { signal, onPartialResult, ...listener });
    return { recipe, answer };
  }

  #completed(report: RigReport): void {
    this.#changed();
    this.#context.announce(this.#names.join(' beside '));
    this.#context.emit('compare-complete', { report });
  }

  #end(): void {
    if (!this.#isInUse) return;
    this.#isInUse = false;
    this.follower.end();
    this.#context.viewer?.clearView(1);
    ignoreRejection(this.#context.solver.ask({ kind: 'clear-view', view: 1 }));
  }

  characterChanged(): void {
    this.follower.characterChanged();
    this.#changed();
  }

  disconnected(): void {
    this.follower.characterChanged();
  }

  rigged(): void {
    this.follower.follow();
  }

  viewerOpened(): void {
    this.#sentDivider = undefined;
    this.settingsChanged();
  }

  // What is drawn over the picture.

  settingsChanged(): void {
    const { viewer } = this.#context;
    const recipe = this.#currentRecipe;
    const { divider } = this;
    if (viewer && divider !== this.#sentDivider) {
      viewer.setDivider(divider);
      this.#sentDivider = divider;
    }
    this.#divider.isVisible = recipe !== null && this.#context.get(Weights).report !== null;
    this.#divider.place(divider);
    if (recipe) this.#divider.setNames(this.#names, !this.isShown);
  }

  get #names(): [string, string] {
    return viewNames(this.#named(0), this.#named(1));
  }

  #named(view: ViewIndex): NamedView {
    const first = this.#context.get(Weights).current;
    return {
      recipe: view === 0 ? first : (this.#currentRecipe ?? OPTIONS.recipe),
      deformer: this.#context.get(DeformerFeature).of(view),
      volume: this.#context.get(PostSkinning).volumeIn(view),
    };
  }
}

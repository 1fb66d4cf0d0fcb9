/**
 * The recipe of the first view, every parameter of it as attribute and property, and its weights.
 */
import { OPTIONS } from '../../options.ts';
import {
  attributeName,
  attributeText,
  hasAttribute,
  type Parameter,
  parametersOf,
  parseAttribute,
  propertyName,
  valueAt,
  withValueAt,
} from '../../parameters.ts';
import { note } from '../../perf_marks.ts';
import {
  type Method,
  type ModelInfo,
  type Recipe,
  type RigAnswer,
  type RigReport,
  type Transition,
  Viewer,
} from '../../wasm.ts';
import type { RecipeParameterName, ViewerState } from '../api.ts';
import { reflect } from '../attributes.ts';
import type { ViewerContext } from '../context.ts';
import type { Feature } from '../feature.ts';
import { type OnProgress, RecipeFollower, type RequestOptions, type RigRequest } from '../recipe_follower.ts';
import type { Task } from '../tasks.ts';
import { Examples } from './examples.ts';
import { usedHandles } from './handles.ts';
import { Source } from './source.ts';

const PARAMETERS = parametersOf('rig');
const BY_ATTRIBUTE = new Map(PARAMETERS.filter(hasAttribute).map((each) => [attributeName(each), each]));

export class Weights implements Feature {
  static readonly attributes = [...BY_ATTRIBUTE.keys()];
  static readonly members = ['recipe', 'report', 'rigSeconds', 'rig', 'transitionCurve'] as const;
  /** One property per parameter. */
  static readonly properties = PARAMETERS.map((parameter) => ({
    name: propertyName(parameter) as RecipeParameterName,
    get: (weights: Weights) => weights.#parameter(parameter),
    set: (weights: Weights, value: unknown) => weights.#setParameter(parameter, value),
  }));

  readonly follower: RecipeFollower;
  readonly #context: ViewerContext;
  /** As it was set. Its method may be the default one, which depends on the character. */
  #recipe: Recipe = structuredClone(OPTIONS.recipe);
  #hasSkeleton = false;
  /** Attributes are set from the recipe now, and must not change it. */
  #isReflecting = false;
  /** Computed weights failed, and those of the file are on screen. */
  #usesFileWeights = false;
  /** Seconds of every stage at its latest run, by method, for the character on screen. */
  #stageSeconds = new Map<Method, Map<string, number>>();

  constructor(context: ViewerContext) {
    this.#context = context;
    this.follower = new RecipeFollower(0, {
      tasks: context.tasks,
      viewer: () => context.viewer,
      wanted: () => this.#recipe,
      keyOf: (recipe) => this.#keyOf(recipe),
      isReady: () => this.#isReady,
      send: (recipe, options) => this.#send(recipe, options),
      superseded: () => context.get(Examples).stop(),
      advanced: () => context.requestFrame(),
      completed: (report, isCheap) => this.#completed(report, isCheap),
    });
  }

  partialState(): Pick<ViewerState, 'recipe' | 'report' | 'rigSeconds'> {
    return { recipe: this.recipe, report: this.report, rigSeconds: this.rigSeconds };
  }

  // Attributes and properties.

  attributeChanged(name: string, value: string | null): void {
    const parameter = BY_ATTRIBUTE.get(name);
    if (!parameter || this.#isReflecting) return;
    this.#set(withValueAt(this.#recipe, parameter.path, parseAttribute(parameter, value)));
  }

  #parameter({ path }: Parameter): unknown {
    return structuredClone(valueAt(this.current, path));
  }

  #setParameter(parameter: Parameter, value: unknown): void {
    // Through the parser, so that properties are checked and clamped as attributes are.
    const checked = hasAttribute(parameter)
      ? parseAttribute(parameter, attributeText(parameter, value))
      : structuredClone(value);
    this.recipe = withValueAt(this.#recipe, parameter.path, checked);
  }

  get recipe(): Recipe {
    return structuredClone(this.current) as Recipe;
  }

  set recipe(value: Recipe) {
    // A recipe with the method on screen leaves the choice of the method to the character.
    const isOnScreen = value.method === this.current.method;
    const recipe = structuredClone(isOnScreen ? { ...value, method: this.#recipe.method } : value);
    this.#isReflecting = true;
    const { element } = this.#context;
    for (const [attribute, parameter] of BY_ATTRIBUTE) {
      const value = valueAt(recipe, parameter.path);
      const text = attributeText(parameter, value);
      const isDefault = text === attributeText(parameter, parameter.default);
      // A tag without attributes stays so while the recipe has its defaults.
      if (isDefault && value === null) reflect(element, attribute, null);
      else if (!isDefault || element.hasAttribute(attribute)) reflect(element, attribute, text);
    }
    this.#isReflecting = false;
    this.#set(recipe);
  }

  /** The recipe with the method that is used. It must not be changed. */
  get current(): Readonly<Recipe> {
    const hasWeights = (this.#context.model?.storedInfluences ?? null) !== null;
    const isDefault = this.#recipe.method === OPTIONS.recipe.method && !hasWeights;
    return isDefault ? { ...this.#recipe, method: OPTIONS.fallbackMethod } : this.#recipe;
  }

  #set(recipe: Recipe): void {
    this.#recipe = recipe;
    this.#context.changed('recipe', 'handles');
    this.#context.settingsChanged();
    this.examplesChanged();
  }

  /** The examples changed, which weights depend on. */
  examplesChanged(): void {
    this.follower.recipeChanged();
    queueMicrotask(() => this.#checkRequirements());
  }

  /** Whether the character has weights, computed or from its file. */
  get canMove(): boolean {
    return this.follower.isShown || this.#usesFileWeights;
  }

  get report(): RigReport | null {
    return this.follower.report;
  }

  /**
   * Seconds that all stages of the current method took for this character, each at its latest run.
   */
  get rigSeconds(): number | null {
    const seconds = this.#stageSeconds.get(this.report?.method ?? this.#recipe.method);
    return this.report && seconds ? [...seconds.values()].reduce((sum, each) => sum + each, 0) : null;
  }

  async rig(): Promise<RigReport> {
    const report = await this.follower.run();
    if (!report) throw new DOMException('another character was loaded', 'AbortError');
    return report;
  }

  transitionCurve(transition: Transition, count: number): readonly number[] {
    // The function is in the WASM module, which is there when there is a viewer.
    return this.#context.viewer ? [...Viewer.transitionCurve(transition, count)] : [];
  }

  // Weights.

  /** Bones or handles deform the skin. */
  get canRig(): boolean {
    return this.#hasSkeleton || usedHandles(this.#recipe).length > 0;
  }

  get #isReady(): boolean {
    const { model } = this.#context;
    return model !== null && !this.#context.get(Source).isLoading && this.canRig && !this.#lacksExamples;
  }

  /**
   * Without examples, weights on screen stay as they are; a new character gets those of the default
   * method.
   */
  get #lacksExamples(): boolean {
    return this.follower.isShown && this.#context.get(Examples).lacks(this.#recipe);
  }

  /** Emits what the recipe needs and does not have. */
  #checkRequirements(): void {
    const { model } = this.#context;
    if (!model || this.#context.get(Source).isLoading) return;
    if (!this.canRig && this.report) this.#removeWeights(model);
    else if (this.#lacksExamples && !this.follower.isLatestShown) this.#context.emit('examples-needed', {});
  }

  /** The last handle of a character without bones was removed. */
  #removeWeights(model: ModelInfo): void {
    const rest = { ...model, joints: [] };
    this.#context.viewer?.clearView(0);
    this.#context.characterChanged(rest, { autoplay: false, isSameMesh: true });
    this.#context.emit('skeleton-needed', { model: rest });
  }

  #keyOf(recipe: Recipe): string {
    return JSON.stringify(recipe) + this.#context.get(Examples).keyFor(recipe);
  }

  #send(
    wanted: Recipe,
    { signal, known, onProgress }: RequestOptions,
  ): { recipe: Recipe; answer: Promise<RigAnswer> } {
    const examples = this.#context.get(Examples);
    const { isLoading } = this.#context.get(Source);
    const recipe = examples.lacks(wanted, isLoading) ? { ...wanted, method: OPTIONS.recipe.method } : wanted;
    if (recipe.method === 'examples') examples.send(signal);
    const options = { signal, ...(onProgress ? { onProgress } : {}), ...examples.listeners(recipe) };
    const answer = this.#context.solver.ask({ kind: 'rig', view: 0, recipe, known }, options);
    return { recipe, answer: answer.finally(() => examples.runEnded()) };
  }

  /** Sends the recipe while the character is still being read. */
  requestEarly(task: Task, onProgress: OnProgress): RigRequest | undefined {
    return this.follower.requestEarly(task.signal, onProgress);
  }

  /** Computes weights for a character that has just come, if it has bones or handles. */
  async rigIfPossible(task: Task, onProgress: OnProgress, early?: RigRequest): Promise<void> {
    const { model } = this.#context;
    if (!model) return;
    if (!this.canRig) {
      this.#context.emit('skeleton-needed', { model });
      return;
    }
    try {
      await this.follower.runWithin(task, onProgress, early);
    } catch (thrown) {
      if (!task.signal.aborted) this.#showFileWeights();
      throw thrown;
    }
  }

  /** Without computed weights, clips play with the weights of the file, if it has any. */
  #showFileWeights(): void {
    const context = this.#context;
    if (this.follower.isShown || !context.viewer?.showFileWeights()) return;
    this.#usesFileWeights = true;
    context.call('weightsShown');
    context.viewerChanged();
    context.settingsChanged();
  }

  showPartialResult(answer: RigAnswer): void {
    this.follower.showPartialResult(answer);
    this.#context.requestFrame();
  }

  characterChanged({ joints }: ModelInfo, { isSameMesh }: { isSameMesh: boolean }): void {
    this.#hasSkeleton = joints.length > 0;
    if (!isSameMesh) this.#stageSeconds = new Map();
    this.#usesFileWeights = false;
    this.follower.characterChanged();
    // The method may depend on the character.
    this.#context.changed('recipe', 'report', 'rigSeconds');
  }

  disconnected(): void {
    this.follower.characterChanged();
    this.#context.changed('report', 'rigSeconds');
  }

  #completed(report: RigReport, isCheap: boolean): void {
    const context = this.#context;
    const seconds = this.#stageSeconds.get(report.method) ?? new Map<string, number>();
    for (const stage of report.stages) seconds.set(stage.stage, stage.seconds);
    this.#stageSeconds.set(report.method, seconds);
    note('rigged');
    this.#usesFileWeights = false;
    if (context.model) context.model = { ...context.model, joints: report.joints };
    context.changed('model', 'report', 'rigSeconds', 'jointPositions');
    context.call('weightsShown');
    context.viewerChanged();
    if (report.warnings.length > 0) context.emit('rig-warning', { warnings: report.warnings });
    context.emit('rig-complete', { report });
    context.call('rigged', report);
    context.settingsChanged();
    if (context.get(Examples).lacks(this.#recipe)) context.emit('examples-needed', {});
    if (!isCheap) context.announce('Ready to move');
  }
}

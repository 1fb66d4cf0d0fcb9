/**
 * What `show="fit"` shows: an example as the weights reproduce it, with the error of each vertex.
 */
import type { FitAnswer, RigReport } from '../../wasm.ts';
import type { FitChoice, ViewerState } from '../api.ts';
import type { ViewerContext } from '../context.ts';
import type { Feature } from '../feature.ts';
import type { FitLegend } from '../legend.ts';
import { Examples } from './examples.ts';
import { ShowFeature } from './show.ts';
import { Weights } from './weights.ts';

/** Both reproductions of one example by the weights of one run: before and after the fit. */
interface Reproductions {
  readonly report: RigReport;
  /** Index among the chosen examples. */
  readonly index: number;
  readonly answers: readonly [FitAnswer | undefined, FitAnswer | undefined];
}

/** What is drawn, and the value at the far end of the colours. */
interface Drawn extends FitAnswer {
  readonly maxError: number;
  /** Diagonal of the character's box. */
  readonly size: number;
  /** The errors are not known. */
  readonly isPlain: boolean;
}

export class Fit implements Feature {
  static readonly members = ['fit'] as const;

  readonly #context: ViewerContext;
  #choice: FitChoice | null = null;
  #reproductions: Reproductions | undefined;
  #legend: FitLegend | null = null;
  /** Incremented with every request, so that late answers are ignored. */
  #request = 0;
  /** What the picture was made of, as JSON, so that it is not made again. */
  #drawn = '';

  constructor(context: ViewerContext) {
    this.#context = context;
  }

  partialState(): Pick<ViewerState, 'fit'> {
    return { fit: this.fit };
  }

  /** As chosen, else the first example that weights are fitted to. */
  get fit(): FitChoice | null {
    const { examples } = this.#context.get(Examples);
    if (this.#choice && this.#choice.example < examples.length) return this.#choice;
    const example = examples.findIndex(({ chosen }) => chosen);
    return example < 0 ? null : { example, stage: 'after' };
  }

  set fit(choice: FitChoice | null) {
    this.#choice = choice;
    this.#context.changed('fit');
    this.settingsChanged();
  }

  /** What the colours mean; null while no fit is shown. */
  get legend(): FitLegend | null {
    return this.#legend;
  }

  rigged(): void {
    this.#drawn = '';
  }

  settingsChanged(): void {
    if (this.#context.get(ShowFeature).show !== 'fit') {
      this.#drawn = '';
      return;
    }
    const { examples } = this.#context.get(Examples);
    const chosen = examples.map(({ name, chosen }) => [name, chosen]);
    const drawn = JSON.stringify([this.fit, chosen, this.#context.viewer !== undefined]);
    if (drawn === this.#drawn) return;
    this.#drawn = drawn;
    void this.#draw(++this.#request);
  }

  async #draw(request: number): Promise<void> {
    const choice = this.fit;
    const found = choice && (await this.#find(choice).catch(() => null));
    if (request !== this.#request) return;
    const example = choice && this.#context.get(Examples).examples[choice.example];
    this.#legend = found && example ? legendOf(found, example.name, choice.stage) : null;
    const { viewer } = this.#context;
    if (found) viewer?.setFit(found.positions, found.errors, found.maxError);
    else viewer?.clearFit();
    this.#context.get(ShowFeature).drawLegends();
    this.#context.requestFrame();
  }

  async #find({ example, stage }: FitChoice): Promise<Drawn | null> {
    const examples = this.#context.get(Examples);
    const { report } = this.#context.get(Weights);
    const own = examples.examples[example];
    if (!own) return null;
    const size = Math.hypot(...(this.#context.model?.size ?? [1]));
    const index = examples.chosenIndex(example);
    if (stage === 'example' || !report?.exampleFit || index < 0) {
      const { positions } = own;
      return { positions, errors: new Float32Array(), maxError: 1, size, isPlain: true };
    }
    const { answers } = await this.#reproduce(report, index);
    const answer = answers[stage === 'after' ? 1 : 0];
    // The same scale before and after, so that the colours can be compared.
    const maxError = answers[0]?.errors.reduce((max, error) => Math.max(max, error), 0) || size * 1e-6;
    return answer ? { ...answer, maxError, size, isPlain: false } : null;
  }

  async #reproduce(report: RigReport, index: number): Promise<Reproductions> {
    if (this.#reproductions?.report === report && this.#reproductions.index === index)
      return this.#reproductions;
    const ask = (isFinal: boolean) => this.#context.solver.ask({ kind: 'fit', example: index, isFinal });
    const reproductions = { report, index, answers: [await ask(false), await ask(true)] } as const;
    this.#reproductions = reproductions;
    return reproductions;
  }

  meshChanged(): void {
    this.#request++;
    this.#choice = null;
    this.#reproductions = undefined;
    this.#legend = null;
    this.#drawn = '';
    this.#context.changed('fit');
  }
}

function legendOf({ maxError, size, isPlain }: Drawn, name: string, stage: FitChoice['stage']): FitLegend {
  if (isPlain) return { title: name, maxPercent: null };
  const when = stage === 'before' ? 'before fitting' : 'after fitting';
  return { title: `Error of ${name}, ${when}`, maxPercent: (100 * maxError) / size };
}

/** An example as weights reproduce it, with how far each vertex is from it: what `show="fit"` shows. */
import type { SolverBridge } from '../solver/bridge.ts';
import type { FitAnswer, ModelInfo, RigReport, Show, Viewer } from '../wasm.ts';
import type { FitChoice, ViewerState } from './api.ts';
import type { Examples } from './examples.ts';

export interface FitHost {
  readonly solver: SolverBridge;
  readonly examples: Examples;
  viewer(): Viewer | undefined;
  model(): ModelInfo | null;
  report(): RigReport | null;
  show(): Show;
  changed(...keys: readonly (keyof ViewerState)[]): void;
  requestFrame(): void;
  /** What the colours mean has changed. */
  colorsChanged(): void;
}

/** What the colours of a fit mean. */
export interface FitLegend {
  readonly title: string;
  /** At the far end of the colours, in percent of the character's size; null where the colours mean nothing. */
  readonly most: number | null;
}

/** Both fits of one example, by what was learned in one run. */
interface Known {
  readonly report: RigReport;
  readonly place: number;
  readonly answers: readonly [FitAnswer | undefined, FitAnswer | undefined];
}

export class Fit {
  readonly #host: FitHost;
  #choice: FitChoice | null = null;
  #known: Known | undefined;
  #legend: FitLegend | null = null;
  /** Counts questions, so that late answers are not shown. */
  #asked = 0;

  constructor(host: FitHost) {
    this.#host = host;
  }

  /** As chosen, or else the first that was learned from. */
  get choice(): FitChoice | null {
    const { list } = this.#host.examples;
    if (this.#choice && this.#choice.example < list.length) return this.#choice;
    const example = list.findIndex(({ chosen }) => chosen);
    return example < 0 ? null : { example, stage: 'after' };
  }

  set choice(choice: FitChoice | null) {
    this.#choice = choice;
    this.#host.changed('fit');
    this.refresh();
  }

  /** Null while nothing is shown. */
  get legend(): FitLegend | null {
    return this.#legend;
  }

  /** Something has changed that the picture may depend on. */
  refresh(): void {
    if (this.#host.show() === 'fit') void this.#follow(++this.#asked);
  }

  async #follow(asked: number): Promise<void> {
    const { viewer, examples, colorsChanged, requestFrame } = this.#host;
    const { choice } = this;
    const found = choice && (await this.#found(choice).catch(() => null));
    if (asked !== this.#asked) return;
    const example = choice && examples.list[choice.example];
    this.#legend = found && example ? legendOf(found, example.name, choice.stage) : null;
    if (found) viewer()?.setFit(found.positions, found.errors, found.most);
    else viewer()?.clearFit();
    colorsChanged();
    requestFrame();
  }

  async #found({ example, stage }: FitChoice): Promise<Found | null> {
    const { examples, model, report } = this.#host;
    const own = examples.list[example];
    const now = report();
    if (!own) return null;
    const size = Math.hypot(...(model()?.size ?? [1]));
    const place = examples.placeOf(example);
    const plain = {
      positions: own.positions,
      // There is nothing to say of it in colours.
      errors: new Float32Array(),
      most: 1,
      size,
    };
    if (stage === 'example' || !now?.learning || place < 0) return { ...plain, isPlain: true };
    const { answers } = await this.#ask(now, place);
    const answer = answers[stage === 'after' ? 1 : 0];
    // The same colours before and after, so that they can be compared.
    const most = answers[0]?.errors.reduce((most, error) => Math.max(most, error), 0) || size * 1e-6;
    return answer ? { ...answer, most, size, isPlain: false } : null;
  }

  async #ask(report: RigReport, place: number): Promise<Known> {
    if (this.#known?.report === report && this.#known.place === place) return this.#known;
    const ask = (isFinal: boolean) => this.#host.solver.ask({ kind: 'fit', example: place, isFinal });
    const known = { report, place, answers: [await ask(false), await ask(true)] } as const;
    this.#known = known;
    return known;
  }

  /** Another character is shown. */
  begin(): void {
    this.#asked++;
    this.#choice = null;
    this.#known = undefined;
    this.#legend = null;
  }
}

interface Found extends FitAnswer {
  readonly most: number;
  readonly size: number;
  /** Nothing is known about how far it is off. */
  readonly isPlain: boolean;
}

function legendOf({ most, size, isPlain }: Found, name: string, stage: FitChoice['stage']): FitLegend {
  if (isPlain) return { title: name, most: null };
  const when = stage === 'before' ? 'before learning' : 'as learned';
  return { title: `Off from ${name}, ${when}`, most: (100 * most) / size };
}

/** Where the skin passes through itself, looked for by the solver while that is what the colours show. */
import type { Viewer } from '../wasm.ts';
import type { PostSkinningHost } from './post_skinning.ts';

export class Folds {
  readonly #host: Pick<
    PostSkinningHost,
    'solver' | 'shows' | 'viewer' | 'isReady' | 'requestFrame' | 'colorsChanged'
  >;
  /** The number of vertices in self-intersections, by view; null if unknown. */
  readonly found: [number | null, number | null] = [null, null];
  readonly #asked: [number, number] = [-1, -1];
  #isAsking = false;

  constructor(host: PostSkinningHost) {
    this.#host = host;
  }

  /** After every picture: asks about the latest pose, one question at a time. */
  follow(viewer: Viewer): void {
    if (this.#isAsking || !this.#host.isReady()) return;
    const { moves } = viewer;
    const shows = this.#host.shows();
    const view = ([0, 1] as const).find((view) => shows[view] === 'folds' && this.#asked[view] !== moves);
    if (view === undefined) return;
    const positions = viewer.posedVertices(view);
    this.#asked[view] = moves;
    if (positions) void this.#ask(positions, view);
  }

  async #ask(positions: Float32Array, view: 0 | 1): Promise<void> {
    this.#isAsking = true;
    try {
      const vertices = await this.#host.solver.ask({ kind: 'folds', positions });
      this.#host.viewer()?.setFolded(view, vertices);
      this.found[view] = vertices.length;
      this.#host.colorsChanged();
    } catch {
      // The solver was stopped for something else; the next picture asks again.
      this.#asked[view] = -1;
    } finally {
      this.#isAsking = false;
      this.#host.requestFrame();
    }
  }
}

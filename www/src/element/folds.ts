/** Where the skin passes through itself, looked for by the solver while that is what the colours show. */
import type { Viewer } from '../wasm.ts';
import type { PostSkinningHost } from './post_skinning.ts';

export class Folds {
  readonly #host: Pick<
    PostSkinningHost,
    'solver' | 'shows' | 'viewer' | 'isReady' | 'requestFrame' | 'colorsChanged'
  >;
  /** How many vertices lie in folds, left and right; null where nobody has looked. */
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
    const half = this.#host
      .shows()
      .findIndex((show, half) => show === 'folds' && this.#asked[half === 1 ? 1 : 0] !== moves);
    if (half < 0) return;
    const isRight = half === 1;
    const positions = isRight ? viewer.comparedVertices() : viewer.posedVertices();
    this.#asked[isRight ? 1 : 0] = moves;
    if (positions) void this.#ask(positions, isRight);
  }

  async #ask(positions: Float32Array, isRight: boolean): Promise<void> {
    this.#isAsking = true;
    try {
      const vertices = await this.#host.solver.ask({ kind: 'folds', positions });
      this.#host.viewer()?.setFolded(vertices, isRight);
      this.found[isRight ? 1 : 0] = vertices.length;
      this.#host.colorsChanged();
    } catch {
      // The solver was stopped for something else; the next picture asks again.
      this.#asked[isRight ? 1 : 0] = -1;
    } finally {
      this.#isAsking = false;
      this.#host.requestFrame();
    }
  }
}

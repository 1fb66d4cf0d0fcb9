/**
 * Vertices of triangles that intersect others in the pose, found by the solver while a view shows
 * them. One request at a time; the latest pose is next.
 */
import type { SolverBridge } from '../solver/bridge.ts';
import type { Viewer } from '../wasm.ts';
import { VIEWS, type ViewIndex } from './feature.ts';

export interface SelfIntersectionsHost {
  readonly solver: SolverBridge;
  viewer(): Viewer | undefined;
  /** Whether a view shows self-intersections now. */
  isShown(view: ViewIndex): boolean;
  found(): void;
}

export class SelfIntersections {
  readonly #host: SelfIntersectionsHost;
  /** How many vertices there are in each view; null before the first answer. */
  readonly counts: [number | null, number | null] = [null, null];
  /** The viewer's counter of moves at the last request of each view. */
  readonly #requested: [number, number] = [-1, -1];
  #isRequesting = false;

  constructor(host: SelfIntersectionsHost) {
    this.#host = host;
  }

  /** Called after every frame. */
  follow(viewer: Viewer): void {
    if (this.#isRequesting) return;
    const { moves } = viewer;
    const view = VIEWS.find((view) => this.#host.isShown(view) && this.#requested[view] !== moves);
    if (view === undefined) return;
    this.#requested[view] = moves;
    const positions = viewer.posedVertices(view);
    if (positions) void this.#request(positions, view);
  }

  /** Another mesh is on screen. */
  reset(): void {
    this.counts.fill(null);
    this.#requested.fill(-1);
  }

  async #request(positions: Float32Array, view: ViewIndex): Promise<void> {
    this.#isRequesting = true;
    try {
      const vertices = await this.#host.solver.ask({ kind: 'intersecting-vertices', positions });
      this.#host.viewer()?.setFolded(view, vertices);
      this.counts[view] = vertices.length;
    } catch {
      // The worker was ended for another reason. The next frame sends the request again.
      this.#requested[view] = -1;
    } finally {
      this.#isRequesting = false;
      this.#host.found();
    }
  }
}

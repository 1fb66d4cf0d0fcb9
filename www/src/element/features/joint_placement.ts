/** Positions of joints in the rest pose, and moving them by hand. */
import type { ViewerEvent } from '../../wasm.ts';
import type { Point, ViewerState } from '../api.ts';
import type { ViewerContext } from '../context.ts';
import type { Feature } from '../feature.ts';
import { ignoreRejection } from '../tasks.ts';
import { Skeleton } from './skeleton.ts';
import { Source } from './source.ts';
import { Tools } from './tools.ts';

type Positions = Readonly<Record<string, Point>>;

export class JointPlacement implements Feature {
  static readonly members = [
    'jointPositions',
    'jointPositionsWith',
    'setJointPositions',
    'bodyPointAt',
  ] as const;

  readonly #context: ViewerContext;
  #released: Promise<void> | undefined;
  #release: (() => void) | undefined;

  constructor(context: ViewerContext) {
    this.#context = context;
  }

  partialState(): Pick<ViewerState, 'jointPositions'> {
    return { jointPositions: this.jointPositions };
  }

  get jointPositions(): Positions {
    return this.#context.viewer?.jointPositions() ?? {};
  }

  jointPositionsWith(joint: string, to: Point): Positions {
    const { mirrorJoints } = this.#context.get(Tools);
    return this.#context.viewer?.jointPositionsWith(joint, [...to], mirrorJoints) ?? {};
  }

  setJointPositions(positions: Positions): Promise<void> {
    return this.#context.get(Source).bindJoints(positions);
  }

  bodyPointAt(x: number, y: number): Point | null {
    const [px, py, pz] = this.#context.viewer?.bodyPointAt(x, y) ?? [];
    return px === undefined || py === undefined || pz === undefined ? null : [px, py, pz];
  }

  characterChanged(): void {
    // A drag ends with its character, without an event.
    this.#endDrag();
    this.#context.changed('jointPositions');
  }

  disconnected(): void {
    this.#endDrag();
  }

  /** Resolves when the joint that is being dragged is released; undefined without a drag. */
  get released(): Promise<void> | undefined {
    return this.#released;
  }

  viewerEvent(event: ViewerEvent): void {
    const skeleton = this.#context.get(Skeleton);
    if (event.kind === 'gesture-start' && this.#context.get(Tools).placingJoints) this.#beginDrag();
    if (event.kind === 'joints') {
      this.emitPositions(false);
      if (this.#released) skeleton.jointDragged();
    }
    if (event.kind !== 'gesture-end' || !this.#released) return;
    this.emitPositions(true);
    if (event.cancelled) skeleton.dragCancelled();
    else if (skeleton.skeletonFit) skeleton.jointPlaced();
    else ignoreRejection(this.setJointPositions(this.jointPositions));
    this.#endDrag();
  }

  #beginDrag(): void {
    this.#released = new Promise((release) => {
      this.#release = release;
    });
  }

  #endDrag(): void {
    this.#release?.();
    this.#released = undefined;
    this.#release = undefined;
  }

  emitPositions(isFinal: boolean): void {
    this.#context.changed('jointPositions');
    this.#context.emit('joint-change', { positions: this.jointPositions, final: isFinal });
  }
}

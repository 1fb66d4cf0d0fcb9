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
    this.#context.changed('jointPositions');
  }

  viewerEvent(event: ViewerEvent): void {
    if (event.kind === 'joints') this.emitPositions(false);
    const isEnd = event.kind === 'gesture-end' && this.#context.get(Tools).placingJoints;
    if (!isEnd) return;
    this.emitPositions(true);
    if (event.cancelled) return;
    const skeleton = this.#context.get(Skeleton);
    if (skeleton.skeletonFit) skeleton.jointPlaced();
    else ignoreRejection(this.setJointPositions(this.jointPositions));
  }

  emitPositions(isFinal: boolean): void {
    this.#context.changed('jointPositions');
    this.#context.emit('joint-change', { positions: this.jointPositions, final: isFinal });
  }
}

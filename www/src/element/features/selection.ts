/** The selected joint. */
import type { ViewerEvent } from '../../wasm.ts';
import type { ViewerState } from '../api.ts';
import type { ViewerContext } from '../context.ts';
import type { Feature } from '../feature.ts';

export class Selection implements Feature {
  static readonly members = ['selectedJoint'] as const;

  readonly #context: ViewerContext;

  constructor(context: ViewerContext) {
    this.#context = context;
  }

  partialState(): Pick<ViewerState, 'selectedJoint'> {
    return { selectedJoint: this.selectedJoint };
  }

  get selectedJoint(): string | null {
    return this.#context.viewer?.selected ?? null;
  }

  set selectedJoint(joint: string | null) {
    if (joint === this.selectedJoint) return;
    this.#context.viewer?.select(joint);
    this.#selectionChanged();
    this.#context.viewerChanged();
  }

  characterChanged(): void {
    this.#context.changed('selectedJoint', 'selectedHandle');
  }

  viewerEvent(event: ViewerEvent): void {
    if (event.kind === 'select') this.#selectionChanged();
  }

  #selectionChanged(): void {
    const joint = this.selectedJoint;
    this.#context.changed('selectedJoint', 'selectedHandle');
    this.#context.settingsChanged();
    this.#context.announce(joint === null ? 'Nothing selected' : `${joint} selected`);
    this.#context.emit('select', { joint });
  }

  keyPressed({ key }: KeyboardEvent): boolean {
    if (key === ']') return this.#selectNext(1);
    if (key === '[') return this.#selectNext(-1);
    return false;
  }

  /** Selects the joint `steps` after the selected one, among those that deform the skin. */
  #selectNext(steps: number): boolean {
    const joints = this.#context.model?.joints.filter(({ deforms }) => deforms) ?? [];
    if (joints.length === 0) return false;
    const index = joints.findIndex(({ name }) => name === this.selectedJoint);
    const first = steps > 0 ? 0 : joints.length - 1;
    const next = index < 0 ? first : (index + steps + joints.length) % joints.length;
    this.selectedJoint = joints[next]?.name ?? null;
    return true;
  }
}

/** Handles on the skin. Every change can be undone, also those made in the picture. */
import type { Point } from '../element/api.ts';
import { OPTIONS } from '../options.ts';
import type { Method, PlacedHandle } from '../wasm.ts';
import type { History } from './history.ts';
import { listen, type Viewer } from './viewer.ts';

interface State {
  readonly method: Method;
  readonly handles: readonly PlacedHandle[];
  readonly targets: Readonly<Record<string, Point>>;
}

/** The method that a handle switches to if the current one ignores handles. */
const HANDLE_METHOD: Method = 'bbw';

export class HandleSettings {
  readonly #viewer: Viewer;
  readonly #history: History;
  readonly #listeners = new Set<(from: Method, to: Method) => void>();
  /** The state when the current gesture began. */
  #before: State | null = null;

  constructor(viewer: Viewer, history: History) {
    this.#viewer = viewer;
    this.#history = history;
    this.#followGestures();
  }

  /** Whether the current method computes weights for handles. */
  get areUsed(): boolean {
    return OPTIONS.handleMethods.includes(this.#viewer.method);
  }

  remove(name: string): void {
    this.#change(`${name} removed`, () => this.#viewer.removeHandle(name));
  }

  rename(name: string, to: string): boolean {
    let isFree = false;
    this.#change(`name of ${name}`, () => {
      isFree = this.#viewer.renameHandle(name, to);
    });
    return isFree;
  }

  /** Moves a handle, or resets it. */
  move(name: string, to: Point | null): void {
    this.#change(`move of ${name}`, () => this.#viewer.moveHandle(name, to));
  }

  reset(): void {
    this.#change('reset of handles', () => this.#viewer.resetHandles());
  }

  /** Switches to a method that includes handles. */
  include(): void {
    this.#change('method', () => {
      this.#viewer.method = HANDLE_METHOD;
    });
  }

  /** Calls `listener` when placing a handle has changed the method. */
  onMethodChange(listener: (from: Method, to: Method) => void): void {
    this.#listeners.add(listener);
  }

  get #state(): State {
    const { method, handles, handleTargets } = this.#viewer;
    return { method, handles, targets: handleTargets };
  }

  #set({ method, handles, targets }: State): void {
    const viewer = this.#viewer;
    viewer.recipe = { ...viewer.recipe, method, handles: [...handles] };
    viewer.handleTargets = targets;
  }

  #change(label: string, act: () => void): void {
    const before = this.#state;
    act();
    this.#record(label, before);
  }

  #record(label: string, before: State): void {
    const after = this.#state;
    if (JSON.stringify(before) === JSON.stringify(after)) return;
    this.#history.push({ label, undo: () => this.#set(before), redo: () => this.#set(after) });
  }

  #followGestures(): void {
    const viewer = this.#viewer;
    listen(viewer, 'gesture-start', () => {
      this.#before = this.#state;
    });
    listen(viewer, 'gesture-end', () => {
      const before = this.#before;
      this.#before = null;
      if (before) this.#record(labelOf(before, this.#state), before);
    });
    listen(viewer, 'handle-change', ({ handles }) => {
      // Most methods ignore handles; one that is placed should have an effect.
      const isNew = this.#before !== null && handles.length > this.#before.handles.length;
      if (!isNew || this.areUsed) return;
      const from = viewer.method;
      viewer.method = HANDLE_METHOD;
      for (const listener of this.#listeners) listener(from, HANDLE_METHOD);
    });
  }
}

function labelOf(before: State, after: State): string {
  const names = (state: State): Set<string> => new Set(state.handles.map(({ name }) => name));
  const [had, has] = [names(before), names(after)];
  for (const name of has) if (!had.has(name)) return name;
  for (const name of had) if (!has.has(name)) return `${name} removed`;
  const isOther = (name: string): boolean =>
    JSON.stringify(before.targets[name]) !== JSON.stringify(after.targets[name]);
  return `move of ${[...has].find(isOther) ?? 'handles'}`;
}

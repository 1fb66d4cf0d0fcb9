/** Handles on the skin: kept in the recipe, placed and pulled in the picture, told outside. */
import { OPTIONS } from '../options.ts';
import { PliantFailure } from '../solver/failure.ts';
import type { PlacedHandle, Recipe, Viewer, ViewerEvent } from '../wasm.ts';
import type { HandlePlace, PliantViewerEvents, Point, ToolName } from './api.ts';

type Points = Readonly<Record<string, Point>>;

export interface HandlesHost {
  viewer(): Viewer | undefined;
  recipe(): Recipe;
  changeRecipe(change: Partial<Recipe>): void;
  /** Every joint's name; handles are among them once they are weighed. */
  joints(): readonly string[];
  select(joint: string | null): void;
  selected(): string | null;
  pause(): void;
  settle(): void;
  toolChosen(tool: ToolName, isOn: boolean): void;
  say(text: string): void;
  emit<K extends keyof PliantViewerEvents>(type: K, detail: PliantViewerEvents[K]): void;
}

/** The handles that a recipe's method weighs. */
export function usedHandles({ method, handles }: Recipe): PlacedHandle[] {
  return OPTIONS.handleMethods.includes(method) ? handles : [];
}

export class Handles {
  readonly #host: HandlesHost;
  #isPlacing = false;
  /** As the viewer was told last, as text. */
  #told = '[]';
  /** Selected once it has weights. */
  #wanted: string | null = null;
  #isPulling = false;

  constructor(host: HandlesHost) {
    this.#host = host;
  }

  get all(): readonly PlacedHandle[] {
    return structuredClone(this.#host.recipe().handles);
  }

  set all(handles: readonly PlacedHandle[]) {
    const plain = handles.map(({ name, at: [x, y, z], vertices = [] }) => ({
      name,
      at: [x, y, z] as [number, number, number],
      vertices: [...vertices],
    }));
    this.#host.changeRecipe({ handles: plain });
    this.#tell(true);
  }

  add(place: HandlePlace, name?: string): string {
    const viewer = this.#host.viewer();
    const at =
      'vertex' in place
        ? viewer?.vertexAt(place.vertex)
        : viewer?.skinNear(...(place.point as [number, number, number]));
    if (!at) {
      const message = viewer ? 'There is no such vertex' : 'Nothing is shown yet';
      throw new PliantFailure({
        code: 'handle',
        message,
        hint: 'Load a character first, and name one of its vertices',
      });
    }
    const called = name ?? this.#freeName();
    const [x = 0, y = 0, z = 0] = at;
    this.all = [...this.all, { name: called, at: [x, y, z], vertices: [] }];
    this.#wanted = called;
    return called;
  }

  #freeName(): string {
    const taken = new Set([...this.#host.joints(), ...this.all.map(({ name }) => name)]);
    for (let number = 1; ; number++) {
      const name = `Handle ${number}`;
      if (!taken.has(name)) return name;
    }
  }

  remove(name: string): boolean {
    const { all } = this;
    const kept = all.filter((handle) => handle.name !== name);
    if (kept.length === all.length) return false;
    if (this.selected === name) this.#host.select(null);
    this.all = kept;
    return true;
  }

  rename(name: string, to: string): boolean {
    const { all, targets } = this;
    const isTaken = all.some((handle) => handle.name === to) || this.#host.joints().includes(to);
    if (to.trim() === '' || isTaken || !all.some((handle) => handle.name === name)) return false;
    const wasSelected = this.selected === name;
    this.all = all.map((handle) => (handle.name === name ? { ...handle, name: to } : handle));
    const pulled = Object.entries(targets).map(([key, at]) => [key === name ? to : key, at] as const);
    if (targets[name]) this.targets = Object.fromEntries(pulled);
    if (wasSelected) this.#wanted = to;
    return true;
  }

  get selected(): string | null {
    return this.#host.viewer()?.selectedHandle ?? null;
  }

  set selected(name: string | null) {
    const isJoint = name !== null && this.#host.joints().includes(name);
    this.#wanted = isJoint ? null : name;
    this.#host.select(isJoint ? name : null);
  }

  get positions(): Points {
    return this.#host.viewer()?.handlePositions() ?? {};
  }

  get targets(): Points {
    return this.#host.viewer()?.handleTargets() ?? {};
  }

  set targets(targets: Points) {
    this.#host.pause();
    const plain = Object.entries(targets).map(([name, [x, y, z]]) => [name, [x, y, z] as const] as const);
    this.#host.viewer()?.setHandleTargets(Object.fromEntries(plain));
    this.#host.settle();
    this.#tell(true);
  }

  get isPlacing(): boolean {
    return this.#isPlacing;
  }

  set isPlacing(on: boolean) {
    if (on === this.#isPlacing) return;
    this.#isPlacing = on;
    if (on) this.#host.pause();
    this.#host.viewer()?.setPlacingHandles(on);
    this.#host.settle();
    this.#host.toolChosen('handles', on);
  }

  /** Another recipe: the viewer shows what it weighs. */
  follow(): void {
    const used = usedHandles(this.#host.recipe());
    const told = JSON.stringify(used);
    if (told === this.#told) return;
    this.#told = told;
    this.#host.viewer()?.setHandles(used);
    this.#host.settle();
  }

  /** A viewer or a figure that knows nothing yet. */
  prepare(): void {
    this.#told = '[]';
    this.#host.viewer()?.setPlacingHandles(this.#isPlacing);
    this.follow();
  }

  /** Their weights are there. */
  rigged(): void {
    const wanted = this.#wanted;
    if (wanted === null || !this.#host.joints().includes(wanted)) return;
    this.#wanted = null;
    this.#host.select(wanted);
  }

  /** The user did something in the picture, in the order it happened. */
  acted(event: ViewerEvent): void {
    switch (event.kind) {
      case 'handle-asked':
        this.byUser(() => {
          const name = this.add({ point: event.at });
          this.#host.say(`${name} placed`);
        });
        break;
      case 'pull':
        this.#isPulling = true;
        this.#tell(false);
        break;
      case 'gesture-end':
        if (this.#isPulling) this.#tell(true);
        this.#isPulling = false;
        break;
    }
  }

  /** Something that the host may want to undo. */
  byUser(act: () => void): void {
    this.#host.emit('gesture-start', {});
    act();
    this.#host.emit('gesture-end', {});
  }

  /** A double click puts the handle under it back. */
  resetAt(x: number, y: number, isTouch: boolean): void {
    const name = this.#host.viewer()?.handleAt(x, y, isTouch);
    if (name === undefined) return;
    const { [name]: target, ...others } = this.targets;
    if (target) this.byUser(() => this.#setTargets(others));
  }

  #setTargets(targets: Points): void {
    this.targets = targets;
  }

  key(event: KeyboardEvent, canvas: HTMLCanvasElement): boolean {
    const { selected } = this;
    if ((event.key === 'Delete' || event.key === 'Backspace') && selected !== null) {
      this.byUser(() => this.remove(selected));
      this.#host.say(`${selected} removed`);
      return true;
    }
    // With the keyboard alone, the middle of the picture is what the arrows aim.
    if (event.key === 'Enter' && this.#isPlacing) {
      const at = this.#host.viewer()?.skinAt(canvas.clientWidth / 2, canvas.clientHeight / 2);
      if (at) this.acted({ kind: 'handle-asked', at: at as unknown as [number, number, number] });
      return at !== undefined;
    }
    return false;
  }

  #tell(isFinal: boolean): void {
    const { all, positions, targets } = this;
    this.#host.emit('handle-change', { handles: all, positions, targets, final: isFinal });
  }
}

/** Handles on the skin: kept in the recipe, placed and dragged in the picture. */
import { OPTIONS } from '../../options.ts';
import { PliantFailure } from '../../solver/failure.ts';
import type { PlacedHandle, Recipe, ViewerEvent } from '../../wasm.ts';
import type { HandlePlace, Point, ViewerState } from '../api.ts';
import type { ViewerContext } from '../context.ts';
import type { Feature } from '../feature.ts';
import { Playback } from './playback.ts';
import { Selection } from './selection.ts';
import { Tools } from './tools.ts';
import { Weights } from './weights.ts';

type Points = Readonly<Record<string, Point>>;

/** The handles that the method of a recipe computes weights for. */
export function usedHandles({ method, handles }: Pick<Recipe, 'method' | 'handles'>): PlacedHandle[] {
  return OPTIONS.handleMethods.includes(method) ? handles : [];
}

export class Handles implements Feature {
  static readonly members = [
    'handles',
    'addHandle',
    'removeHandle',
    'renameHandle',
    'selectedHandle',
    'handlePositions',
    'handleTargets',
    'moveHandle',
    'resetHandles',
  ] as const;

  readonly #context: ViewerContext;
  /** The handles that the viewer has, as JSON. */
  #sent = '[]';
  /** A handle that will be selected when it has weights. */
  #selectLater: string | null = null;
  #isDragging = false;

  constructor(context: ViewerContext) {
    this.#context = context;
  }

  partialState(): Pick<ViewerState, 'handles' | 'handlePositions' | 'handleTargets' | 'selectedHandle'> {
    const { handles, handlePositions, handleTargets, selectedHandle } = this;
    return { handles, handlePositions, handleTargets, selectedHandle };
  }

  get handles(): readonly PlacedHandle[] {
    return structuredClone(this.#context.get(Weights).current.handles);
  }

  set handles(handles: readonly PlacedHandle[]) {
    const weights = this.#context.get(Weights);
    const plain = handles.map(({ name, at: [x, y, z], vertices = [] }) => ({
      name,
      at: [x, y, z] as [number, number, number],
      vertices: [...vertices],
    }));
    weights.recipe = { ...weights.recipe, handles: plain };
    this.#emit(true);
  }

  addHandle(place: HandlePlace, name?: string): string {
    const { viewer } = this.#context;
    const at =
      'vertex' in place
        ? viewer?.vertexAt(place.vertex)
        : viewer?.skinNear(...(place.point as [number, number, number]));
    if (!at) {
      const message = viewer ? 'There is no such vertex' : 'Nothing is shown yet';
      const hint = 'Load a character first, and name one of its vertices';
      throw new PliantFailure({ code: 'handle', message, hint });
    }
    const [x = 0, y = 0, z = 0] = at;
    const given = name ?? this.#freeName();
    this.handles = [...this.handles, { name: given, at: [x, y, z], vertices: [] }];
    this.#selectLater = given;
    return given;
  }

  /** Names of all joints. Handles are among them when they have weights. */
  get #joints(): readonly string[] {
    return this.#context.model?.joints.map(({ name }) => name) ?? [];
  }

  #freeName(): string {
    const taken = new Set([...this.#joints, ...this.handles.map(({ name }) => name)]);
    for (let number = 1; ; number++) {
      const name = `Handle ${number}`;
      if (!taken.has(name)) return name;
    }
  }

  removeHandle(name: string): boolean {
    const { handles } = this;
    const others = handles.filter((handle) => handle.name !== name);
    if (others.length === handles.length) return false;
    if (this.selectedHandle === name) this.#context.get(Selection).selectedJoint = null;
    this.handles = others;
    return true;
  }

  renameHandle(name: string, to: string): boolean {
    const { handles, handleTargets } = this;
    const isTaken = handles.some((handle) => handle.name === to) || this.#joints.includes(to);
    if (to.trim() === '' || isTaken || !handles.some((handle) => handle.name === name)) return false;
    const wasSelected = this.selectedHandle === name;
    this.handles = handles.map((handle) => (handle.name === name ? { ...handle, name: to } : handle));
    const renamed = Object.entries(handleTargets).map(([key, at]) => [key === name ? to : key, at] as const);
    if (handleTargets[name]) this.handleTargets = Object.fromEntries(renamed);
    if (wasSelected) this.#selectLater = to;
    return true;
  }

  get selectedHandle(): string | null {
    return this.#context.viewer?.selectedHandle ?? null;
  }

  set selectedHandle(name: string | null) {
    const isJoint = name !== null && this.#joints.includes(name);
    this.#selectLater = isJoint ? null : name;
    this.#context.get(Selection).selectedJoint = isJoint ? name : null;
  }

  get handlePositions(): Points {
    return this.#context.viewer?.handlePositions() ?? {};
  }

  get handleTargets(): Points {
    return this.#context.viewer?.handleTargets() ?? {};
  }

  set handleTargets(targets: Points) {
    this.#context.get(Playback).pause();
    const plain = Object.entries(targets).map(([name, [x, y, z]]) => [name, [x, y, z] as const] as const);
    this.#context.viewer?.setHandleTargets(Object.fromEntries(plain));
    this.#context.viewerChanged();
    this.#emit(true);
  }

  moveHandle(name: string, to: Point | null): void {
    const { [name]: _, ...others } = this.handleTargets;
    this.handleTargets = to ? { ...others, [name]: to } : others;
  }

  resetHandles(): void {
    if (Object.keys(this.handleTargets).length > 0) this.handleTargets = {};
  }

  viewerOpened(): void {
    this.#sent = '[]';
    this.settingsChanged();
  }

  characterChanged(): void {
    this.viewerOpened();
    this.#context.changed('handles', 'handlePositions', 'handleTargets');
  }

  settingsChanged(): void {
    const used = usedHandles(this.#context.get(Weights).current);
    const text = JSON.stringify(used);
    if (text === this.#sent || !this.#context.viewer) return;
    this.#sent = text;
    this.#context.viewer.setHandles(used);
    this.#context.changed('handlePositions', 'handleTargets');
    this.#context.viewerChanged();
  }

  weightsShown(): void {
    const name = this.#selectLater;
    if (name === null || !this.#joints.includes(name)) return;
    this.#selectLater = null;
    this.#context.get(Selection).selectedJoint = name;
  }

  viewerEvent(event: ViewerEvent): void {
    switch (event.kind) {
      case 'handle-requested':
        this.#placeByUser(event.at);
        break;
      case 'handles':
        this.#isDragging = true;
        this.#emit(false);
        break;
      case 'gesture-end':
        if (this.#isDragging) this.#emit(true);
        this.#isDragging = false;
        break;
    }
  }

  #placeByUser(at: Point): void {
    this.#context.get(Tools).gesture(() => {
      const name = this.addHandle({ point: at });
      this.#context.announce(`${name} placed`);
    });
  }

  /** A double click removes the target of the handle under it. */
  doubleClicked(x: number, y: number): void {
    const name = this.#context.viewer?.handleAt(x, y, false);
    if (name === undefined || !this.handleTargets[name]) return;
    this.#context.get(Tools).gesture(() => this.moveHandle(name, null));
  }

  keyPressed({ key }: KeyboardEvent): boolean {
    const { selectedHandle } = this;
    const tools = this.#context.get(Tools);
    if ((key === 'Delete' || key === 'Backspace') && selectedHandle !== null) {
      tools.gesture(() => this.removeHandle(selectedHandle));
      this.#context.announce(`${selectedHandle} removed`);
      return true;
    }
    // Without a pointer, the arrow keys aim the middle of the picture.
    if (key === 'Enter' && tools.placingHandles) {
      const { canvas, viewer } = this.#context;
      const at = viewer?.skinAt(canvas.clientWidth / 2, canvas.clientHeight / 2);
      if (at) this.#placeByUser(at as unknown as Point);
      return at !== undefined;
    }
    return false;
  }

  #emit(isFinal: boolean): void {
    const { handles, handlePositions: positions, handleTargets: targets } = this;
    this.#context.changed('handles', 'handlePositions', 'handleTargets');
    this.#context.emit('handle-change', { handles, positions, targets, final: isFinal });
  }
}

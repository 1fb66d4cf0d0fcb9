/** The properties and methods about handles on the skin. */
import type { PlacedHandle } from '../wasm.ts';
import type { HandlePlace, Point } from './api.ts';
import { CHARACTER } from './base.ts';
import { ExamplesElement } from './examples_element.ts';

export abstract class HandlesElement extends ExamplesElement {
  get handles(): readonly PlacedHandle[] {
    return this[CHARACTER].handles.all;
  }
  set handles(handles: readonly PlacedHandle[]) {
    this[CHARACTER].handles.all = handles;
  }

  addHandle(place: HandlePlace, name?: string): string {
    return this[CHARACTER].handles.add(place, name);
  }

  removeHandle(name: string): boolean {
    return this[CHARACTER].handles.remove(name);
  }

  renameHandle(name: string, to: string): boolean {
    return this[CHARACTER].handles.rename(name, to);
  }

  get selectedHandle(): string | null {
    return this[CHARACTER].handles.selected;
  }
  set selectedHandle(name: string | null) {
    this[CHARACTER].handles.selected = name;
  }

  get placingHandles(): boolean {
    return this[CHARACTER].handles.isPlacing;
  }
  set placingHandles(on: boolean) {
    this[CHARACTER].handles.isPlacing = on;
  }

  get handlePositions(): Readonly<Record<string, Point>> {
    return this[CHARACTER].handles.positions;
  }

  get handleTargets(): Readonly<Record<string, Point>> {
    return this[CHARACTER].handles.targets;
  }
  set handleTargets(targets: Readonly<Record<string, Point>>) {
    this[CHARACTER].handles.targets = targets;
  }

  moveHandle(name: string, to: Point | null): void {
    const { [name]: _, ...others } = this.handleTargets;
    this.handleTargets = to ? { ...others, [name]: to } : others;
  }

  resetHandles(): void {
    this.handleTargets = {};
  }
}

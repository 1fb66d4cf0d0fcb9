/** Settings of each view that are sent to the WASM viewer when they have changed. */
import type { Viewer } from '../wasm.ts';
import type { ViewerState } from './api.ts';
import { reflect } from './attributes.ts';
import type { ViewerContext } from './context.ts';
import { type Feature, VIEWS, type ViewIndex } from './feature.ts';

export class ViewSetting<T> {
  readonly #value: (view: ViewIndex) => T;
  readonly #send: (viewer: Viewer, view: ViewIndex, value: T) => void;
  /** The values that the viewer has, as JSON. */
  readonly #sent: [string | undefined, string | undefined] = [undefined, undefined];

  constructor(value: (view: ViewIndex) => T, send: (viewer: Viewer, view: ViewIndex, value: T) => void) {
    this.#value = value;
    this.#send = send;
  }

  /** Sends the values that the viewer does not have. True if there were any. */
  update(viewer: Viewer | undefined): boolean {
    if (!viewer) return false;
    let isChanged = false;
    for (const view of VIEWS) {
      const value = this.#value(view);
      const text = JSON.stringify(value);
      if (text === this.#sent[view]) continue;
      this.#sent[view] = text;
      this.#send(viewer, view, value);
      isChanged = true;
    }
    return isChanged;
  }

  /** There is another viewer, or it has forgotten the values. */
  reset(): void {
    this.#sent.fill(undefined);
  }
}

/**
 * What a feature with one word per view is made of. `Name` is its attribute and its key of `state`.
 */
export interface ViewWord<Name extends 'deformer' | 'show'> {
  readonly name: Name;
  parse(text: string | null): ViewerState[Name];
  /** The word of the second view; null if it is that of the first. */
  second(): ViewerState[Name] | null;
  send(viewer: Viewer, view: ViewIndex, value: ViewerState[Name]): void;
}

/** A feature that is one word per view: an attribute, which the second view may override. */
export abstract class ViewWordFeature<Name extends 'deformer' | 'show'> implements Feature {
  protected readonly context: ViewerContext;
  readonly #word: ViewWord<Name>;
  readonly #setting: ViewSetting<ViewerState[Name]>;

  constructor(context: ViewerContext, word: ViewWord<Name>) {
    this.context = context;
    this.#word = word;
    this.#setting = new ViewSetting((view) => this.of(view), word.send);
  }

  protected get value(): ViewerState[Name] {
    return this.#word.parse(this.context.element.getAttribute(this.#word.name));
  }

  protected set value(value: ViewerState[Name]) {
    reflect(this.context.element, this.#word.name, value);
  }

  /** The word of a view. */
  of(view: ViewIndex): ViewerState[Name] {
    return (view === 1 ? this.#word.second() : null) ?? this.value;
  }

  attributeChanged(): void {
    this.context.changed(this.#word.name);
    this.context.settingsChanged();
  }

  viewerOpened(): void {
    this.#setting.reset();
    this.settingsChanged();
  }

  settingsChanged(): void {
    this.#setting.update(this.context.viewer);
  }
}

/**
 * A feature of the element: its attributes, properties, methods, behaviour and events in one class.
 *
 * Each element has one instance of every class in `features/index.ts`. The members that a class
 * lists are put on the element and forward to that instance. Everything else is optional: the hooks
 * below are called in the order of the table.
 */
import type { ViewIndex } from '../solver/protocol.ts';
import type { AssetPacket, ModelInfo, RigReport, Viewer, ViewerEvent } from '../wasm.ts';
import type { PliantViewerApi, ViewerState } from './api.ts';
import type { ViewerContext } from './context.ts';

export type { ViewIndex } from '../solver/protocol.ts';

export const VIEWS: readonly ViewIndex[] = [0, 1];

export interface Feature {
  /** An attribute of the feature has another value; null when it was removed. */
  attributeChanged?(name: string, value: string | null): void;
  /** The feature's part of `state`. */
  partialState?(): Partial<ViewerState>;

  /** The element was put into a page, or taken out of it. */
  connected?(): void;
  disconnected?(): void;
  /** There is a new WASM viewer without a character. It gets everything that was set before. */
  viewerOpened?(viewer: Viewer): void;
  /** Another mesh is on screen. `characterChanged` follows. */
  meshChanged?(asset: AssetPacket): void;
  /**
   * Another character, or the same one with another skeleton, is on screen. It has no weights yet.
   */
  characterChanged?(model: ModelInfo, options: CharacterOptions): void;
  /** A recipe, a display setting or the selection of a view changed. Weights follow later. */
  settingsChanged?(): void;
  /** The character can move, by the weights of the file or by computed ones. */
  weightsShown?(): void;
  /** Weights of the latest recipe are on screen in the first view. */
  rigged?(report: RigReport): void;

  /** Called before a frame is drawn. True if another frame is needed. */
  beforeFrame?(nowMs: number): boolean;
  afterFrame?(viewer: Viewer): void;
  /** The user did something in the picture. */
  viewerEvent?(event: ViewerEvent): void;
  /** A key was pressed in the picture. True if it was handled. */
  keyPressed?(event: KeyboardEvent): boolean;
  /** In CSS pixels of the canvas. */
  doubleClicked?(x: number, y: number): void;
}

export interface CharacterOptions {
  /** Plays the clip as soon as the character can move. */
  readonly autoplay: boolean;
  /** The mesh is the same; only its skeleton is another one. */
  readonly isSameMesh: boolean;
}

export interface FeatureClass<T extends object = object> {
  new (context: ViewerContext): T;
  /** Attributes that the element observes for it. */
  readonly attributes?: readonly string[];
  /** Names of properties and methods that are put on the element. */
  readonly members: readonly (keyof PliantViewerApi)[];
  /** Properties that are made from a list instead. */
  readonly properties?: readonly FeatureProperty<T>[];
}

export interface FeatureProperty<T extends object> {
  readonly name: keyof PliantViewerApi;
  get(feature: T): unknown;
  set(feature: T, value: unknown): void;
}

/** `<pliant-viewer>`, assembled from the table of features. `api.ts` is its interface. */
import type { SolverBridge } from '../solver/bridge.ts';
import type { Viewer } from '../wasm.ts';
import type { PliantViewerApi } from './api.ts';
import { ViewerContext } from './context.ts';
import type { Feature, FeatureClass } from './feature.ts';
import { FEATURES, type FeatureMembers } from './features/index.ts';

/**
 * A node that is moved within a page is removed and inserted again at once. After this time, in
 * milliseconds, a removal is final and everything is freed.
 */
const MOVE_MS = 50;

/** A key that pages do not use by accident. */
const CONTEXT = Symbol('context');

const TABLE: readonly FeatureClass[] = FEATURES;

const BY_ATTRIBUTE = new Map(
  TABLE.flatMap((type) => (type.attributes ?? []).map((attribute) => [attribute, type] as const)),
);

class ViewerElement extends HTMLElement {
  static readonly observedAttributes: readonly string[] = [...BY_ATTRIBUTE.keys()];

  readonly [CONTEXT]: ViewerContext;
  #removal: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    super();
    this[CONTEXT] = new ViewerContext(this, TABLE);
  }

  connectedCallback(): void {
    this.#adoptEarlyProperties();
    clearTimeout(this.#removal);
    this.#removal = undefined;
    this[CONTEXT].connect();
  }

  disconnectedCallback(): void {
    this.#removal = setTimeout(() => this[CONTEXT].disconnect(), MOVE_MS);
  }

  attributeChangedCallback(name: string, before: string | null, after: string | null): void {
    const type = BY_ATTRIBUTE.get(name);
    if (before === after || !type) return;
    const feature: Feature = this[CONTEXT].get(type);
    feature.attributeChanged?.(name, after);
  }

  /**
   * Properties that were set before the tag was defined hide those of the class until they are set
   * again.
   */
  #adoptEarlyProperties(): void {
    for (const name of Object.keys(this)) {
      if (!(name in ViewerElement.prototype)) continue;
      const value: unknown = Reflect.get(this, name);
      Reflect.deleteProperty(this, name);
      Reflect.set(this, name, value);
    }
  }

  /** The WASM viewer, the solver, and the memory of both, for tests. Not part of the interface. */
  get [Symbol.for('pliant.inside')](): {
    viewer: Viewer | undefined;
    solver: SolverBridge;
    memory(): Promise<[number, number]>;
  } {
    const { viewer, solver } = this[CONTEXT];
    return { viewer, solver, memory: () => this[CONTEXT].memory() };
  }
}

/** Puts the members of a feature on the element. They forward to the element's instance of it. */
function addMembers(type: FeatureClass): void {
  for (const name of type.members) {
    const own = Object.getOwnPropertyDescriptor(type.prototype, name);
    if (!own) throw new Error(`${type.name} has no member ${name}`);
    const { get, set, value } = own;
    const feature = (element: ViewerElement) => element[CONTEXT].get(type);
    define(name, {
      ...(get && { get: (element) => get.call(feature(element)) }),
      ...(set && { set: (element, value) => set.call(feature(element), value) }),
      ...(value && { call: (element, args) => value.apply(feature(element), args) }),
    });
  }
  for (const { name, get, set } of type.properties ?? []) {
    define(name, {
      get: (element) => get(element[CONTEXT].get(type)),
      set: (element, value) => set(element[CONTEXT].get(type), value),
    });
  }
}

interface Member {
  get?(element: ViewerElement): unknown;
  set?(element: ViewerElement, value: unknown): void;
  call?(element: ViewerElement, args: unknown[]): unknown;
}

function define(name: string, { get, set, call }: Member): void {
  const accessors = {
    ...(get && {
      get(this: ViewerElement) {
        return get(this);
      },
    }),
    ...(set && {
      set(this: ViewerElement, value: unknown) {
        set(this, value);
      },
    }),
  };
  const method = call && {
    writable: true,
    value(this: ViewerElement, ...args: unknown[]) {
      return call(this, args);
    },
  };
  Object.defineProperty(ViewerElement.prototype, name, {
    configurable: true,
    enumerable: true,
    ...(method ?? accessors),
  });
}

for (const type of TABLE) addMembers(type);

export type PliantViewer = HTMLElement & PliantViewerApi;

/** The class of the element. Its members come from the table of features. */
export const PliantViewer = ViewerElement as unknown as { new (): HTMLElement & FeatureMembers } satisfies {
  new (): PliantViewer;
};

/** What the parts of the element share: the character behind the tag, and how it is heard outside. */
import type { PliantViewerEvents, ViewerState } from './api.ts';
import { Character } from './character.ts';

/** Keys that pages do not meet by accident. */
export const CHARACTER = Symbol('character');
export const REFLECTING = Symbol('reflecting');
export const CHANGED = Symbol('changed');

type StateKey = keyof ViewerState;

/** Which members of the state an event is about. */
const KEYS: Partial<Record<keyof PliantViewerEvents, readonly StateKey[]>> = {
  load: ['model', 'report', 'playback', 'pose', 'selectedJoint', 'jointPositions', 'volumeStats', 'busy'],
  progress: ['busy'],
  error: ['busy'],
  'rig-complete': ['model', 'report', 'busy', 'playback', 'jointPositions'],
  'compare-complete': ['secondView', 'busy'],
  volume: ['volumeStats'],
  'volume-map-change': ['volumeMap'],
  'fit-progress': ['fitProgress'],
  'examples-change': ['examples', 'fit'],
  select: ['selectedJoint', 'selectedHandle'],
  'pose-change': ['pose', 'handlePositions'],
  'skeleton-needed': ['model', 'report'],
  'joint-change': ['jointPositions'],
  'handle-change': ['recipe', 'handles', 'handlePositions', 'handleTargets'],
  'time-update': ['playback'],
  'tool-change': ['tool', 'brush'],
  'pose-offset-change': ['poseOffsets'],
};

export abstract class CharacterElement extends HTMLElement {
  readonly [CHARACTER]: Character;
  /** Attributes follow properties now, not the other way round. */
  [REFLECTING] = false;
  readonly #changes = new Set<StateKey>();

  constructor() {
    super();
    this[CHARACTER] = new Character(this, {
      emit: (type, detail) => this.#emit(type, detail),
      changed: (...keys) => this[CHANGED](...keys),
    });
  }

  [CHANGED](...keys: readonly StateKey[]): void {
    if (this.#changes.size === 0 && keys.length > 0) {
      queueMicrotask(() => {
        const keys = [...this.#changes];
        this.#changes.clear();
        this.#emit('state-change', { keys });
      });
    }
    for (const key of keys) this.#changes.add(key);
  }

  #emit<K extends keyof PliantViewerEvents>(type: K, detail: PliantViewerEvents[K]): void {
    const bubbles = type !== 'load' && type !== 'error';
    this.dispatchEvent(new CustomEvent(type, { detail, bubbles, composed: true }));
    this[CHANGED](...(KEYS[type] ?? []));
  }
}

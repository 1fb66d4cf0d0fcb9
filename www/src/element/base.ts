/** What the parts of the element share: the character behind the tag, and how it is heard outside. */
import type { PliantViewerEvents } from './api.ts';
import { Character } from './character.ts';

/** Keys that pages do not meet by accident. */
export const CHARACTER = Symbol('character');
export const REFLECTING = Symbol('reflecting');

export abstract class CharacterElement extends HTMLElement {
  readonly [CHARACTER]: Character;
  /** Attributes follow properties now, not the other way round. */
  [REFLECTING] = false;

  constructor() {
    super();
    this[CHARACTER] = new Character(this, {
      emit: (type, detail) => this.#emit(type, detail),
    });
  }

  #emit<K extends keyof PliantViewerEvents>(type: K, detail: PliantViewerEvents[K]): void {
    const bubbles = type !== 'load' && type !== 'error';
    this.dispatchEvent(new CustomEvent(type, { detail, bubbles, composed: true }));
  }
}

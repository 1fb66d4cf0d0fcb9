/** What made up a character, so that a new worker can be told. */
import type { Ask } from './protocol.ts';

/** A load, then a skeleton, then joints placed by hand, then how it was rigged; each but the first may lack. */
export type Character = readonly Ask[];

/** The character after `ask` was answered. */
export function remember(character: Character, ask: Ask): Character {
  const of = (...kinds: Ask['kind'][]) => character.filter(({ kind }) => kinds.includes(kind));
  switch (ask.kind) {
    case 'load':
    case 'cast':
      return [ask];
    case 'skeleton':
    case 'template':
      return [...of('load', 'cast'), ask];
    case 'joints': {
      const earlier = of('joints').flatMap((joints) => (joints.kind === 'joints' ? [joints.positions] : []));
      const positions = Object.assign({}, ...earlier, ask.positions);
      return [...of('load', 'cast', 'skeleton', 'template'), { kind: 'joints', positions }];
    }
    case 'rig':
      return [...of('load', 'cast', 'skeleton', 'template', 'joints'), ask];
    // Whoever compares asks again.
    case 'compare':
    case 'end-comparison':
    case 'export':
    case 'folds':
    case 'memory':
      return character;
  }
}

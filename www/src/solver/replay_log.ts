/** What made up a character, so that a new worker can be told. */
import type { RigAnswer } from '../wasm.ts';
import type { Ask } from './protocol.ts';

/** A load, then a skeleton, then joints placed by hand, then poses to learn from, then how it was rigged; each but the first may lack. */
export type Character = readonly Ask[];

/** A rig that gives the same weights again: learning that was stopped ends there. */
function asAnswered(ask: Extract<Ask, { kind: 'rig' }>, value: unknown): Ask {
  const learning = (value as RigAnswer | undefined)?.report.learning;
  if (!learning || learning.isOver) return ask;
  const examples = { ...ask.recipe.examples, iterations: learning.iterations };
  return { ...ask, recipe: { ...ask.recipe, examples } };
}

/** The character after `ask` was answered by `value`. */
export function remember(character: Character, ask: Ask, value?: unknown): Character {
  const of = (...kinds: Ask['kind'][]) => character.filter(({ kind }) => kinds.includes(kind));
  switch (ask.kind) {
    case 'load':
    case 'sample':
      return [ask];
    case 'skeleton':
    case 'template':
      return [...of('load', 'sample'), ask, ...of('examples')];
    case 'joints': {
      const earlier = of('joints').flatMap((joints) => (joints.kind === 'joints' ? [joints.positions] : []));
      const positions = Object.assign({}, ...earlier, ask.positions);
      return [
        ...of('load', 'sample', 'skeleton', 'template'),
        { kind: 'joints', positions },
        ...of('examples'),
      ];
    }
    case 'examples':
      return [...of('load', 'sample', 'skeleton', 'template', 'joints'), ask];
    case 'rig':
      return [...of('load', 'sample', 'skeleton', 'template', 'joints', 'examples'), asAnswered(ask, value)];
    // Whoever compares asks again.
    case 'compare':
    case 'end-comparison':
    case 'export':
    case 'poses':
    case 'fit':
    case 'folds':
    case 'memory':
      return character;
  }
}

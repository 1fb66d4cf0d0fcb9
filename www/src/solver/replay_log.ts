/** The replay log: the requests that made up a character, for a new worker. */
import type { RigAnswer } from '../wasm.ts';
import type { Ask, FitSkeletonAnswer } from './protocol.ts';

/**
 * A load, then a skeleton, joint positions, example poses, and a rig. All but the first are
 * optional.
 */
export type Character = readonly Ask[];

/** A request that gives the same weights again: a stopped fit ends after as many iterations. */
function asAnswered(ask: Extract<Ask, { kind: 'rig' }>, value: unknown): Ask {
  const learning = (value as RigAnswer | undefined)?.report.exampleFit;
  if (!learning || learning.isOver) return ask;
  const examples = { ...ask.recipe.examples, iterations: learning.iterations };
  return { ...ask, recipe: { ...ask.recipe, examples } };
}

/** The requests that bring a skeleton. */
const SKELETONS = ['skeleton', 'template', 'fitted-skeleton'] as const satisfies readonly Ask['kind'][];

/** The character after `ask` was answered by `value`. */
export function remember(character: Character, ask: Ask, value?: unknown): Character {
  const of = (...kinds: Ask['kind'][]) => character.filter(({ kind }) => kinds.includes(kind));
  switch (ask.kind) {
    case 'load':
      return [ask];
    case 'skeleton':
    case 'template':
    case 'fitted-skeleton':
      return [...of('load'), ask, ...of('examples')];
    case 'fit-skeleton': {
      // Binding it again is faster than fitting it again.
      const fitted = (value as FitSkeletonAnswer).fit;
      return remember(character, { kind: 'fitted-skeleton', fitted });
    }
    case 'joints': {
      const earlier = of('joints').flatMap((joints) => (joints.kind === 'joints' ? [joints.positions] : []));
      const positions = Object.assign({}, ...earlier, ask.positions);
      return [...of('load', ...SKELETONS), { kind: 'joints', positions }, ...of('examples')];
    }
    case 'examples':
      return [...of('load', ...SKELETONS, 'joints', 'clips'), ask];
    case 'rig':
      // The second view sends its request again.
      if (ask.view !== 0) return character;
      return [...of('load', ...SKELETONS, 'joints', 'examples', 'clips'), asAnswered(ask, value)];
    case 'clips':
      // They belong to the skeleton, and are exported with the weights.
      return [...character.filter(({ kind }) => kind !== 'clips'), ask];
    case 'motion-library':
    case 'library-clip':
    case 'retarget':
    case 'preview-skeleton':
    case 'clear-view':
    case 'export':
    case 'poses':
    case 'fit':
    case 'intersecting-vertices':
    case 'memory':
      return character;
  }
}

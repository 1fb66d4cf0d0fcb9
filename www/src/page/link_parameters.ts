/**
 * Parameters in a link, by their paths:
 * `atlas.k=0.8&atlas.k_joints.knee=1.2&volume.excluded=thigh.L`. Only values that differ from the
 * usual ones are written.
 */
import { findParameter, format, PARAMETERS, type Parameter, parse, type ReadValue } from '../parameters.ts';

/** A value that a link sets. */
export interface ReadParameter {
  readonly parameter: Parameter;
  readonly value: unknown;
}

/**
 * Keys and values of what differs from the usual. Names of joints mean nothing to another
 * character.
 */
export function parameterParts(
  parameters: readonly Parameter[],
  read: ReadValue,
  usual: ReadValue,
  namesJoints: boolean,
): [string, string][] {
  return parameters.flatMap((parameter): [string, string][] => {
    const { path, kind } = parameter;
    const value = read(path);
    switch (kind.type) {
      case 'number-by-joint': {
        const joints = namesJoints ? Object.entries(value as Record<string, unknown>) : [];
        return joints.map(([joint, each]) => [`${path}.${joint}`, format(parameter, each)]);
      }
      case 'joints':
        return (namesJoints ? (value as readonly string[]) : []).map((joint) => [path, joint]);
      default: {
        const text = format(parameter, value);
        return text === format(parameter, usual(path)) ? [] : [[path, text]];
      }
    }
  });
}

/** The value that one part of a link sets; null if the key or the value is not valid. */
export function readParameter(key: string, text: string, read: ReadValue): ReadParameter | null {
  const parameter = findParameter(key) ?? PARAMETERS.find((each) => isEntryOf(each, key));
  const parsed = parameter && parse(parameter, text);
  if (!parameter || parsed === undefined) return null;
  const before = read(parameter.path);
  switch (parameter.kind.type) {
    case 'number-by-joint': {
      const joint = key.slice(parameter.path.length + 1);
      return joint === '' ? null : { parameter, value: { ...(before as object), [joint]: parsed } };
    }
    case 'joints': {
      const others = (before as readonly unknown[]).filter((joint) => joint !== parsed);
      return { parameter, value: [...others, parsed] };
    }
    default:
      return { parameter, value: parsed };
  }
}

/** Whether a key is that of one joint, such as `atlas.k_joints.knee`. */
function isEntryOf({ path, kind }: Parameter, key: string): boolean {
  return kind.type === 'number-by-joint' && key.startsWith(`${path}.`);
}

/** Joint names without the prefix that most joints of a rig share, such as `mixamorig:`. */

/** A prefix is hidden if at least this share of the joints has it. Some rigs have extra nodes. */
const MIN_SHARE = 0.7;

/** Fewer joints than this show their names in full: there is room, and little is repeated. */
const MIN_JOINTS = 4;

/** A prefix ends with one of these. */
const SEPARATOR = /[:|/_.\-\s]/;

/** What is left must start with a letter: "joint_17" is a name, "17" is not. */
const NAME_START = /^\p{L}/u;

/** The longest prefix that most names share and that ends at a separator; empty for none. */
export function commonPrefix(names: readonly string[]): string {
  if (names.length < MIN_JOINTS) return '';
  const counts = new Map<string, number>();
  for (const name of names) {
    for (let end = 1; end < name.length; end++) {
      if (!SEPARATOR.test(name.charAt(end - 1)) || !NAME_START.test(name.slice(end))) continue;
      const prefix = name.slice(0, end);
      counts.set(prefix, (counts.get(prefix) ?? 0) + 1);
    }
  }
  const shared = [...counts].filter(([, count]) => count >= MIN_SHARE * names.length);
  return shared.reduce((longest, [prefix]) => (prefix.length > longest.length ? prefix : longest), '');
}

/** The name without the prefix. Names that do not have it stay as they are. */
export function shortName(name: string, prefix: string): string {
  return prefix && name.startsWith(prefix) ? name.slice(prefix.length) : name;
}

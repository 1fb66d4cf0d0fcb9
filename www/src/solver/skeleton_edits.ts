/** What a user changes in a fitted skeleton by hand. It stays when the skeleton is fitted again. */
import type { FittedBone, FittedSkeleton, PliantError } from '../wasm.ts';

type Point = readonly [number, number, number];

/** Joints on a line from a base to a tip: a tail, hair, a skirt. */
export interface JointChain {
  /** Labels and names of its joints are this and a number. */
  readonly label: string;
  /** The label of the joint that it hangs on. */
  readonly parent: string;
  readonly base: Point;
  readonly tip: Point;
  /** The number of joints, at least one. */
  readonly count: number;
}

export interface SkeletonEdits {
  readonly chains?: readonly JointChain[];
  /** Labels of joints that the skeleton shall not have. */
  readonly removed?: readonly string[];
  /** Names by label. */
  readonly names?: Readonly<Record<string, string>>;
  /** Ends of bones by label. */
  readonly tails?: Readonly<Record<string, Point>>;
}

/** The skeleton with all edits. Labels that it does not have are ignored. */
export function edited(fitted: FittedSkeleton, edits: SkeletonEdits): FittedSkeleton {
  let { bones } = fitted;
  for (const chain of edits.chains ?? []) bones = withChain(bones, chain);
  for (const label of edits.removed ?? []) bones = without(bones, label);
  const { names = {}, tails = {} } = edits;
  const taken = new Set<string>();
  bones = bones.map((bone) => {
    const tail = tails[bone.label];
    const name = freeName(names[bone.label] ?? bone.name, taken);
    return { ...bone, name, tail: tail ? [...tail] : bone.tail };
  });
  return { ...fitted, bones };
}

/**
 * The skeleton with joints at other points. The bones that end there follow.
 * Throws if a label is not that of a joint.
 */
export function withHeads(fitted: FittedSkeleton, heads: Readonly<Record<string, Point>>): FittedSkeleton {
  let { bones } = fitted;
  for (const [label, head] of Object.entries(heads)) {
    const moved = bones.find((bone) => bone.label === label);
    if (!moved) {
      const hint = 'Use the label of a joint of the fitted skeleton';
      const message = `There is no marker called “${label}”`;
      throw { code: 'unknown_marker', message, hint } satisfies PliantError;
    }
    bones = bones.map((bone) => {
      if (bone === moved) return { ...bone, head: [...head], confidence: 1 };
      const endsThere = bones[moved.parent] === bone && isSame(bone.tail, moved.head);
      return endsThere ? { ...bone, tail: [...head] } : bone;
    });
  }
  return { ...fitted, bones };
}

function withChain(bones: readonly FittedBone[], chain: JointChain): FittedBone[] {
  const found = bones.findIndex(({ label }) => label === chain.parent);
  // A chain without a parent hangs on the root.
  const first = Math.max(found, 0);
  const base = bones[first];
  if (!base) return [...bones];
  // A joint of a chain is no standard bone.
  const { human: _, ...frame } = base;
  const at = (index: number): [number, number, number] => {
    const share = index / chain.count;
    const along = (axis: 0 | 1 | 2): number =>
      chain.base[axis] + (chain.tip[axis] - chain.base[axis]) * share;
    return [along(0), along(1), along(2)];
  };
  const added = Array.from({ length: chain.count }, (_, index): FittedBone => {
    const label = `${chain.label}.${index + 1}`;
    const parent = index === 0 ? first : bones.length + index - 1;
    return { ...frame, label, name: label, parent, head: at(index), tail: at(index + 1), confidence: 1 };
  });
  return [...bones, ...added];
}

/** Without a joint. Its children hang on its parent. A root stays. */
function without(bones: readonly FittedBone[], label: string): FittedBone[] {
  const removed = bones.findIndex((bone) => bone.label === label);
  const gone = bones[removed];
  if (!gone || gone.parent < 0) return [...bones];
  return bones
    .map((bone, index) => {
      const parent = bone.parent === removed ? gone.parent : bone.parent;
      const endedThere = index === gone.parent && isSame(bone.tail, gone.head);
      const tail = endedThere ? gone.tail : bone.tail;
      return { ...bone, tail, parent: parent > removed ? parent - 1 : parent };
    })
    .filter((_, index) => index !== removed);
}

/** A name that no other joint has. */
function freeName(wanted: string, taken: Set<string>): string {
  let name = wanted;
  for (let count = 2; taken.has(name); count++) name = `${wanted} ${count}`;
  taken.add(name);
  return name;
}

function isSame(a: Point, b: Point): boolean {
  return a.every((x, axis) => x === b[axis]);
}

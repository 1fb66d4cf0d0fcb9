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
  /** Numbers of joints that bones are divided into, by label. The first keeps the label. */
  readonly splits?: Readonly<Record<string, number>>;
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
  for (const [label, count] of Object.entries(edits.splits ?? {})) bones = withSplit(bones, label, count);
  for (const chain of edits.chains ?? []) bones = withChain(bones, chain);
  for (const label of edits.removed ?? []) bones = without(bones, label);
  const { names = {}, tails = {} } = edits;
  const taken = new Set<string>();
  bones = bones.map((bone) => {
    const tail = tails[bone.label];
    const name = freeName(names[bone.label] ?? bone.name, taken);
    return tail ? aligned({ ...bone, name, tail: [...tail] }) : { ...bone, name };
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
      if (bone === moved) return aligned({ ...bone, head: [...head], confidence: 1 });
      const endsThere = bones[moved.parent] === bone && isSame(bone.tail, moved.head);
      return endsThere ? aligned({ ...bone, tail: [...head] }) : bone;
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
  const at = (index: number) => between(chain.base, chain.tip, index / chain.count);
  const added = Array.from({ length: chain.count }, (_, index): FittedBone => {
    const label = `${chain.label}.${index + 1}`;
    const parent = index === 0 ? first : bones.length + index - 1;
    const ends = { head: at(index), tail: at(index + 1) };
    return aligned({ ...frame, ...ends, label, name: label, parent, confidence: 1 });
  });
  return [...bones, ...added];
}

/** With more joints along a bone. What hangs on its end hangs on the last of them. */
function withSplit(bones: readonly FittedBone[], label: string, count: number): FittedBone[] {
  const index = bones.findIndex((bone) => bone.label === label);
  const whole = bones[index];
  if (!whole || !(count >= 2)) return [...bones];
  const { human: _, ...rest } = whole;
  const at = (part: number) => between(whole.head, whole.tail, part / count);
  const added = Array.from({ length: count - 1 }, (_, i): FittedBone => {
    const names = { label: numbered(label, i + 2), name: numbered(whole.name, i + 2) };
    return { ...rest, ...names, parent: index + i, head: at(i + 1), tail: at(i + 2) };
  });
  const moved = (parent: number): number => (parent > index ? parent + count - 1 : parent);
  const others = bones.map((bone) => {
    const hangsOnEnd = bone.parent === index && isSame(bone.head, whole.tail);
    return { ...bone, parent: hangsOnEnd ? index + count - 1 : moved(bone.parent) };
  });
  const first = { ...whole, tail: at(1) };
  return [...others.slice(0, index), first, ...added, ...others.slice(index + 1)];
}

/** `forearm_2.L` of `forearm.L`. */
function numbered(name: string, number: number): string {
  const [, stem = name, side = ''] = /^(.*?)([._][LRlr])?$/.exec(name) ?? [];
  return `${stem}_${number}${side}`;
}

/** With Y of its rest frame along the bone, turned as little as possible. */
function aligned(bone: FittedBone): FittedBone {
  const along = [0, 1, 2].map((axis) => (bone.tail[axis] ?? 0) - (bone.head[axis] ?? 0));
  const length = Math.hypot(...along);
  const [x, y, z, w] = bone.rotation;
  // Y of the frame.
  const from = [2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)] as const;
  if (!(length > 0)) return bone;
  const [tx = 0, ty = 0, tz = 0] = along.map((value) => value / length);
  const [fx, fy, fz] = from;
  const cosine = fx * tx + fy * ty + fz * tz;
  // The opposite direction: half a turn about X of the frame.
  if (cosine < -0.9999) return { ...bone, rotation: [w, z, -y, -x] };
  const [ax, ay, az] = [fy * tz - fz * ty, fz * tx - fx * tz, fx * ty - fy * tx];
  const scale = 1 / Math.hypot(ax, ay, az, 1 + cosine);
  const turn = [ax * scale, ay * scale, az * scale, (1 + cosine) * scale] as const;
  return { ...bone, rotation: product(turn, [x, y, z, w]) };
}

type Quaternion = readonly [number, number, number, number];

function product(
  [ax, ay, az, aw]: Quaternion,
  [bx, by, bz, bw]: Quaternion,
): [number, number, number, number] {
  return [
    aw * bx + ax * bw + ay * bz - az * by,
    aw * by - ax * bz + ay * bw + az * bx,
    aw * bz + ax * by - ay * bx + az * bw,
    aw * bw - ax * bx - ay * by - az * bz,
  ];
}

function between(a: Point, b: Point, share: number): [number, number, number] {
  const along = (axis: 0 | 1 | 2): number => a[axis] + (b[axis] - a[axis]) * share;
  return [along(0), along(1), along(2)];
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

/** Rows of the joint list and entries of the report card, from the model and the report. */
import type { ModelInfo, RigReport } from '../wasm.ts';
import { commonPrefix, shortName } from './joint_names.ts';

/** A row of the joint tree. */
export interface JointRow {
  readonly name: string;
  /** The name without the prefix that most joints share. */
  readonly label: string;
  /** The standard name of the bone, if the file has a humanoid map. */
  readonly humanBone: string | null;
  /** Whether a simulation or a constraint moves it in other programs. */
  readonly isSecondary: boolean;
  readonly depth: number;
  readonly parent: string | null;
  readonly hasChildren: boolean;
  /** Why it has no weights; null when it deforms the skin. */
  readonly because: string | null;
}

/** Joints in depth-first order, siblings as in the file. Handles have a list of their own. */
export function jointRows(model: ModelInfo | null, report: RigReport | null): readonly JointRow[] {
  // Which joints deform is decided by the run; before it, every joint may.
  const joints = (report?.joints ?? model?.joints ?? []).filter((joint) => !joint.isHandle);
  const names = new Set(joints.map((joint) => joint.name));
  const prefix = commonPrefix([...names]);
  const children = new Map<string | null, typeof joints>();
  for (const joint of joints) {
    const parent = joint.parent !== null && names.has(joint.parent) ? joint.parent : null;
    children.set(parent, [...(children.get(parent) ?? []), joint]);
  }
  const rows: JointRow[] = [];
  const visit = (parent: string | null, depth: number): void => {
    for (const joint of children.get(parent) ?? []) {
      const because = joint.deforms ? null : (joint.because ?? 'switched off');
      rows.push({
        name: joint.name,
        label: shortName(joint.name, prefix),
        humanBone: joint.humanBone ?? null,
        isSecondary: joint.isSecondary,
        depth,
        parent,
        hasChildren: children.has(joint.name),
        because: because && singular(because),
      });
      visit(joint.name, depth + 1);
    }
  };
  visit(null, 0);
  return rows;
}

/** The name of a joint without the prefix that most joints of the character share. */
export function jointLabel(model: ModelInfo | null, joint: string): string {
  return shortName(joint, commonPrefix(model?.joints.map(({ name }) => name) ?? []));
}

/** Reasons are worded for several joints at once; a row of the tree is about one. */
function singular(because: string): string {
  return because
    .replace('ends of chains', 'the end of a chain')
    .replace('leaf joints', 'a leaf joint')
    .replace('controls or props', 'a control or prop');
}

/** An entry of the report card. */
export interface Stat {
  readonly label: string;
  readonly value: string;
}

/** `seconds` is the time of a full run. */
export function stats(
  model: ModelInfo | null,
  report: RigReport | null,
  seconds: number | null = report?.seconds ?? null,
): readonly Stat[] {
  const number = (value: number | undefined): string =>
    value === undefined ? '–' : value.toLocaleString('en-US');
  return [
    { label: 'Vertices', value: number(model?.vertices) },
    { label: 'Triangles', value: number(model?.triangles) },
    { label: 'Joints', value: number(model?.joints.filter((joint) => !joint.isHandle).length) },
    { label: 'Bones', value: number(report?.bones) },
    ...looseParts(report),
    { label: 'Influences', value: report ? report.meanInfluences.toFixed(2) : '–' },
    { label: 'Rigged in', value: report && seconds !== null ? duration(seconds) : '–' },
  ];
}

/** How many loose parts follow the body, if there are any. */
function looseParts(report: RigReport | null): readonly Stat[] {
  const parts = report?.looseParts ?? [];
  const rigid = parts.filter(({ motion }) => motion === 'rigid').length;
  const soft = parts.length - rigid;
  const counts = [...(rigid ? [`${rigid} rigid`] : []), ...(soft ? [`${soft} soft`] : [])];
  return counts.length > 0 ? [{ label: 'Loose parts', value: counts.join(', ') }] : [];
}

export function duration(seconds: number): string {
  return seconds < 0.1 ? `${Math.round(seconds * 1000)} ms` : `${seconds.toFixed(seconds < 10 ? 2 : 1)} s`;
}

/** Capitalises the first letter, unless the text starts with the name of a file or a joint. */
export function sentence(text: string): string {
  return /^[\p{L}'’-]+[\s,:;]/u.test(text) ? text.charAt(0).toUpperCase() + text.slice(1) : text;
}

export function bytes(size: number): string {
  if (size < 1000) return `${size} B`;
  return size < 1e6 ? `${Math.round(size / 1000)} kB` : `${(size / 1e6).toFixed(1)} MB`;
}

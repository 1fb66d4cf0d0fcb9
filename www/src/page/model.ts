/** The character as the panels show it: read off what the element tells about it, here and nowhere else. */
import type { ModelInfo, RigReport } from '../wasm.ts';

/** A line of the joint tree. */
export interface JointRow {
  readonly name: string;
  readonly depth: number;
  readonly parent: string | null;
  readonly hasChildren: boolean;
  /** Why it gets no weights; null when it deforms the skin. */
  readonly because: string | null;
}

/** Joints parents first, each followed by all that hangs on it, in the file's order. */
export function jointRows(model: ModelInfo | null, report: RigReport | null): readonly JointRow[] {
  // Which joints deform is decided by the run; before it, every joint may.
  // Handles have a list of their own.
  const joints = (report?.joints ?? model?.joints ?? []).filter((joint) => !joint.isHandle);
  const names = new Set(joints.map((joint) => joint.name));
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
        depth,
        parent,
        hasChildren: children.has(joint.name),
        because: because && single(because),
      });
      visit(joint.name, depth + 1);
    }
  };
  visit(null, 0);
  return rows;
}

/** Reasons are worded for several joints at once; a line of the tree is about one. */
function single(because: string): string {
  return because
    .replace('ends of chains', 'the end of a chain')
    .replace('controls or props', 'a control or prop');
}

/** The figures of the report card. */
export interface Figure {
  readonly label: string;
  readonly value: string;
}

export function figures(model: ModelInfo | null, report: RigReport | null): readonly Figure[] {
  const number = (value: number | undefined): string =>
    value === undefined ? '–' : value.toLocaleString('en-US');
  return [
    { label: 'Vertices', value: number(model?.vertices) },
    { label: 'Triangles', value: number(model?.triangles) },
    { label: 'Joints', value: number(model?.joints.filter((joint) => !joint.isHandle).length) },
    { label: 'Bones', value: number(report?.bones) },
    { label: 'Influences', value: report ? report.meanInfluences.toFixed(2) : '–' },
    { label: 'Rigged in', value: report ? duration(report.seconds) : '–' },
  ];
}

export function duration(seconds: number): string {
  return seconds < 0.1 ? `${Math.round(seconds * 1000)} ms` : `${seconds.toFixed(seconds < 10 ? 2 : 1)} s`;
}

/** Starts a sentence with a capital, unless it starts with the name of a file or a joint. */
export function sentence(text: string): string {
  return /^[\p{L}'’-]+[\s,:;]/u.test(text) ? text.charAt(0).toUpperCase() + text.slice(1) : text;
}

export function bytes(size: number): string {
  if (size < 1000) return `${size} B`;
  return size < 1e6 ? `${Math.round(size / 1000)} kB` : `${(size / 1e6).toFixed(1)} MB`;
}

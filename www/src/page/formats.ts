/** File extensions for file dialogs and drops, from the table of formats in Rust. */
import { OPTIONS } from '../options.ts';
import type { FormatInfo } from '../wasm.ts';

const FORMATS: readonly FormatInfo[] = OPTIONS.formats;

/** Formats of meshes, the most likely first: a character is named after the first file of these. */
const MESHES = FORMATS.filter(({ hasMesh }) => hasMesh);

/** Formats of meshes and of skeletons that can contain a skeleton. */
const SKELETONS = FORMATS.filter(({ hasSkeleton }) => hasSkeleton);

/** Formats of files that contain other files. */
const ARCHIVES = FORMATS.filter(({ isArchive }) => isArchive);

export const EXTENSIONS = {
  /** What can be opened as a character. */
  meshes: extensions([...MESHES, ...ARCHIVES]),
  /** Formats that contain a skeleton and nothing else. */
  skeletonsOnly: extensions(SKELETONS.filter(({ hasMesh }) => !hasMesh)),
  /** What can be chosen as a skeleton for a mesh. */
  skeletons: extensions([...SKELETONS, ...ARCHIVES]),
  /** What can be chosen as poses for example fitting. */
  poses: withCompanions([...MESHES, ...ARCHIVES]),
  all: withCompanions(FORMATS),
} as const;

/** Names of formats, for the help. */
export const LABELS = {
  meshes: labels([...MESHES, ...ARCHIVES]),
  skeletons: labels([...SKELETONS, ...ARCHIVES]),
} as const;

/** The part from the last dot on, in lower case; empty without a dot. */
export function extensionOf(name: string): string {
  const dot = name.lastIndexOf('.');
  return dot < 0 ? '' : name.slice(dot).toLowerCase();
}

function labels(formats: readonly FormatInfo[]): string {
  return formats.map(({ label }) => label).join(', ');
}

function extensions(formats: readonly FormatInfo[]): readonly string[] {
  return formats.flatMap((format) => format.extensions);
}

/** With the buffers, materials and textures that files can refer to. */
function withCompanions(formats: readonly FormatInfo[]): readonly string[] {
  const companions = formats.flatMap((format) => format.companions);
  return [...new Set([...extensions(formats), ...companions])];
}

/**
 * When the page got how far, on its own clock: the browser's performance panel shows these, and so does
 * `performance.getEntriesByType('mark')`.
 */
export type Moment =
  /** The WebAssembly is compiled. */
  | 'compiled'
  /** There is something to draw with. */
  | 'solver-compiled'
  | 'drawing'
  /** A character is there, and shown. */
  | 'loaded'
  /** It has weights. */
  | 'rigged'
  /** It has been drawn in motion. */
  | 'moving';

const noted = new Set<Moment>();

/** Marks the first time on this page. */
export function note(moment: Moment): void {
  if (noted.has(moment)) return;
  noted.add(moment);
  performance.mark(`pliant:${moment}`);
}

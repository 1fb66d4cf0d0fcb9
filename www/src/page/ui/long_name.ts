/** Names too long for their place lose their middle: those of one rig, or of one series of files, differ at the end. */
import { type Child, h } from '../dom.ts';

/** As much of the end is always shown. Larger: less of the beginning. Smaller: names that look alike. */
const END = 7;

/** Shorter names are whole or nearly so. */
const LONG = END + 4;

export function isLong(name: string): boolean {
  return name.length > LONG;
}

/** What to put into an element of the class `long-name`. */
export function longName(name: string): readonly Child[] {
  if (!isLong(name)) return [h('span', { class: 'long-start' }, name)];
  // In two pieces for the eye, in one for the ear.
  return [
    h('span', { class: 'visually-hidden' }, name),
    h('span', { class: 'long-start', 'aria-hidden': 'true' }, name.slice(0, -END)),
    h('span', { 'aria-hidden': 'true' }, name.slice(-END)),
  ];
}

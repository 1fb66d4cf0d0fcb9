/** Long names are shortened in the middle: names of one rig or one series differ at the end. */
import { type Child, h } from '../dom.ts';

/** Letters at the end that always stay. Larger: less of the start. Smaller: names look alike. */
const END = 7;

/** Shorter names are not split. */
const LONG = END + 4;

export function isLong(name: string): boolean {
  return name.length > LONG;
}

/** The content of an element of the class `long-name`. */
export function longName(name: string): readonly Child[] {
  if (!isLong(name)) return [h('span', { class: 'long-start' }, name)];
  // Two pieces on screen, one for screen readers.
  return [
    h('span', { class: 'visually-hidden' }, name),
    h('span', { class: 'long-start', 'aria-hidden': 'true' }, name.slice(0, -END)),
    h('span', { 'aria-hidden': 'true' }, name.slice(-END)),
  ];
}

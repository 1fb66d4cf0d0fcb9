/** The link that brings this state back. */
import { type ReadLink, readLink, writeLink } from './link.ts';
import type { Studio } from './studio.ts';
import type { Notices } from './ui/notices.ts';

export async function copyLink(
  { viewer, source, defaults, halves, flesh }: Studio,
  notices: Notices,
): Promise<void> {
  const { recipe, deformer, show, divider } = viewer;
  const { member } = source;
  const state = { member, recipe, deformer, show, divider, compare: halves.compared, flesh: flesh.state };
  const hash = writeLink(state, defaults);
  const address = `${location.origin}${location.pathname}${location.search}${hash}`;
  history.replaceState(null, '', address);
  const detail = source.member
    ? 'Character, method and parameters'
    : 'Method and parameters; the file stays with you';
  try {
    await navigator.clipboard.writeText(address);
    notices.say('Link copied', { detail });
  } catch {
    notices.say('The link is in the address bar', {
      icon: 'info',
      detail: 'This browser did not let the page copy it',
    });
  }
}

/** Sets what the address asks for; says what it could not. */
export function restoreLink({ viewer, defaults, halves, flesh }: Studio, notices: Notices): ReadLink {
  const link = readLink(location.hash, defaults);
  viewer.deformer = link.deformer;
  viewer.show = link.show;
  viewer.recipe = link.recipe;
  viewer.divider = link.divider;
  flesh.state = link.flesh;
  halves.compared = link.compare;
  if (link.ignored.length) {
    const detail = `Ignored: ${link.ignored.join(', ')}`;
    notices.say('Part of the link was not understood', { icon: 'warning', detail });
  }
  return link;
}

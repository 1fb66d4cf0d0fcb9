/** The link that brings this state back. */
import { type ReadLink, readLink, writeLink } from './link.ts';
import type { Studio } from './studio.ts';
import type { Notices } from './ui/notices.ts';

export async function copyLink(
  { viewer, source, defaults, halves, postSkinning, examples }: Studio,
  notices: Notices,
): Promise<void> {
  const { recipe, deformer, show, divider } = viewer;
  const { member } = source;
  const learns = recipe.method === 'examples' && viewer.examples.length > 0;
  const frames = learns ? examples.frames : null;
  const state = {
    member,
    recipe,
    deformer,
    show,
    divider,
    compare: halves.compared,
    postSkinning: postSkinning.state,
    frames,
  };
  const hash = writeLink(state, defaults);
  const address = `${location.origin}${location.pathname}${location.search}${hash}`;
  history.replaceState(null, '', address);
  const keeps = [
    ...(source.member ? [] : ['the file']),
    ...(learns && !(frames && member) ? ['the examples'] : []),
  ];
  const carried = `${source.member ? 'Character, method' : 'Method'} and parameters`;
  const stay = keeps.length > 1 || learns ? 'stay' : 'stays';
  const detail = keeps.length ? `${carried}; ${keeps.join(' and ')} ${stay} with you` : carried;
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
export function restoreLink({ viewer, defaults, halves, postSkinning }: Studio, notices: Notices): ReadLink {
  const link = readLink(location.hash, defaults);
  viewer.deformer = link.deformer;
  viewer.show = link.show;
  // Frames are taken of the character as it moved when they were taken first.
  const { frames, recipe } = link;
  viewer.recipe = frames && recipe.method === 'examples' ? { ...recipe, method: frames.by } : recipe;
  viewer.divider = link.divider;
  postSkinning.state = link.postSkinning;
  halves.compared = link.compare;
  if (link.ignored.length) {
    const detail = `Ignored: ${link.ignored.join(', ')}`;
    notices.say('Part of the link was not understood', { icon: 'warning', detail });
  }
  return link;
}

/** Learns from what the link names, once the character is there. */
export async function resumeFitting(
  { viewer, examples }: Studio,
  { frames, recipe, show }: ReadLink,
): Promise<void> {
  if (!frames || recipe.method !== 'examples') return;
  await examples.restore(frames);
  viewer.recipe = recipe;
  if (show === 'fit') examples.setShow(show);
}

/** The link that restores this state. */
import { type ReadLink, readLink, writeLink } from './link.ts';
import type { Studio } from './studio.ts';
import type { Notices } from './ui/notices.ts';

export async function copyLink(
  { viewer, source, defaults, split, postSkinning, examples }: Studio,
  notices: Notices,
): Promise<void> {
  const { recipe, deformer, show, divider } = viewer;
  const { member } = source;
  const isFitted = recipe.method === 'examples' && viewer.examples.length > 0;
  const frames = isFitted ? examples.frames : null;
  const state = {
    member,
    recipe,
    deformer,
    show,
    divider,
    compare: split.current,
    postSkinning: postSkinning.settings,
    frames,
  };
  const hash = writeLink(state, defaults);
  const address = `${location.origin}${location.pathname}${location.search}${hash}`;
  history.replaceState(null, '', address);
  const notIncluded = [
    ...(source.member ? [] : ['the file']),
    ...(isFitted && !(frames && member) ? ['the examples'] : []),
  ];
  const carried = `${source.member ? 'Character, method' : 'Method'} and parameters`;
  const are = notIncluded.length > 1 || isFitted ? 'are' : 'is';
  const detail = notIncluded.length
    ? `${carried}; ${notIncluded.join(' and ')} ${are} not part of it`
    : carried;
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

/** Applies the link in the address, and reports the parts that were not understood. */
export function restoreLink({ viewer, defaults, split, postSkinning }: Studio, notices: Notices): ReadLink {
  const link = readLink(location.hash, defaults);
  viewer.deformer = link.deformer;
  viewer.show = link.show;
  // Frames are taken with the method that they were taken with first.
  const { frames, recipe } = link;
  viewer.recipe = frames && recipe.method === 'examples' ? { ...recipe, method: frames.by } : recipe;
  viewer.divider = link.divider;
  postSkinning.restore(link.postSkinning);
  split.restore(link.compare);
  if (link.ignored.length) {
    const detail = `Ignored: ${link.ignored.join(', ')}`;
    notices.say('Part of the link was not understood', { icon: 'warning', detail });
  }
  return link;
}

/** Fits the examples that the link names, after the character is loaded. */
export async function resumeFitting(
  { viewer, examples }: Studio,
  { frames, recipe, show }: ReadLink,
): Promise<void> {
  if (!frames || recipe.method !== 'examples') return;
  await examples.restore(frames);
  viewer.recipe = recipe;
  if (show === 'fit') examples.setShow(show);
}

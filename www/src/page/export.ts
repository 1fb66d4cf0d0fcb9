/** Exports the character as a file. */
import { icon } from './icons.ts';
import { bytes } from './model.ts';
import { isCorrecting } from './state.ts';
import type { Studio } from './studio.ts';
import type { Notices } from './ui/notices.ts';

/** How long the button shows the check mark. */
const DONE_MS = 2000;

/** Exports the character; the button shows the progress. */
export async function exportCharacter(
  studio: Studio,
  notices: Notices,
  opener: HTMLButtonElement,
): Promise<void> {
  if (opener.getAttribute('aria-disabled') === 'true') return;
  opener.setAttribute('aria-disabled', 'true');
  opener.classList.add('working');
  try {
    const compress = studio.state.now.compresses;
    const blob = await studio.viewer.exportGLB(bakes(studio) ? { bake: {}, compress } : { compress });
    const name = fileName(studio.source.name, studio.viewer.model?.vrm ? '.vrm' : '.glb');
    save(blob, name);
    notices.say(`Exported ${name}`, { detail: bytes(blob.size) });
    opener.querySelector('.icon')?.replaceWith(icon('check'));
    setTimeout(() => opener.querySelector('.icon')?.replaceWith(icon('download')), DONE_MS);
  } catch {
    // The element has reported it by its error event.
  } finally {
    opener.setAttribute('aria-disabled', 'false');
    opener.classList.remove('working');
  }
}

/** Whether there is a correction to bake into the export. */
function bakes({ state: { now } }: Studio): boolean {
  return now.bakes && isCorrecting(now);
}

/** "Fox" becomes "fox-rigged.glb". An avatar stays one for other programs only as ".vrm". */
export function fileName(model: string, extension: '.glb' | '.vrm' = '.glb'): string {
  const plain = model
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}._-]+/gu, '-')
    .replace(/^[-.]+|[-.]+$/g, '');
  const name = plain || 'character';
  return name.endsWith('-rigged') ? `${name}${extension}` : `${name}-rigged${extension}`;
}

function save(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The download keeps the data once it has begun.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

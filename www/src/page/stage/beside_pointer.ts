/** Where a small box beside the pointer goes. */

/** Distance of the box from the pointer, in CSS pixels. */
const GAP = 14;

/** Moves a box right of the pointer, below or above it, inside the picture. */
export function placeBeside(
  box: HTMLElement,
  viewer: HTMLElement,
  { x, y }: { readonly x: number; readonly y: number },
  side: 'below' | 'above' = 'below',
): void {
  const isRight = x + GAP + box.offsetWidth > viewer.clientWidth;
  const hasRoom = {
    below: y + GAP + box.offsetHeight <= viewer.clientHeight,
    above: y >= GAP + box.offsetHeight,
  };
  const isLow = side === 'above' ? hasRoom.above : !hasRoom.below;
  box.style.left = `${isRight ? x - GAP - box.offsetWidth : x + GAP}px`;
  box.style.top = `${viewer.offsetTop + (isLow ? y - GAP - box.offsetHeight : y + GAP)}px`;
}

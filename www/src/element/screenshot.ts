import type { Viewer } from '../wasm.ts';

/** The current picture as an image file of `width` × `height` pixels. */
export async function screenshot(viewer: Viewer, width: number, height: number, type: string): Promise<Blob> {
  const pixels = viewer.toPixels(width, height);
  const canvas = new OffscreenCanvas(width, height);
  const image = new ImageData(pixels as Uint8ClampedArray<ArrayBuffer>, width, height);
  canvas.getContext('2d')?.putImageData(image, 0, 0);
  return canvas.convertToBlob({ type });
}

import type { Viewer } from '../wasm.ts';

/** The picture as it is drawn now, as a file. */
export async function pictureOf(viewer: Viewer, width: number, height: number, type: string): Promise<Blob> {
  const pixels = viewer.toPixels(width, height);
  const canvas = new OffscreenCanvas(width, height);
  const image = new ImageData(pixels as Uint8ClampedArray<ArrayBuffer>, width, height);
  canvas.getContext('2d')?.putImageData(image, 0, 0);
  return canvas.convertToBlob({ type });
}

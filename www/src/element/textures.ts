import type { AssetPacket, Viewer } from '../wasm.ts';

/**
 * Largest width or height of a texture, in pixels. Larger ones need four times the memory and look
 * the same on a character that fills a screen; smaller ones are blurred.
 */
const MAX_SIZE = 2048;

/**
 * Decodes the images of a character one by one, and passes them to the viewer while it shows it.
 */
export async function decodeTextures(
  asset: AssetPacket,
  viewer: () => Viewer | undefined,
  onReady: () => void,
): Promise<void> {
  for (const [index, bytes] of asset.textures.entries()) {
    const pixels = await decode(bytes, asset.mimes[index] ?? '').catch(() => undefined);
    const shown = viewer();
    if (!shown) return;
    // A material whose image cannot be decoded keeps its plain colour.
    if (pixels && shown.setTexture(index, pixels.width, pixels.height, new Uint8Array(pixels.data.buffer)))
      onReady();
  }
}

async function decode(bytes: Uint8Array, type: string): Promise<ImageData> {
  const blob = new Blob([bytes as Uint8Array<ArrayBuffer>], { type });
  // The shader expects values as stored, without colour profile or premultiplied alpha.
  const options: ImageBitmapOptions = { colorSpaceConversion: 'none', premultiplyAlpha: 'none' };
  let image = await createImageBitmap(blob, options);
  const scale = MAX_SIZE / Math.max(image.width, image.height);
  if (scale < 1) {
    const resizeWidth = Math.max(1, Math.round(image.width * scale));
    const resizeHeight = Math.max(1, Math.round(image.height * scale));
    image.close();
    image = await createImageBitmap(blob, { ...options, resizeWidth, resizeHeight, resizeQuality: 'high' });
  }
  try {
    const canvas = new OffscreenCanvas(image.width, image.height);
    const context = canvas.getContext('2d', { willReadFrequently: true });
    if (!context) throw new Error('no 2D canvas');
    context.drawImage(image, 0, 0);
    return context.getImageData(0, 0, image.width, image.height);
  } finally {
    image.close();
  }
}

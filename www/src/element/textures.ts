import { Transcoder } from '../transcoder/transcoder.ts';
import type { AssetPacket, ImageInfo, Viewer, Warning } from '../wasm.ts';
import { PixelReader } from './pixel_reader.ts';

/**
 * Largest width or height of a texture, in pixels. Larger ones need four times the memory and look
 * the same on a character that fills a screen; smaller ones are blurred.
 */
const MAX_SIZE = 2048;

export interface TexturesHost {
  /** Undefined when another character is on screen. */
  viewer(): Viewer | undefined;
  /** The viewer has another image. */
  decoded(): void;
  /** An image cannot be decoded. Its fallback is shown, or the plain colour of materials. */
  failed(warning: Warning): void;
}

/**
 * Decodes the images of a character one by one, and passes them to the viewer while it shows it.
 */
export async function decodeTextures(asset: AssetPacket, host: TexturesHost): Promise<void> {
  const decoder = new Decoder();
  try {
    for (const [index, { isUsed }] of asset.images.entries()) {
      if (!isUsed) continue;
      for (const [at, next] of candidates(asset.images, index)) {
        const { place, mime } = asset.images[at] as ImageInfo;
        const bytes = asset.textures[at] ?? new Uint8Array();
        const pixels = await decoder.decode(bytes, mime).catch((thrown: Error) => thrown);
        const viewer = host.viewer();
        if (!viewer) return;
        if (pixels instanceof Error) {
          const instead = next === undefined ? 'the plain colour' : asset.images[next]?.place;
          host.failed(warningOf(place, mime, pixels, `${instead} is shown`));
          continue;
        }
        if (viewer.setTexture(index, pixels.width, pixels.height, new Uint8Array(pixels.data.buffer)))
          host.decoded();
        break;
      }
    }
  } finally {
    decoder.close();
  }
}

/** An image and its fallbacks, each with the one that follows. Files may list them in a circle. */
function candidates(images: readonly ImageInfo[], first: number): [number, number | undefined][] {
  const order = new Set<number>();
  let at: number | null = first;
  while (at !== null && !order.has(at)) {
    order.add(at);
    at = images[at]?.fallback ?? null;
  }
  return [...order].map((at, i, all) => [at, all[i + 1]]);
}

function warningOf(place: string, mime: string, { message }: Error, instead: string): Warning {
  const what = `the image (${mime}) cannot be decoded: ${message}; ${instead}`;
  return { code: 'image', message: `${place}: ${what}` };
}

/** Decodes images to RGBA of at most `MAX_SIZE`. What it needs for that is made when needed. */
class Decoder {
  readonly #transcoder = new Transcoder();
  readonly #reader = new PixelReader();

  async decode(bytes: Uint8Array, type: string): Promise<ImageData> {
    if (type !== 'image/ktx2') {
      return this.#pixels(new Blob([bytes as Uint8Array<ArrayBuffer>], { type }));
    }
    const pixels = await this.#transcoder.transcode(bytes, MAX_SIZE);
    return Math.max(pixels.width, pixels.height) > MAX_SIZE ? this.#pixels(pixels) : pixels;
  }

  close(): void {
    this.#transcoder.close();
    this.#reader.close();
  }

  async #pixels(source: Blob | ImageData): Promise<ImageData> {
    // The shader expects values as stored, without colour profile or premultiplied alpha.
    const options: ImageBitmapOptions = { colorSpaceConversion: 'none', premultiplyAlpha: 'none' };
    let image = await createImageBitmap(source, options);
    const scale = MAX_SIZE / Math.max(image.width, image.height);
    if (scale < 1) {
      const resizeWidth = Math.max(1, Math.round(image.width * scale));
      const resizeHeight = Math.max(1, Math.round(image.height * scale));
      image.close();
      image = await createImageBitmap(source, {
        ...options,
        resizeWidth,
        resizeHeight,
        resizeQuality: 'high',
      });
    }
    try {
      return this.#reader.read(image);
    } finally {
      image.close();
    }
  }
}

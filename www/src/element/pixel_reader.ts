/**
 * Reads the pixels of images as stored. A 2D canvas multiplies colours by alpha and so loses those
 * of transparent pixels, which materials without alpha show. WebGL keeps them, but is slow to
 * start, so it is used only for images with alpha.
 */
export class PixelReader {
  /** Null without WebGL2. One for all images: browsers limit the number of contexts on a page. */
  #gl: WebGL2RenderingContext | null | undefined;

  read(image: ImageBitmap): ImageData {
    const pixels = canvasPixels(image);
    if (isOpaque(pixels)) return pixels;
    this.#gl ??= new OffscreenCanvas(1, 1).getContext('webgl2');
    return (this.#gl && webglPixels(this.#gl, image)) ?? pixels;
  }

  /** Releases the context. The next image with alpha makes another one. */
  close(): void {
    this.#gl?.getExtension('WEBGL_lose_context')?.loseContext();
    this.#gl = undefined;
  }
}

function canvasPixels(image: ImageBitmap): ImageData {
  const canvas = new OffscreenCanvas(image.width, image.height);
  const context = canvas.getContext('2d', { willReadFrequently: true });
  if (!context) throw new Error('no 2D canvas');
  context.drawImage(image, 0, 0);
  return context.getImageData(0, 0, image.width, image.height);
}

function isOpaque({ data }: ImageData): boolean {
  for (let alpha = 3; alpha < data.length; alpha += 4) if (data[alpha] !== 255) return false;
  return true;
}

/** Undefined after an error, for example of a lost context. */
function webglPixels(gl: WebGL2RenderingContext, image: ImageBitmap): ImageData | undefined {
  const { width, height } = image;
  const [texture, framebuffer] = [gl.createTexture(), gl.createFramebuffer()];
  gl.bindTexture(gl.TEXTURE_2D, texture);
  gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, gl.RGBA, gl.UNSIGNED_BYTE, image);
  gl.bindFramebuffer(gl.FRAMEBUFFER, framebuffer);
  gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, texture, 0);
  const pixels = new ImageData(width, height);
  gl.readPixels(0, 0, width, height, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(pixels.data.buffer));
  gl.deleteFramebuffer(framebuffer);
  gl.deleteTexture(texture);
  return gl.getError() === gl.NO_ERROR ? pixels : undefined;
}

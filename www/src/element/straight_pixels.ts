/**
 * The pixels of an image as stored. A 2D canvas multiplies colours by alpha and so loses those of
 * transparent pixels, which materials without alpha show. WebGL keeps them, but is slow to start.
 */
export function straightPixels(image: ImageBitmap): ImageData {
  const pixels = canvasPixels(image);
  return isOpaque(pixels) ? pixels : (webglPixels(image) ?? pixels);
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

/** None without WebGL2. */
function webglPixels(image: ImageBitmap): ImageData | undefined {
  const gl = new OffscreenCanvas(1, 1).getContext('webgl2');
  if (!gl) return undefined;
  const pixels = new ImageData(image.width, image.height);
  gl.bindTexture(gl.TEXTURE_2D, gl.createTexture());
  gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, gl.RGBA, gl.UNSIGNED_BYTE, image);
  gl.bindFramebuffer(gl.FRAMEBUFFER, gl.createFramebuffer());
  gl.framebufferTexture2D(
    gl.FRAMEBUFFER,
    gl.COLOR_ATTACHMENT0,
    gl.TEXTURE_2D,
    gl.getParameter(gl.TEXTURE_BINDING_2D),
    0,
  );
  gl.readPixels(
    0,
    0,
    image.width,
    image.height,
    gl.RGBA,
    gl.UNSIGNED_BYTE,
    new Uint8Array(pixels.data.buffer),
  );
  const isRead = gl.getError() === gl.NO_ERROR;
  // Browsers limit the number of contexts on a page.
  gl.getExtension('WEBGL_lose_context')?.loseContext();
  return isRead ? pixels : undefined;
}

/** Figures about screenshots: blank, black, colourful, different. */
import { require } from './support.mjs';

const { PNG } = require('pngjs');

/** Channels this far apart (of 255) are different; less is noise of the sampling. */
const NOISE = 12;

/** The element's picture, or any other's. */
export async function pictureOf(page, selector = 'pliant-viewer') {
  const shot = await page.locator(selector).first().screenshot();
  return new Picture(PNG.sync.read(shot));
}

/** The picture as the element hands it out, without what lies over it on the page. */
export async function drawingOf(page) {
  const text = await page.evaluate(async () => {
    const blob = await document.querySelector('pliant-viewer').toBlob();
    const bytes = new Uint8Array(await blob.arrayBuffer());
    return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
  });
  return new Picture(PNG.sync.read(Buffer.from(text, 'base64')));
}

class Picture {
  constructor({ width, height, data }) {
    Object.assign(this, { width, height, data });
  }

  /** How many different colours there are. */
  get colours() {
    const seen = new Set();
    for (let i = 0; i < this.data.length; i += 4) seen.add(this.data.readUInt32BE(i));
    return seen.size;
  }

  /** From 0, black, to 1, white. */
  get brightness() {
    let sum = 0;
    for (let i = 0; i < this.data.length; i += 4) sum += this.data[i] + this.data[i + 1] + this.data[i + 2];
    return sum / (this.data.length * 0.75 * 255);
  }

  /** Only the columns of pixels from one share of the width to another. */
  columns(from, to) {
    const [first, last] = [Math.round(from * this.width), Math.round(to * this.width)];
    const rows = Array.from({ length: this.height }, (_, y) =>
      this.data.subarray((y * this.width + first) * 4, (y * this.width + last) * 4),
    );
    return new Picture({ width: last - first, height: this.height, data: Buffer.concat(rows) });
  }

  /** The share of pixels that differ. */
  difference(other) {
    if (this.width !== other.width || this.height !== other.height) return 1;
    let different = 0;
    for (let i = 0; i < this.data.length; i += 4) {
      if (this.differsAt(other, i)) different++;
    }
    return different / (this.data.length / 4);
  }

  /** Whether the pixel at a place of the data is another one. */
  differsAt(other, i) {
    return [0, 1, 2].some((c) => Math.abs(this.data[i + c] - other.data[i + c]) > NOISE);
  }
}

/** How colourful a picture is: the mean of what its channels are apart. */
export function colours({ data }) {
  let sum = 0;
  for (let i = 0; i < data.length; i += 4) sum += apart(data, i);
  return sum / (data.length / 4);
}

/** The share of pixels with a strong colour, which background and plain surfaces do not have. */
export function vivid({ data }) {
  let count = 0;
  for (let i = 0; i < data.length; i += 4) count += apart(data, i) > 64 ? 1 : 0;
  return count / (data.length / 4);
}

/** How many times as colourful one picture is as another, where they differ. */
export function moreColourful(picture, than) {
  let [sum, other] = [0, 0];
  for (let i = 0; i < picture.data.length; i += 4) {
    if (!picture.differsAt(than, i)) continue;
    sum += apart(picture.data, i);
    other += apart(than.data, i);
  }
  return sum / Math.max(other, 1);
}

function apart(data, i) {
  const channels = [data[i], data[i + 1], data[i + 2]];
  return Math.max(...channels) - Math.min(...channels);
}

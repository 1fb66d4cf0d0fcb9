/**
 * A pose as a small picture, rasterised on the CPU, so that a hundred of them do not delay the
 * frames of the character. Cost: linear in triangles and covered pixels.
 */

/** The camera's direction when a character is first shown, in radians. */
const YAW = 0.42;
const PITCH = 0.12;

/** The share of the picture's width or height that the pose fills. Larger: it touches the edge. */
const FILLED = 0.88;

/** Direction to the light in camera space: upper left. */
const LIGHT = unit([-0.45, 0.65, 0.62]);

const CLAY = [206, 192, 176] as const;

/** Brightness of a surface that faces away from the light, 0 to 1. */
const AMBIENT = 0.42;

type Vector = readonly [number, number, number];

/**
 * `size` × `size` pixels, transparent around the pose. `positions` has three numbers per vertex,
 * `triangles` three indices per triangle.
 */
export function thumbnailOf(positions: Float32Array, triangles: Uint32Array, size: number): ImageData {
  const seen = projected(positions, size);
  const image = new ImageData(size, size);
  const depths = new Float32Array(size * size).fill(Number.NEGATIVE_INFINITY);
  for (let i = 0; i + 2 < triangles.length; i += 3) {
    const [a, b, c] = [triangles[i] ?? 0, triangles[i + 1] ?? 0, triangles[i + 2] ?? 0];
    fill(image, depths, corner(seen, a), corner(seen, b), corner(seen, c));
  }
  return image;
}

/** Pixel coordinates and depth of every vertex, three numbers each; a larger depth is nearer. */
function projected(positions: Float32Array, size: number): Float32Array {
  const backward: Vector = [
    Math.cos(PITCH) * Math.sin(YAW),
    Math.sin(PITCH),
    Math.cos(PITCH) * Math.cos(YAW),
  ];
  const right: Vector = [Math.cos(YAW), 0, -Math.sin(YAW)];
  const up = cross(backward, right);
  const seen = new Float32Array(positions.length);
  const low = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  const high = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let i = 0; i < positions.length; i += 3) {
    const at = corner(positions, i / 3);
    const [x, y] = [dot(at, right), -dot(at, up)];
    seen.set([x, y, dot(at, backward)], i);
    low[0] = Math.min(low[0] ?? x, x);
    low[1] = Math.min(low[1] ?? y, y);
    high[0] = Math.max(high[0] ?? x, x);
    high[1] = Math.max(high[1] ?? y, y);
  }
  const [left = 0, top = 0] = low;
  const [rightmost = 0, bottom = 0] = high;
  const scale = (FILLED * size) / Math.max(rightmost - left, bottom - top, Number.MIN_VALUE);
  for (let i = 0; i < seen.length; i += 3) {
    seen[i] = size / 2 + ((seen[i] ?? 0) - (left + rightmost) / 2) * scale;
    seen[i + 1] = size / 2 + ((seen[i + 1] ?? 0) - (top + bottom) / 2) * scale;
    seen[i + 2] = (seen[i + 2] ?? 0) * scale;
  }
  return seen;
}

function fill(
  { data, width, height }: ImageData,
  depths: Float32Array,
  a: Vector,
  b: Vector,
  c: Vector,
): void {
  const area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
  if (area === 0 || !Number.isFinite(area)) return;
  const shade = brightness(a, b, c);
  const [left, right] = [Math.min(a[0], b[0], c[0]), Math.max(a[0], b[0], c[0])];
  const [top, bottom] = [Math.min(a[1], b[1], c[1]), Math.max(a[1], b[1], c[1])];
  for (let y = Math.max(0, Math.floor(top)); y <= Math.min(height - 1, Math.ceil(bottom)); y++) {
    for (let x = Math.max(0, Math.floor(left)); x <= Math.min(width - 1, Math.ceil(right)); x++) {
      const [px, py] = [x + 0.5, y + 0.5];
      const ofB = ((px - a[0]) * (c[1] - a[1]) - (py - a[1]) * (c[0] - a[0])) / area;
      const ofC = ((b[0] - a[0]) * (py - a[1]) - (b[1] - a[1]) * (px - a[0])) / area;
      const ofA = 1 - ofB - ofC;
      if (ofA < 0 || ofB < 0 || ofC < 0) continue;
      const depth = ofA * a[2] + ofB * b[2] + ofC * c[2];
      const at = y * width + x;
      if (depth <= (depths[at] ?? 0)) continue;
      depths[at] = depth;
      data.set([CLAY[0] * shade, CLAY[1] * shade, CLAY[2] * shade, 255], 4 * at);
    }
  }
}

/** Both sides are lit, because surfaces may be open. */
function brightness(a: Vector, b: Vector, c: Vector): number {
  const normal = unit(cross(minus(b, a), minus(c, a)));
  // The y axis of pixel coordinates points down.
  const facing = normal[2] < 0 ? -1 : 1;
  const lit = facing * (normal[0] * LIGHT[0] - normal[1] * LIGHT[1] + normal[2] * LIGHT[2]);
  return AMBIENT + (1 - AMBIENT) * Math.max(0, lit);
}

function corner(numbers: Float32Array, vertex: number): Vector {
  return [numbers[3 * vertex] ?? 0, numbers[3 * vertex + 1] ?? 0, numbers[3 * vertex + 2] ?? 0];
}

function minus(a: Vector, b: Vector): Vector {
  return [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
}

function dot(a: Vector, b: Vector): number {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

function cross(a: Vector, b: Vector): Vector {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}

function unit(v: Vector): Vector {
  const length = Math.hypot(...v) || 1;
  return [v[0] / length, v[1] / length, v[2] / length];
}

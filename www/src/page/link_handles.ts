/** Point handles in a link: `handle=nose@0,1.62,0.11`. Regions are too long for a link. */
import type { PlacedHandle } from '../wasm.ts';

export function handleParts(handles: readonly PlacedHandle[]): [string, string][] {
  const points = handles.filter(({ vertices }) => vertices.length === 0);
  return points.map(({ name, at }) => [
    'handle',
    `${name}@${at.map((x) => Number(x.toPrecision(6))).join(',')}`,
  ]);
}

/** The handles with the one that `value` describes; null for text that is not valid. */
export function readHandle(handles: readonly PlacedHandle[], value: string): PlacedHandle[] | null {
  const split = value.lastIndexOf('@');
  const name = value.slice(0, split);
  const at = value
    .slice(split + 1)
    .split(',')
    .map((text) => (text.trim() === '' ? Number.NaN : Number(text)));
  const [x = 0, y = 0, z = 0] = at;
  const isPoint = split > 0 && name.trim() !== '' && at.length === 3 && at.every(Number.isFinite);
  if (!isPoint) return null;
  return [...handles.filter((handle) => handle.name !== name), { name, at: [x, y, z], vertices: [] }];
}

/** Handles in a link: `handle=nose@0,1.62,0.11`. Regions are too long for one. */
import type { PlacedHandle } from '../wasm.ts';

export function handleParts(handles: readonly PlacedHandle[]): [string, string][] {
  const points = handles.filter(({ vertices }) => vertices.length === 0);
  return points.map(({ name, at }) => [
    'handle',
    `${name}@${at.map((x) => Number(x.toPrecision(6))).join(',')}`,
  ]);
}

/** With what one part says; null for what makes no sense. */
export function readHandle(
  handles: readonly PlacedHandle[],
  key: string,
  value: string,
): PlacedHandle[] | null {
  const split = value.lastIndexOf('@');
  const name = value.slice(0, split);
  const at = value
    .slice(split + 1)
    .split(',')
    .map((text) => (text.trim() === '' ? Number.NaN : Number(text)));
  const [x = 0, y = 0, z = 0] = at;
  const isPoint = split > 0 && name.trim() !== '' && at.length === 3 && at.every(Number.isFinite);
  if (key !== 'handle' || !isPoint) return null;
  return [...handles.filter((handle) => handle.name !== name), { name, at: [x, y, z], vertices: [] }];
}

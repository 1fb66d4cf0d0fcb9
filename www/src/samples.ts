/** Addresses of the sample characters' files, which `cargo xtask build` generates. */
import type { SampleCharacter } from './wasm.ts';

const URLS = import.meta.glob<string>('../pkg/samples/*.glb', {
  query: '?url',
  import: 'default',
  eager: true,
});

/** The address of a sample character's GLB. */
export function sampleUrl(member: SampleCharacter): URL {
  const url = URLS[`../pkg/samples/${member}.glb`];
  if (url === undefined) throw new Error(`this build has no sample character ${member}`);
  return new URL(url, import.meta.url);
}

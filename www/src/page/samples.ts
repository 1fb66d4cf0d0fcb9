/** A sample character as a source to open. */
import type { ModelSource } from '../element/api.ts';
import type { SampleCharacter } from '../wasm.ts';

export function sampleSource(member: SampleCharacter): ModelSource {
  return { kind: 'sample', member };
}

/** The source of a sample character. */
import mannequin from '../../pkg/mannequin.mesh?url';
import type { ModelSource } from '../element/api.ts';
import type { SampleCharacter } from '../wasm.ts';
import { MANNEQUIN_VERTICES } from './mannequin.ts';

export function sampleSource(member: SampleCharacter): ModelSource {
  if (member !== 'mannequin') return { kind: 'sample', member };
  return { kind: 'sample', member, vertices: MANNEQUIN_VERTICES, made: mannequin };
}

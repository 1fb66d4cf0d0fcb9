/** A member of the cast as the page shows it. */
import mannequin from '../../pkg/mannequin.mesh?url';
import type { ModelSource } from '../element/api.ts';
import type { CastMember } from '../wasm.ts';
import { MANNEQUIN_VERTICES } from './mannequin.ts';

export function castSource(member: CastMember): ModelSource {
  if (member !== 'mannequin') return { kind: 'cast', member };
  return { kind: 'cast', member, vertices: MANNEQUIN_VERTICES, made: mannequin };
}

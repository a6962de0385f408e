import { Fault } from '../../core/fault.ts';
import type { OperatorNote } from '../../guard/operator-calls.ts';

/** Who acts: by the token's name, with the name given beside it. Where there is no token the name has to be given. */
export function noteOf(caller: string | null, { by, why }: { by?: string; why: string }): OperatorNote {
  if (caller === null) {
    if (by === undefined) throw new Fault('INPUT_INVALID', 'by is required where no tokens are configured');
    return { by, why };
  }
  return { by: by === undefined || by === caller ? caller : `${by} (token ${caller})`.slice(0, 500), why };
}

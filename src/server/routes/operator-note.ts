import { Fault } from '../../core/fault.ts';
import type { OperatorNote } from '../../operators/operator-note.ts';

/** As much as a log line shows of a text: the token's name stands at the end, and must not be cut off there either. */
const mostNameChars = 200;

/** What the body of an act says of it. */
export interface GivenNote {
  /** Absent where the token says who acts. */
  readonly by?: string | undefined;
  readonly why: string;
}

/** Who acts: by the token's name, with the name given beside it. Where there is no token the name has to be given. */
export function noteOf(caller: string | null, { by, why }: GivenNote): OperatorNote {
  if (caller === null) {
    if (by === undefined) throw new Fault('INPUT_INVALID', 'by is required where no tokens are configured');
    return { by, why };
  }
  return { by: by === undefined || by === caller ? caller : nameBeside(by, ` (token ${caller})`), why };
}

/** The given name is cut where both are too long, and between characters. */
function nameBeside(name: string, token: string): string {
  const cut = name.slice(0, Math.max(0, mostNameChars - token.length));
  return `${cut.replace(/[\ud800-\udbff]$/, '')}${token}`;
}

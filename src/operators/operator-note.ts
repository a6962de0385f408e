import { Fault, shapeOf } from '../core/fault.ts';

/** Who acts, and why; both go into the audit trail. */
export interface OperatorNote {
  readonly by: string;
  readonly why: string;
}

/** Who acts and why are told in no more characters than these, each. */
export const mostNoteChars = 500;

/** @throws Fault `INPUT_INVALID` when nobody says who or why. */
export function checkedNote(note: OperatorNote): OperatorNote {
  if (typeof note !== 'object' || note === null) {
    throw new Fault('INPUT_INVALID', `note must be an object with by and why, got ${shapeOf(note)}`);
  }
  const { by, why } = note;
  return { by: checkedText('by', by), why: checkedText('why', why) };
}

/** @throws Fault `INPUT_INVALID` unless it is a text that says something, and not too much. */
export function checkedText(name: string, value: unknown): string {
  if (typeof value === 'string' && value.trim() !== '' && value.length <= mostNoteChars) return value;
  throw new Fault(
    'INPUT_INVALID',
    `${name} must be a string of 1 to ${mostNoteChars} characters, got ${shapeOf(value)}`,
  );
}

/**
 * Every fault Portcullis raises, in one catalogue. A denial is never a fault: it is a decision.
 * `docs/reference/errors.md` lists the same codes; a test keeps the two equal.
 */
export const faultCatalogue = {
  INPUT_INVALID:
    'A request, event or argument has a field that is unknown, missing, of the wrong type or out of range.',
  CONFIG_INVALID: 'A policy or configuration has a field that is unknown, of the wrong type or out of range.',
  OPERATION_UNKNOWN: 'The policy bound to this action does not have this operation.',
  STORE_FAILED: 'The store answered with an error or cannot be reached.',
  STORE_TIMEOUT: 'The store did not answer within the deadline of the operation.',
  STORE_CONFLICT: 'A step met more conflicting writers than it may retry against.',
  STORE_FULL: 'The store has reached its bound and holds nothing it may drop.',
  STORE_CLOSED: 'The store was used after it was closed.',
  RECORD_CORRUPT: 'A stored record cannot be read as what its key says it is.',
  TARGET_UNKNOWN: 'A service call names a target that is not configured.',
  TARGET_UNREACHABLE: 'A service call could not connect, or its connection broke before an answer came.',
  TARGET_TIMEOUT: 'A service call got no answer within its time.',
  CLIENT_CLOSED: 'The service client was used after it was closed.',
  INVARIANT_BROKEN: 'A bug in Portcullis: a state that the contract rules out was met.',
} as const;

/** A code of {@link faultCatalogue}. */
export type FaultCode = keyof typeof faultCatalogue;

/** The one error class. `code` says what kind of fault it is, `cause` carries what led to it. */
export class Fault extends Error {
  override readonly name = 'Fault';
  readonly code: FaultCode;

  constructor(code: FaultCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}

/** Stops on a state that the contract rules out. */
export function invariant(holds: boolean, what: string): asserts holds {
  if (!holds) throw new Fault('INVARIANT_BROKEN', what);
}

/** A value's shape for an error message: its type and size, never its content, which may be an identifier. */
export function shapeOf(value: unknown): string {
  if (value === null) return 'null';
  if (typeof value === 'string')
    return value === '' ? 'an empty string' : `a string of ${value.length} characters`;
  if (Array.isArray(value)) return `an array of ${value.length}`;
  if (typeof value === 'number') return shapeOfNumber(value);
  if (typeof value === 'boolean') return `the boolean ${value}`;
  return value === undefined ? 'nothing' : `${/^[aeiou]/.test(typeof value) ? 'an' : 'a'} ${typeof value}`;
}

/** Accounts and phone numbers are often numbers. */
function shapeOfNumber(value: number): string {
  if (!Number.isFinite(value)) return `the number ${value}`;
  const negative = value < 0 ? 'negative ' : '';
  if (!Number.isInteger(value)) return `a ${negative}number with a fraction`;
  const digits = BigInt(Math.abs(value)).toString().length;
  return `${negative ? 'a negative' : 'an'} integer of ${digits} ${digits === 1 ? 'digit' : 'digits'}`;
}

/**
 * The same where an amount was due (a limit, a time, a level): a number is shown as it is, for it is nobody's name and
 * whoever gave it looks for it.
 */
export function amountOf(value: unknown): string {
  if (typeof value !== 'number') return shapeOf(value);
  return Number.isInteger(value) ? `the integer ${value}` : `the number ${value}`;
}

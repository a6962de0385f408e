import { Fault, type FaultCode } from '../../core/fault.ts';

/** SQLSTATEs that mean something else than `STORE_FAILED`. */
const codes: Readonly<Record<string, FaultCode>> = {
  '57014': 'STORE_TIMEOUT', // statement_timeout ran out
  '55P03': 'STORE_TIMEOUT', // lock_timeout ran out
  '25P03': 'STORE_TIMEOUT', // the transaction idled for too long
  '53100': 'STORE_FULL', // the disk is full
  '40001': 'STORE_CONFLICT', // serialisation failure
  '40P01': 'STORE_CONFLICT', // deadlock
};

/** Failures after which the server has undone everything and the same work may well succeed. */
const transient = new Set(['40001', '40P01']);

/** There is no such schema, table or function. */
const absent = new Set(['3F000', '42P01', '42883']);

/** The error's SQLSTATE, or null when it did not come from the server. */
function sqlStateOf(error: unknown): string | null {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return null;
  return /^[0-9A-Z]{5}$/.test(error.code) ? error.code : null;
}

/** States in which a connection may stay for ever, whatever becomes of the server. */
const stuck = new Set([
  '25P02', // in a failed transaction, until somebody rolls back
  '25006', // read-only: it leads to a standby, or was made while the database took no writes; the next one may not
]);

/** Whether the connection is of no more use: the server has ended it along with the statement, or it would serve no other one. */
export function endsConnection(error: unknown): boolean {
  const state = sqlStateOf(error);
  if (state === null) return !(error instanceof Fault);
  if (stuck.has(state)) return true;
  return error instanceof Error && 'severity' in error && error.severity !== 'ERROR';
}

export function isTransient(error: unknown): boolean {
  return transient.has(sqlStateOf(error) ?? '');
}

/** Whether the statement went by something that is not in the database. */
export function namesNothing(error: unknown): boolean {
  return absent.has(sqlStateOf(error) ?? '');
}

/** The fault that a caller gets. What a step threw never comes here. */
export function faultOf(error: unknown): Fault {
  if (error instanceof Fault) return error;
  const state = sqlStateOf(error);
  if (state === null) {
    return new Fault('STORE_FAILED', 'The connection to PostgreSQL failed.', { cause: error });
  }
  return new Fault(codes[state] ?? 'STORE_FAILED', `PostgreSQL refused with SQLSTATE ${state}.`, {
    cause: error,
  });
}

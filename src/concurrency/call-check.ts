import { amountOf, Fault, shapeOf } from '../core/fault.ts';
import type { CallOptions } from './admission.ts';
import { isPriority } from './wait-lanes.ts';

/**
 * Refuses what no call can bring with it. A deadline that is no number is a mistake of the host: taken for one that has passed
 * it would shed every call, and look like overload. One by a misspelt name would not count, and nobody would see that.
 *
 * @throws Fault `INPUT_INVALID` that names the field.
 */
export function checkCall(call: CallOptions): void {
  if (typeof call !== 'object' || call === null) throw invalid('call', 'an object', shapeOf(call));
  checkNames(call);
  const { priority, signal, deadlineMs } = call;
  if (priority !== undefined && !isPriority(priority)) throw unknownPriority(priority);
  if (deadlineMs !== undefined && (typeof deadlineMs !== 'number' || Number.isNaN(deadlineMs)))
    throw invalid('deadlineMs', 'a number of milliseconds', amountOf(deadlineMs));
  if (signal !== undefined && typeof signal?.addEventListener !== 'function')
    throw invalid('signal', 'an AbortSignal', shapeOf(signal));
}

function unknownPriority(priority: never): Fault {
  return invalid('priority', 'health, critical, normal or background', shapeOf(priority));
}

/** Compares by itself, without `unknownField`: to look names up in a set costs half as much as all the rest of an admission. */
function checkNames(call: CallOptions): void {
  for (const name in call) {
    if (name === 'priority' || name === 'signal' || name === 'deadlineMs') continue;
    if (Object.hasOwn(call, name)) throw noField(name);
  }
}

function noField(name: string): Fault {
  const known = 'priority, signal, deadlineMs';
  return new Fault('INPUT_INVALID', `${name} is no field of a call: there are ${known}.`);
}

function invalid(what: string, wanted: string, got: string): Fault {
  return new Fault('INPUT_INVALID', `${what} must be ${wanted}, got ${got}`);
}

import { amountOf, Fault, shapeOf } from '../core/fault.ts';
import type { CallOptions } from './admission.ts';
import { isPriority } from './wait-lanes.ts';

/**
 * Refuses what no call can bring with it. A deadline that is no number is a mistake of the host: taken for one that has passed
 * it would shed every call, and look like overload.
 *
 * @throws Fault `INPUT_INVALID` that names the field.
 */
export function checkCall(call: CallOptions): void {
  if (typeof call !== 'object' || call === null) throw invalid('A call', 'an object', shapeOf(call));
  const { priority, signal, deadlineMs } = call;
  if (priority !== undefined && !isPriority(priority)) throw unknownPriority(priority);
  if (deadlineMs !== undefined && (typeof deadlineMs !== 'number' || Number.isNaN(deadlineMs)))
    throw invalid('deadlineMs', 'a number of milliseconds', amountOf(deadlineMs));
  if (signal !== undefined && typeof signal?.addEventListener !== 'function')
    throw invalid('signal', 'an AbortSignal', shapeOf(signal));
}

function unknownPriority(priority: never): Fault {
  const wanted = 'A priority is health, critical, normal or background';
  return new Fault('INPUT_INVALID', `${wanted}, not ${shapeOf(priority)}.`);
}

function invalid(what: string, wanted: string, got: string): Fault {
  return new Fault('INPUT_INVALID', `${what} must be ${wanted}, not ${got}.`);
}

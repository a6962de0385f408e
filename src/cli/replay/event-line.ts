import { MAX_TIME_MS } from '../../abuse/log-formats/calendar.ts';
import { isWhole, outOfRange, wholeWords } from '../../core/amounts.ts';
import { Fault, shapeOf } from '../../core/fault.ts';
import type { Request } from '../../core/request.ts';
import { type OperationName, operationNames } from '../../guard/engine.ts';
import type { GuardRequest } from '../../guard/signals.ts';
import { parseObject } from './json-object.ts';

/** An event of a replay, as its line says it; its signals are checked by the engine. */
export interface ReplayEvent extends GuardRequest {
  /** Milliseconds. */
  readonly t: number;
  readonly op: OperationName;
  readonly cost: number;
  /** All that its line says besides, where another line has said the same. */
  readonly words?: Words | undefined;
}

/** Words that several lines have in common. Whoever has found out what they ask for notes it here for the next one. */
export interface Words {
  heardBy: object | null;
  request: Request | null;
}

const operations: ReadonlySet<unknown> = new Set(operationNames);

/** Reads an event line. Unknown fields are ignored. Throws `INPUT_INVALID` that names the field. */
export function parseEventLine(line: string): ReplayEvent {
  const event = parseObject(line, 'an event');
  const { t, op, action, account, ip, ua, device, cost } = event;
  if (!isWhole(t, 0, MAX_TIME_MS)) {
    throw outOfRange('INPUT_INVALID', 't', `a whole number of ms from 0 to ${MAX_TIME_MS}`, t);
  }
  if (!operations.has(op)) {
    throw new Fault('INPUT_INVALID', `op must be one of ${operationNames.join(', ')}, got ${shapeOf(op)}`);
  }
  if (action !== undefined && action !== null && typeof action !== 'string') {
    throw new Fault('INPUT_INVALID', `action must be a string, got ${shapeOf(action)}`);
  }
  if (cost !== undefined && cost !== null && typeof cost !== 'number') {
    throw outOfRange('INPUT_INVALID', 'cost', wholeWords(), cost);
  }
  return {
    t,
    op: op as OperationName,
    action: action ?? (op === 'consume' ? 'api.heavy' : 'auth.login'),
    account: account as GuardRequest['account'],
    ip: ip as string,
    ua: ua as GuardRequest['ua'],
    device: device as GuardRequest['device'],
    cost: cost ?? 1,
    words: undefined,
  };
}

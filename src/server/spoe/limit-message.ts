import type { ClientAddress } from '../../adapters/client-address.ts';
import { Fault } from '../../core/fault.ts';
import {
  type Call,
  type HeaderOptions,
  limitProblem,
  rateLimitHeaders,
  requestIdOf,
  retryAfterSeconds,
  type Verdict,
} from '../../limits/index.ts';
import { PayloadWriter } from './payload-writer.ts';
import { count, flag, type KeyValues, numberOf, type TypedData, text, textOf } from './typed-data.ts';

/** The message we decide on; others are acknowledged and do nothing. */
export const limitMessageName = 'portcullis-limit';

/** A call as HAProxy describes it, with its id. */
export interface DescribedCall {
  readonly call: Call;
  readonly requestId: string;
}

/**
 * Reads the arguments of a message: `ip`, `method`, `path` (which HAProxy leaves empty for a target like `http://host` or `*`,
 * and servers take for `/`), and where they are given `ua`, `user`, `xff`, `id`, `cost` and
 * `header.NAME`.
 *
 * @throws Fault `INPUT_INVALID` that names what is missing.
 */
export function readLimitMessage(args: KeyValues, addressOf: ClientAddress): DescribedCall {
  const peer = textOf(args.get('ip'));
  const method = textOf(args.get('method'));
  if (!peer || !method || !args.has('path')) {
    throw new Fault(
      'INPUT_INVALID',
      `The message ${limitMessageName} needs the arguments ip, method and path`,
    );
  }
  const header = (name: string) => textOf(args.get(name === 'x-forwarded-for' ? 'xff' : `header.${name}`));
  const cost = numberOf(args.get('cost'));
  return {
    call: {
      method: method.slice(0, 32).toUpperCase(),
      path: textOf(args.get('path')) || '/',
      ip: addressOf(peer, header),
      ua: textOf(args.get('ua')),
      user: textOf(args.get('user')),
      header,
      ...(cost === undefined ? {} : { cost }),
    },
    requestId: requestIdOf(textOf(args.get('id'))),
  };
}

/** Variables by name, the ones that decide first. */
export type Variables = readonly (readonly [name: string, value: TypedData])[];

/** What HAProxy gets to know of a verdict. */
export function variablesOf(
  verdict: Verdict,
  { call, requestId }: DescribedCall,
  options: HeaderOptions,
): Variables {
  const headers = new Map(rateLimitHeaders(verdict, options));
  const quota: [string, string | undefined][] = [
    ['ratelimit', headers.get('RateLimit')],
    ['ratelimit_policy', headers.get('RateLimit-Policy')],
  ];
  return [
    ['allowed', flag(verdict.allowed)],
    ['status', count(verdict.allowed ? 200 : 429)],
    ['retry_after', count(verdict.allowed ? 0 : retryAfterSeconds(verdict.retryAfterMs))],
    ['rule', text(verdict.rule ?? '')],
    ['request_id', text(requestId)],
    ...quota.flatMap(([name, value]) => (value === undefined ? [] : [[name, text(value)] as const])),
    ...(verdict.allowed
      ? []
      : [['problem', text(JSON.stringify(limitProblem(verdict, requestId, call.path)))] as const]),
  ];
}

const setVariable = 1;
const argumentsOfSet = 3;
const transactionScope = 2;

/** The payload of an ACK that sets variables of the transaction; those that do not fit any more are left out. */
export function setVariables(variables: Variables, mostBytes: number): Buffer {
  const actions = new PayloadWriter();
  for (const [name, value] of variables) {
    const action = new PayloadWriter()
      .bytes(Uint8Array.of(setVariable, argumentsOfSet, transactionScope))
      .string(name)
      .typedData(value);
    if (actions.length + action.length <= mostBytes) actions.bytes(action.finish());
  }
  return actions.finish();
}

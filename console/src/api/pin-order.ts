import { isObject, numberOf, textOf } from '../feed/feed-line.ts';
import { callerWords } from '../format/pin-words.ts';
import { typedText } from '../format/typed-text.ts';

/** What an operator holds in place for a time. */
export interface Pin {
  readonly name: string;
  /** What it holds, in words. */
  readonly what: string;
  readonly by: string;
  readonly why: string;
  readonly until: number;
}

export function readPin(value: unknown): Pin[] {
  if (!isObject(value)) return [];
  return [
    {
      name: textOf(value.name) ?? '?',
      what: whatIsPinned(value),
      by: typedText(textOf(value.by) ?? '?'),
      why: typedText(textOf(value.why) ?? ''),
      until: numberOf(value.until),
    },
  ];
}

type Fields = Readonly<Record<string, unknown>>;

const text = (fields: Fields, field: string): string => textOf(fields[field]) ?? '?';

function whatIsPinned(pin: Fields): string {
  if (pin.kind === 'limit') {
    const who = callerWords[text(pin, 'for')] ?? text(pin, 'for');
    return `Limit of ${who}: ${numberOf(pin.ratePerSecond)} a second`;
  }
  if (pin.kind === 'failure') {
    const mode = pin.mode === 'closed' ? 'refuses everybody' : 'decides by local caps';
    return `Without the store ${text(pin, 'policy')} ${mode}`;
  }
  if (pin.kind === 'scenario') return `Scenario ${text(pin, 'scenario')} is off`;
  if (pin.kind === 'shadow') return `Rule ${text(pin, 'rule')} of ${text(pin, 'policy')} runs in shadow`;
  return text(pin, 'kind');
}

/** What can be pinned. */
export const pinKinds = [
  { kind: 'signed-in', title: 'Limit of signed-in users' },
  { kind: 'anonymous', title: 'Limit of anonymous callers' },
  { kind: 'user', title: 'Limit of one user' },
  { kind: 'network', title: 'Limit of one network' },
  { kind: 'failure', title: 'A policy without the store' },
  { kind: 'scenario', title: 'A scenario, off' },
  { kind: 'shadow', title: 'A rule, in shadow' },
] as const;

export type PinKind = (typeof pinKinds)[number]['kind'];

/** A pin as an operator asks for it. */
export interface PinForm {
  readonly kind: PinKind;
  readonly ratePerSecond: number;
  /** A user or an address, for those two; hashed by the service. */
  readonly whom: string;
  readonly policy: string;
  readonly mode: 'closed' | 'caps';
  readonly scenario: string;
  readonly rule: string;
  readonly forMs: number;
}

/** Where to send a pin, and what. */
export function pinOrder(form: PinForm): { readonly path: string; readonly body: object } {
  const { kind, ratePerSecond, whom, policy, mode, scenario, rule, forMs } = form;
  const part = encodeURIComponent;
  if (kind === 'failure') return { path: `v1/pins/failure/${part(policy)}`, body: { mode, forMs } };
  if (kind === 'scenario') return { path: `v1/pins/scenarios/${part(scenario)}`, body: { forMs } };
  if (kind === 'shadow') return { path: `v1/pins/shadow/${part(policy)}/${part(rule)}`, body: { forMs } };
  const limit = { ratePerSecond, forMs };
  if (kind === 'user') return { path: 'v1/pins/limits/user', body: { ...limit, user: whom } };
  if (kind === 'network') return { path: 'v1/pins/limits/network', body: { ...limit, ip: whom } };
  return { path: `v1/pins/limits/${kind}`, body: limit };
}

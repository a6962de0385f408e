import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Decision, rules, scopes } from '../../core/decision.ts';
import { Fault } from '../../core/fault.ts';
import type { Token } from '../../core/subject.ts';
import { operationNames } from '../../guard/engine.ts';
import type { DecidedCall } from '../../guard/witness.ts';
import { decisionLogLine, droppedLine } from '../../telemetry/decision-log/log-line.ts';
import { isLogged, parseLoggedLine } from './logged-line.ts';
import { LoggedSubjects } from './logged-subjects.ts';

const token = fc.stringMatching(/^[A-Za-z0-9_-]{22}$/).map((hash): Token => ({ hash, was: null }));
const time = fc.integer({ min: 0, max: 8_640_000_000_000_000 });
const mode = fc.constantFrom(
  'NORMAL' as const,
  'FAIL_CLOSED' as const,
  'FAIL_OPEN' as const,
  'DEGRADED' as const,
);

const allowed = fc.record({ deferred: fc.boolean(), mode }).map(
  (told): Decision => ({
    ...told,
    ...{ outcome: 'ALLOW', level: 0, until: 0, retryAfterMs: 0, rule: null, scope: null, reasons: [] },
  }),
);
const blocked: fc.Arbitrary<Decision> = fc.record({
  outcome: fc.constantFrom('SOFT_BLOCK' as const, 'HARD_BLOCK' as const),
  level: fc.integer({ min: 1, max: 6 }),
  until: time,
  retryAfterMs: fc.constant(0),
  rule: fc.constantFrom(...rules),
  scope: fc.constantFrom(...scopes),
  deferred: fc.boolean(),
  mode,
  reasons: fc.constant([]),
});

const decided: fc.Arbitrary<DecidedCall> = fc.record({
  t: time,
  op: fc.constantFrom(...operationNames),
  action: fc.string({ unit: 'binary', minLength: 1, maxLength: 128 }),
  cost: fc.integer({ min: 1, max: 1_000_000 }),
  subject: fc.record({
    account: fc.option(token),
    network: token,
    agent: token,
    otherAgent: token,
    device: fc.option(
      fc.record({ token, confidence: fc.constantFrom('LOW' as const, 'MEDIUM' as const, 'HIGH' as const) }),
    ),
    macros: fc.option(fc.record({ p48: token, p40: token, p32: token })),
  }),
  decision: fc.oneof(allowed, blocked),
});

/** What an untrusted line may do: be read, or be refused in words that do not quote it. */
function readOrRefused(line: string): 'read' | 'refused' {
  try {
    parseLoggedLine(line);
    return 'read';
  } catch (cause) {
    if (!(cause instanceof Fault) || cause.code !== 'INPUT_INVALID') throw cause;
    return 'refused';
  }
}

const example: DecidedCall = fc.sample(
  decided.filter(({ subject, decision, cost }) => {
    const isFull = subject.account !== null && subject.device !== null && subject.macros !== null;
    return isFull && decision.outcome !== 'ALLOW' && cost > 1;
  }),
  { numRuns: 1, seed: 1 },
)[0] as DecidedCall;
const fields = JSON.parse(decisionLogLine(example)) as Record<string, unknown>;
const without = (field: string) => JSON.stringify({ ...fields, [field]: undefined });

describe('a line of a decision log', () => {
  it('is read as what was written', () => {
    fc.assert(
      fc.property(decided, (call) => {
        const line = decisionLogLine(call);
        const read = parseLoggedLine(line);
        if (read.kind === 'missing') return expect.unreachable();
        const { outcome, level, until, rule, scope, deferred, mode: taken } = call.decision;
        expect(read).toMatchObject({ t: call.t, op: call.op, action: call.action, cost: call.cost });
        expect(read.taken).toEqual({ outcome, level, until, rule, scope, deferred, mode: taken });
        expect(new LoggedSubjects(8).of(read.hashes)).toEqual(call.subject);
      }),
    );
  });

  it('is one line of printable ASCII, whatever the action is called', () => {
    fc.assert(
      fc.property(decided, (call) => {
        expect(decisionLogLine(call)).toMatch(/^[\x20-\x7e]+\n$/);
        expect(isLogged(decisionLogLine(call))).toBe(true);
      }),
    );
  });

  it('may stand for lines that are missing', () => {
    expect(parseLoggedLine(droppedLine(7, 12))).toEqual({ kind: 'missing', dropped: 12 });
  });

  it.each([
    'v',
    't',
    'op',
    'action',
    'network',
    'agent',
    'otherAgent',
    'confidence',
    'outcome',
    'level',
    'until',
    'rule',
    'scope',
    'mode',
  ])('is refused without %s, by name', (field) => {
    expect(() => parseLoggedLine(without(field))).toThrow(new RegExp(`^${field} must be .*got nothing$`));
  });

  it.each(['account', 'prefixes', 'cost', 'deferred'])('may be without %s', (field) => {
    expect(readOrRefused(without(field))).toBe('read');
  });

  it.each([
    ['t', -1],
    ['t', 1.5],
    ['t', 8_640_000_000_000_001],
    ['op', 'drop'],
    ['cost', 0],
    ['account', 'erika@example.com'],
    ['account', null],
    ['network', '192.0.2.1'],
    ['prefixes', []],
    ['prefixes', ['a', 'b', 'c']],
    ['device', 7],
    ['confidence', 'SURE'],
    ['outcome', 'MAYBE'],
    ['level', 7],
    ['until', -1],
    ['rule', '__proto__'],
    ['scope', 'K9'],
    ['deferred', 'yes'],
    ['mode', 'toString'],
    ['dropped', 0],
  ])('is refused with %s %j, without quoting it', (field, value) => {
    const line = JSON.stringify({ ...fields, [field]: value });
    expect(() => parseLoggedLine(line)).toThrow(new RegExp(`^${field}(\\[0\\])? must be `));
    if (typeof value === 'string')
      expect(() => parseLoggedLine(line)).not.toThrow(new RegExp(`got.*${value}`));
  });

  it('of another version names both', () => {
    const line = JSON.stringify({ ...fields, v: 'portcullis.decision/2' });
    expect(() => parseLoggedLine(line)).toThrow(
      'v must be "portcullis.decision/1", got "portcullis.decision/2", which this version does not read',
    );
    expect(isLogged(line)).toBe(true);
  });

  it('is no event and no line of an access log', () => {
    const event = '{"t":0,"op":"fail","account":"a1","ip":"203.0.113.7"}';
    expect([isLogged(event), readOrRefused(event)]).toEqual([false, 'refused']);
  });

  it('never does more than be refused, however it is damaged', () => {
    const whole = decisionLogLine(example);
    fc.assert(
      fc.property(fc.nat(whole.length - 1), fc.string({ maxLength: 8 }), fc.nat(40), (at, text, cut) => {
        expect(['read', 'refused']).toContain(
          readOrRefused(whole.slice(0, at) + text + whole.slice(at + cut)),
        );
      }),
      { numRuns: 500 },
    );
    fc.assert(
      fc.property(fc.constantFrom(...Object.keys(fields)), fc.jsonValue(), (field, value) => {
        expect(['read', 'refused']).toContain(readOrRefused(JSON.stringify({ ...fields, [field]: value })));
      }),
      { numRuns: 500 },
    );
  });
});

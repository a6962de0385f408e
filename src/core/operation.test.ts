import { describe, expect, it } from 'vitest';
import { alice, macros } from '../../test/engine/alice.ts';
import { check } from './check.ts';
import { consume } from './consume.ts';
import type { Decision, Rule, Scope } from './decision.ts';
import { HOUR_MS } from './duration.ts';
import { fail } from './fail.ts';
import { Keyspace } from './keys.ts';
import { answer, type Operation, silence, unseen } from './operation.ts';
import { defaultApi, defaultLogin } from './policy.ts';
import {
  accountKind,
  agentKind,
  deviceKind,
  networkDeviceKind,
  networkKind,
  p40Kind,
  p48Kind,
} from './record-kinds.ts';
import type { Key, Records, StoredRecord } from './records.ts';
import { openRequest } from './request.ts';
import { cleanStanding } from './standing.ts';
import { succeed } from './succeed.ts';

const t = 10 * HOUR_MS;
const until = t + 1_000;
const blocked = { ...cleanStanding, hardLevel: 2, hardAt: t, hardUntil: until };
const subject = alice({ macros });
const login = openRequest(defaultLogin, new Keyspace('live', 'login'), subject);
const api = openRequest(defaultApi, new Keyspace('live', 'api'), { ...subject });

/** The records of one store, and an operation that is run on them in its two halves. */
class Table {
  readonly stored = new Map<string, StoredRecord>();
  readonly #records: Records = {
    get: <R extends StoredRecord>({ text }: Key<R>) => this.stored.get(text) as R | undefined,
    put: ({ text }, value) => this.stored.set(text, structuredClone(value)),
  };

  /** Somebody else's block on a key of the request. */
  block(scope: Scope, { keys }: typeof login | typeof api): void {
    const on = <R extends StoredRecord>(key: Key<R> | null, record: R) => {
      if (key !== null) this.stored.set(key.text, record);
    };
    const frame = { at: t, standing: blocked };
    const device = { id: 'laptop', standing: blocked, failures: [t] };
    if (scope === 'K4') on(keys.account, { ...accountKind.make(), ...frame });
    if (scope === 'K5') on(keys.account, { ...accountKind.make(), at: t, devices: [device] });
    if (scope === 'K1') on(keys.network, { ...networkKind.make(), ...frame });
    if (scope === 'K2') on(keys.agent, { ...agentKind.make(), ...frame });
    if (scope === 'K3') on(keys.networkDevice, { ...networkDeviceKind.make(), ...frame });
    if (scope === 'D') on(keys.device, { ...deviceKind.make(), ...frame });
    if (scope === 'P48') on(keys.p48, { ...p48Kind.make(), ...frame });
    if (scope === 'P40') on(keys.p40, { ...p40Kind.make(), ...frame });
  }

  /** Looks, lets something happen, then takes the steps. */
  run(operation: Operation, meanwhile: () => void = () => undefined): Decision {
    const course = operation.look(this.#records, t);
    meanwhile();
    const answers = course.steps.map((step) => step.run(this.#records));
    const effects = answers.flatMap((given) => given.effects).map((step) => step.run(this.#records));
    return course.decide([...answers, ...effects].flatMap(({ reasons }) => reasons));
  }

  /** Whether a block that the view shows stops the operation. */
  isStopped(operation: Operation): boolean {
    return operation.look(this.#records, t).isStopped;
  }

  /** The kinds of keys that have a record. */
  kinds(): string[] {
    return [...this.stored.keys()].map((text) => text.split(':')[4] ?? '').sort();
  }
}

const reasonOn = (scope: Scope) => ({ rule: 'blocked', scope, outcome: 'HARD_BLOCK', level: 2, until });

describe('a block that comes between the view and the step of its group', () => {
  const elsewhere = {
    account: ['D', 'K1', 'K2', 'K3', 'P32', 'P40', 'P48'],
    network: ['D', 'K4', 'P32', 'P40', 'P48'],
    device: ['K1', 'K2', 'K3', 'K4', 'P32', 'P40', 'P48'],
    prefix: (own: string) =>
      ['D', 'K1', 'K2', 'K3', 'K4', 'P32', 'P40', 'P48'].filter((kind) => kind !== own),
  };

  it.each([
    ['K4', elsewhere.account],
    ['K5', elsewhere.account],
    ['K1', elsewhere.network],
    ['K2', elsewhere.network],
    ['K3', elsewhere.network],
    ['D', elsewhere.device],
    ['P48', elsewhere.prefix('P48')],
    ['P40', elsewhere.prefix('P40')],
  ] as const)('on %s answers a failure; its group writes nothing, the others do (§4.2)', (scope, others) => {
    const table = new Table();
    let before: StoredRecord[] = [];
    const decision = table.run(fail(login), () => {
      table.block(scope, login);
      before = [...table.stored.values()];
    });
    expect([decision.outcome, decision.reasons]).toEqual(['HARD_BLOCK', [reasonOn(scope)]]);
    expect([...table.stored.values()].slice(0, before.length)).toEqual(before);
    const held = scope === 'K5' ? 'K4' : scope;
    expect(table.kinds().filter((kind) => kind !== held)).toEqual(others.filter((kind) => kind !== held));
  });

  it.each(['K4', 'K5'] as const)(
    'on %s refuses a success, and enters nothing into the book (§4.3)',
    (scope) => {
      const table = new Table();
      const decision = table.run(succeed(login), () => table.block(scope, login));
      expect([decision.outcome, decision.reasons, table.kinds()]).toEqual([
        'HARD_BLOCK',
        [reasonOn(scope)],
        ['K4'],
      ]);
    },
  );

  it.each(['K1', 'K2', 'K3'] as const)('on %s refuses a call, and charges it to nobody (§11)', (scope) => {
    const table = new Table();
    const decision = table.run(consume(api, 1), () => table.block(scope, api));
    expect([decision.outcome, decision.reasons, table.kinds()]).toEqual([
      'HARD_BLOCK',
      [reasonOn(scope)],
      [scope],
    ]);
  });
});

describe('a block that the view shows', () => {
  const scopes = ['K4', 'K5', 'K3', 'D', 'K2', 'K1', 'P48', 'P40'] as const;

  it.each(scopes)('on %s is the answer to a check and to a success, which write nothing', (scope) => {
    const table = new Table();
    table.block(scope, login);
    const before = [...table.stored];
    for (const operation of [check(login), succeed(login)]) {
      expect(table.run(operation).reasons).toEqual([reasonOn(scope)]);
    }
    expect([...table.stored]).toEqual(before);
  });

  it.each(scopes)('on %s stops the operation, as nothing else does', (scope) => {
    const table = new Table();
    const operations = [check(login), fail(login), succeed(login)];
    expect(operations.map((operation) => table.isStopped(operation))).toEqual([false, false, false]);
    table.block(scope, login);
    expect(operations.map((operation) => table.isStopped(operation))).toEqual([true, true, true]);
  });

  it.each(scopes.slice(2))('on %s refuses a call, which is charged to nobody', (scope) => {
    const table = new Table();
    table.block(scope, api);
    const before = [...table.stored];
    expect(table.run(consume(api, 1)).reasons).toEqual([reasonOn(scope)]);
    expect([...table.stored]).toEqual(before);
  });
});

describe('a stored SOFT block', () => {
  const standing = { ...cleanStanding, score: 5, scoreAt: t, softLevel: 1, softUntil: until };
  /** What a failure of an account with a stored SOFT and a score just below the next one is told. */
  const told = (shadow: readonly Rule[]) => {
    const request = openRequest({ ...defaultLogin, shadow }, new Keyspace('live', 'login'), alice());
    const table = new Table();
    if (request.keys.account) {
      table.stored.set(request.keys.account.text, { ...accountKind.make(), at: t, standing } as StoredRecord);
    }
    const { reasons } = table.run(fail(request));
    return reasons.map(({ rule, scope }) => `${rule} ${scope}`);
  };

  it('is told of a key on which no rule has spoken, or one in shadow alone (§4.2)', () => {
    expect(told([])).toEqual(['score K4']);
    expect(told(['score'])).toEqual(['blocked K4']);
  });
});

describe('a device that the account has an entry of (§6)', () => {
  /** Ten entries made a moment ago: no further one would be. */
  const madeAt = Array.from({ length: 10 }, () => t);
  const devicesAfter = (operation: (request: typeof login) => Operation, was: string | null) => {
    const device = { token: { hash: 'laptop', was }, confidence: 'MEDIUM' } as const;
    const request = openRequest(defaultLogin, new Keyspace('live', 'login'), alice({ device }));
    const table = new Table();
    const own = { id: was ?? 'laptop', standing: { ...cleanStanding, score: 3 }, failures: [t - 1] };
    const record = { ...accountKind.make(), at: t, devices: [own], devicesMadeAt: madeAt };
    table.stored.set(request.keys.account?.text ?? '', record);
    table.run(operation(request));
    return (table.stored.get(request.keys.account?.text ?? '') as typeof record).devices;
  };

  it.each([
    ['its present name', null],
    ['its name under the previous secret', 'old'],
  ])('keeps it, found under %s', (_, was) => {
    expect(devicesAfter(fail, was)).toMatchObject([{ id: 'laptop', failures: [t - 1, t] }]);
    expect(devicesAfter(succeed, was)).toMatchObject([{ id: 'laptop', standing: { score: 0 } }]);
  });
});

describe('an operation', () => {
  it('views every record of its request', () => {
    for (const operation of [check(login), fail(login), succeed(login)]) {
      expect(operation.keys).toEqual(login.keys.viewed);
    }
    expect(consume(api, 1).keys).toEqual(api.keys.viewed);
  });

  it('does with a view of a moment ago only where each group looks for its blocks again', () => {
    expect([fail(login), check(login), succeed(login), consume(api, 1)].map(({ isWarm }) => isWarm)).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });

  it('is not decided by a look that was not shown enough', () => {
    expect([unseen.isStopped, unseen.steps]).toEqual([false, []]);
    expect(() => unseen.decide([])).toThrow(expect.objectContaining({ code: 'INVARIANT_BROKEN' }));
  });

  it('has one answer for all steps that have nothing to say', () => {
    expect(answer([])).toBe(silence);
    expect(silence).toEqual({ reasons: [], effects: [] });
    const reason = { rule: 'score', scope: 'K4', outcome: 'SOFT_BLOCK', level: 1, until } as const;
    expect(answer([reason])).toEqual({ reasons: [reason], effects: [] });
  });
});

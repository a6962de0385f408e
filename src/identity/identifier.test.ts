import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createIdentifier, type Signals } from './identifier.ts';

const secret = 'a secret of enough bytes';
const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:121.0) Gecko/20100101 Firefox/121.0';
const signals: Signals = {
  account: 'a1',
  ip: '203.0.113.7',
  ua: firefox,
  device: { id: 'd1', confidence: 'MEDIUM' },
};

test('the same signals are the same subject, in another process too', () => {
  const identifier = createIdentifier({ secret });
  expect(identifier.identify(signals)).toEqual(identifier.identify({ ...signals }));
  expect(createIdentifier({ secret }).identify(signals)).toEqual(identifier.identify(signals));
  expect(createIdentifier({ secret: 'another secret of 16' }).identify(signals)).not.toEqual(
    identifier.identify(signals),
  );
});

test('nothing of a subject is in clear', () => {
  const text = JSON.stringify(createIdentifier({ secret }).identify({ ...signals, ip: '2001:db8:1:2::3' }));
  for (const clear of ['a1', '2001', 'db8', 'irefox', 'd1']) expect(text).not.toContain(`"${clear}`);
  expect(text.match(/"hash":"[\w-]{22}"/g)).toHaveLength(8);
});

test('signals that are missing are null, a missing user agent is other/0', () => {
  const subject = createIdentifier({ secret }).identify({ ip: '203.0.113.7' });
  expect(subject).toMatchObject({ account: null, device: null, macros: null });
  expect(subject.agent).toEqual(subject.otherAgent);
  expect(createIdentifier({ secret }).identify({ ip: '203.0.113.7', device: null }).device).toBeNull();
});

test('addresses of one /64 are one network under nested prefixes', () => {
  const { identify } = createIdentifier({ secret });
  const one = identify({ ip: '2001:db8:1:2::3' });
  expect(identify({ ip: '2001:0DB8:1:2:ffff::%eth0' })).toEqual(one);
  const neighbour = identify({ ip: '2001:db8:1:3::3' });
  expect(neighbour.network).not.toEqual(one.network);
  expect(neighbour.macros).toEqual(one.macros);
  const further = identify({ ip: '2001:db8:2:2::3' });
  expect(further.macros?.p48).not.toEqual(one.macros?.p48);
  expect(further.macros?.p40).toEqual(one.macros?.p40);
});

test('an IPv4 address inside IPv6 is the IPv4 address', () => {
  const { identify } = createIdentifier({ secret });
  for (const ip of ['::ffff:203.0.113.7', '64:ff9b::203.0.113.7', '2002:cb00:7107::1']) {
    expect(identify({ ...signals, ip })).toEqual(identify(signals));
  }
});

test('minor versions of one browser are one agent, long texts too', () => {
  const { identify } = createIdentifier({ secret });
  const { agent } = identify(signals);
  expect(identify({ ...signals, ua: `${firefox}.7` }).agent).toEqual(agent);
  expect(identify({ ...signals, ua: `${firefox}.7${' x'.repeat(5_000)}` }).agent).toEqual(agent);
});

test('a device keeps its confidence, its identity is the id', () => {
  const { identify } = createIdentifier({ secret });
  const low = identify({ ...signals, device: { id: 'd1', confidence: 'LOW' } }).device;
  const high = identify({ ...signals, device: { id: 'd1', confidence: 'HIGH' } }).device;
  expect([low?.confidence, high?.confidence]).toEqual(['LOW', 'HIGH']);
  expect(low?.token).toEqual(high?.token);
});

test('during a rotation every token also has what it was', () => {
  const before = createIdentifier({ secret: 'the secret before it' }).identify({
    ...signals,
    ip: '2001:db8::1',
  });
  const during = createIdentifier({ secret, previousSecret: 'the secret before it' }).identify({
    ...signals,
    ip: '2001:db8::1',
  });
  expect(during.account?.was).toBe(before.account?.hash);
  expect(during.network.was).toBe(before.network.hash);
  expect(during.agent.was).toBe(before.agent.hash);
  expect(during.otherAgent.was).toBe(before.otherAgent.hash);
  expect(during.device?.token.was).toBe(before.device?.token.hash);
  expect(during.macros?.p32.was).toBe(before.macros?.p32.hash);
});

test('what is no address is refused each time', () => {
  const { identify } = createIdentifier({ secret });
  const fault = expect.objectContaining({ code: 'INPUT_INVALID' });
  for (const ip of ['', 'x', '1.2.3.4:80', '1.2.3.4:80']) expect(() => identify({ ip })).toThrow(fault);
});

test('what is remembered changes no subject', () => {
  const some = fc.record({
    account: fc.constantFrom('a', 'b', null, undefined),
    ip: fc.constantFrom('203.0.113.7', '203.0.113.8', '2001:db8::1'),
    ua: fc.constantFrom(firefox, 'curl/8.5.0', `x${'y'.repeat(600)}`, '', null, undefined),
    device: fc.oneof(
      fc.constantFrom(null, undefined),
      fc.record({
        id: fc.constantFrom('d', 'e', 'f'.repeat(200)),
        confidence: fc.constantFrom('LOW' as const, 'MEDIUM' as const, 'HIGH' as const),
      }),
    ),
  });
  fc.assert(
    fc.property(fc.array(some, { minLength: 1, maxLength: 30 }), (list) => {
      const { identify } = createIdentifier({ secret }, 2);
      for (const signals of list)
        expect(identify(signals)).toEqual(createIdentifier({ secret }).identify(signals));
    }),
    { numRuns: 200 },
  );
});

test('the latest signals of an account are recalled, and no others', () => {
  const { identify, recall = () => undefined } = createIdentifier({ secret });
  const elsewhere = { ...signals, ip: '203.0.113.8' };
  expect(recall(signals)).toBeUndefined();
  const subject = identify(signals);
  expect([recall({ ...signals }), recall(elsewhere)]).toEqual([subject, undefined]);
  const other = identify(elsewhere);
  expect([recall(signals), recall(elsewhere)]).toEqual([undefined, other]);
  identify({ ip: '203.0.113.7' });
  expect(recall({ ip: '203.0.113.7' })).toBeUndefined();
});

test('signals that are too long to be kept are not recalled, nor those before them', () => {
  const { identify, recall = () => undefined } = createIdentifier({ secret });
  for (const long of [
    { ...signals, ua: `${firefox}${' x'.repeat(300)}` },
    { ...signals, device: { id: 'd'.repeat(200), confidence: 'MEDIUM' as const } },
  ]) {
    identify(signals);
    identify(long);
    expect([recall(long), recall(signals)]).toEqual([undefined, undefined]);
  }
});

test('a device that is none is not taken for one that was seen before', () => {
  const { identify, recall = () => undefined } = createIdentifier({ secret });
  const { device, ...missing } = signals;
  identify(missing);
  identify({ ...missing, account: 'a2', device });
  const listed = Object.assign([], device);
  const called = Object.assign(() => undefined, device);
  for (const odd of [{}, { id: undefined }, 'd1', 5, [], { id: 'd1' }, listed, called]) {
    for (const account of ['a1', 'a2']) {
      expect(recall({ ...signals, account, device: odd as Signals['device'] })).toBeUndefined();
    }
  }
  expect(recall(missing)?.device).toBeNull();
});

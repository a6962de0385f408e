import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { listenTo, testKeys } from '../../test/simulation/svc-client/simulated-client.ts';
import { VirtualClock } from '../testing/virtual-clock.ts';
import { acceptPassport, type CheckpointOptions, createCheckpoint } from './index.ts';
import { KeyRing } from './key-ring.ts';
import { type Passport, writePassport } from './passport.ts';
import { readReceipt } from './receipt.ts';

const [key = { id: '', secret: '' }] = testKeys;
const keys = new KeyRing(key, null);
const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const passport: Passport = {
  requestId: 'r1',
  hops: ['orders@1', 'stock@1'],
  retries: 2,
  remainingMs: 700,
  nonce: 'n1',
};

function checkpointAt(startMs: number, options: Partial<CheckpointOptions> = {}) {
  const clock = new VirtualClock(startMs);
  const checkpoint = createCheckpoint({ self: 'stock@1', keys: testKeys, ...options }, clock);
  return { clock, checkpoint, told: listenTo(checkpoint) };
}

function admitted(admission: ReturnType<typeof acceptPassport>) {
  if (!admission.admitted) throw new TypeError(`refused: ${admission.denial.reason}`);
  return admission;
}

function headersOf(changes: Partial<Passport> = {}) {
  return { 'x-portcullis-passport': writePassport({ ...passport, ...changes }, keys) };
}

describe('an incoming passport', () => {
  it('goes on from where the caller was', () => {
    const { checkpoint } = checkpointAt(5_000);
    const { journey } = admitted(
      acceptPassport({ ...headersOf(), traceparent, tracestate: 'a=1' }, checkpoint),
    );
    expect(journey).toMatchObject({
      requestId: 'r1',
      hops: ['orders@1', 'stock@1'],
      retriesLeft: 2,
      trace: { traceparent, tracestate: 'a=1' },
    });
  });

  it('measures its time on our clock, whatever the clock of the caller shows', () => {
    for (const startMs of [0, 5_000, 1e12]) {
      const { journey } = admitted(acceptPassport(headersOf(), checkpointAt(startMs).checkpoint));
      expect(journey.deadlineAt - startMs).toBe(700);
    }
  });

  it('keeps a tenth of the time for answering, at most 100 ms', () => {
    const { checkpoint } = checkpointAt(0);
    const callsUntil = (remainingMs: number) =>
      admitted(acceptPassport(headersOf({ remainingMs }), checkpoint)).journey.callsUntil;
    expect([700, 2_000].map(callsUntil)).toEqual([630, 1_900]);
  });

  it('never brings more retries than this service gives itself', () => {
    const { checkpoint } = checkpointAt(0, { retries: 1 });
    expect(admitted(acceptPassport(headersOf({ retries: 50 }), checkpoint)).journey.retriesLeft).toBe(1);
  });

  it('is read from fetch headers too', () => {
    const { checkpoint } = checkpointAt(0);
    const { journey } = admitted(acceptPassport(new Headers(headersOf()), checkpoint));
    expect(journey.requestId).toBe('r1');
  });

  it('gives back, once, what this service does not give itself', () => {
    const { checkpoint } = checkpointAt(0, { retries: 1 });
    const { journey, receipt } = admitted(acceptPassport(headersOf({ retries: 5 }), checkpoint));
    expect(journey.spendRetry()).toBe(true);
    const unused = [receipt(), receipt()].map((text) => {
      const reading = readReceipt(text ?? '', 'n1', 5, keys);
      return reading.valid ? reading.receipt.unused : null;
    });
    expect(unused).toEqual([4, 0]);
  });

  it('is answered with a receipt of what is left, once', () => {
    const { journey, receipt } = admitted(acceptPassport(headersOf(), checkpointAt(0).checkpoint));
    journey.spendRetry();
    journey.noteFailedCall();
    const text = receipt() ?? '';
    expect(readReceipt(text, 'n1', 2, keys)).toEqual({
      valid: true,
      receipt: { unused: 1, failedBelow: true },
    });
    expect(journey.spendRetry()).toBe(false);
  });

  it('without time left is turned away', () => {
    const { checkpoint, told } = checkpointAt(0);
    const refused = acceptPassport(headersOf({ remainingMs: 0 }), checkpoint);
    const denial = { reason: 'deadline', target: 'stock@1' };
    expect(refused).toMatchObject({ admitted: false, denial, requestId: 'r1' });
    const receipt = refused.admitted ? '' : refused.receipt;
    expect(readReceipt(receipt, 'n1', 2, keys)).toEqual({
      valid: true,
      receipt: { unused: 2, failedBelow: true },
    });
    expect(told.denied).toEqual([{ denial, side: 'callee', shadow: false }]);
  });
});

describe('a loop at the callee', () => {
  const hops = ['stock@1', 'orders@1', 'stock@1', 'orders@1', 'stock@1'];

  it('is turned away, told to the security log, counted, and alerted', () => {
    const { checkpoint, told } = checkpointAt(0);
    expect(acceptPassport(headersOf({ hops }), checkpoint)).toMatchObject({ admitted: false });
    acceptPassport(headersOf({ hops }), checkpoint);
    const seen = { requestId: 'r1', hops };
    expect(told.security).toEqual([
      { kind: 'loop', side: 'callee', ...seen, count: 1 },
      { kind: 'loop', side: 'callee', ...seen, count: 2 },
    ]);
    expect(told.alert[0]).toEqual({ kind: 'loop', ...seen, count: 1 });
    expect(checkpoint.counters.loops).toBe(2);
  });

  it('is remembered by its request, the last ten of them', () => {
    const { checkpoint } = checkpointAt(7);
    for (let index = 0; index < 12; index += 1) {
      acceptPassport(headersOf({ hops, requestId: `r${index}` }), checkpoint);
    }
    const { loops, recentLoops } = checkpoint.counters;
    expect([loops, recentLoops.length]).toEqual([12, 10]);
    expect(recentLoops.at(0)).toEqual({ requestId: 'r2', hops, at: 7 });
    expect(recentLoops.at(-1)?.requestId).toBe('r11');
  });

  it('is let in on its first return', () => {
    const { checkpoint } = checkpointAt(0);
    expect(acceptPassport(headersOf({ hops: hops.slice(0, 3) }), checkpoint).admitted).toBe(true);
  });

  it('in shadow is told but let in', () => {
    const { checkpoint, told } = checkpointAt(0, { shadow: ['loop'] });
    expect(acceptPassport(headersOf({ hops }), checkpoint).admitted).toBe(true);
    expect(told.security).toHaveLength(1);
  });
});

describe('a request without a passport', () => {
  it('begins here, with a full budget and the usual time', () => {
    const { checkpoint, told } = checkpointAt(100);
    const { journey, dropped, receipt } = admitted(acceptPassport({ 'x-request-id': 'mine' }, checkpoint));
    expect(journey).toMatchObject({
      requestId: 'mine',
      hops: ['stock@1'],
      retriesLeft: 3,
      deadlineAt: 10_100,
    });
    expect([dropped, receipt()]).toEqual([null, null]);
    expect(told['passport-dropped']).toEqual([]);
  });

  it.each([undefined, '', 'a b', 'ä', 'x'.repeat(129)])('gets a new id instead of %j', (given) => {
    const { journey } = admitted(acceptPassport({ 'x-request-id': given }, checkpointAt(0).checkpoint));
    expect(journey.requestId).toMatch(/^[0-9a-f-]{36}$/);
  });
});

describe('a passport that is not one', () => {
  const text = writePassport(passport, keys);
  const otherKeys = new KeyRing({ ...key, secret: 'another secret of more than 32 bytes' }, null);

  it.each([
    ['too-long', `${text}${'x'.repeat(3_000)}`],
    ['malformed', 'hello'],
    ['malformed', ''],
    ['bad-signature', text.slice(0, -1)],
    ['bad-signature', writePassport(passport, otherKeys)],
    ['unknown-key', writePassport(passport, new KeyRing({ ...key, id: 'k9' }, null))],
    ['not-for-us', writePassport({ ...passport, hops: ['orders@1', 'bills@1'] }, keys)],
    ['not-for-us', writePassport({ ...passport, hops: ['stock@1', 'orders@1'] }, keys)],
  ])('is dropped as %s, and said so; the request goes on without retries', (flaw, given) => {
    const { checkpoint, told } = checkpointAt(0);
    const { journey, dropped } = admitted(acceptPassport({ 'x-portcullis-passport': given }, checkpoint));
    expect(dropped).toBe(flaw);
    expect(journey).toMatchObject({ hops: ['stock@1'], retriesLeft: 0 });
    expect(told['passport-dropped']).toEqual([{ flaw }]);
    expect(checkpoint.counters.droppedPassports).toBe(1);
  });

  it('is also two of them', () => {
    const { checkpoint } = checkpointAt(0);
    const { dropped } = admitted(acceptPassport({ 'x-portcullis-passport': [text, text] }, checkpoint));
    expect(dropped).toBe('bad-signature');
  });

  it('never widens a budget, whatever it says', () => {
    const change = fc.tuple(fc.nat(), fc.stringMatching(/^[ -~]{0,4}$/), fc.nat({ max: 5 }));
    fc.assert(
      fc.property(change, fc.integer({ min: 0, max: 3 }), ([at, piece, cut], retries) => {
        const written = writePassport({ ...passport, retries }, keys);
        const index = at % written.length;
        const changed = written.slice(0, index) + piece + written.slice(index + cut);
        const { checkpoint } = checkpointAt(0);
        const { journey } = admitted(acceptPassport({ 'x-portcullis-passport': changed }, checkpoint));
        expect(journey.retriesLeft).toBe(changed === written ? retries : 0);
      }),
    );
  });
});

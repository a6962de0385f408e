import { describe, expect, test } from 'vitest';
import { EventHub } from '../guard/events.ts';
import { type FailureOptions, readFailureOptions } from '../guard/failure/failure-options.ts';
import { createMemoryStore } from '../stores/memory/index.ts';
import { createFaultyStore } from '../testing/faulty-store.ts';
import { VirtualClock } from '../testing/virtual-clock.ts';
import type { KratosEvents } from './events.ts';
import { StoreWatch, type StoreWatchParts } from './store-watch.ts';

const SECOND = 1_000;
const MINUTE = 60_000;
const start = 1_700_000_000_000;
const sick = { kind: 'fault', code: 'STORE_FAILED' } as const;

/** A watch over a store that can be made sick, on virtual time, with all that it tells but single calls. */
function open(failure: FailureOptions = {}, parts: Partial<StoreWatchParts> = {}) {
  const clock = new VirtualClock(start);
  const store = createFaultyStore(createMemoryStore({ clock: () => clock.now() }), clock);
  const events = new EventHub<KratosEvents>();
  const told: string[] = [];
  const at = (time: number) => `${(time - start) / SECOND}s`;
  events.on('mode', (event) => told.push(`${at(event.at)} ${event.from} → ${event.to}`));
  events.on('breaker', (event) => told.push(`${at(event.at)} ${event.what} (${event.entries})`));
  events.on('critical', (event) => told.push(`${at(event.at)} ${event.what} until ${at(event.until)}`));
  const calls: KratosEvents['store'][] = [];
  events.on('store', (event) => calls.push(event));
  const watch = new StoreWatch({
    ping: () => store.ping(),
    settings: readFailureOptions({ clock, ...failure }),
    events,
    degradedMode: 'DEGRADED',
    ...parts,
  });
  const ask = () => watch.ask('count', () => store.transact([], () => 'counted'));
  const fallIll = async () => {
    store.trouble(sick);
    for (let failed = 0; failed < 3; failed += 1) await ask();
    store.trouble(null);
  };
  return { clock, store, watch, told, calls, ask, fallIll };
}

describe('a watch over the store of the counters', () => {
  test('tells every entry, exit, trip, close and guard action', async () => {
    const { clock, told, fallIll, watch } = open();
    for (let entry = 0; entry < 3; entry += 1) {
      await fallIll();
      await clock.advance(5 * MINUTE);
    }
    await clock.advance(5 * MINUTE);
    expect(told).toEqual([
      '0s tripped (1)',
      '0s NORMAL → DEGRADED',
      '300s closed (1)',
      '300s DEGRADED → NORMAL',
      '300s tripped (2)',
      '300s NORMAL → DEGRADED',
      '600s closed (2)',
      '600s DEGRADED → NORMAL',
      '600s tripped (2)',
      '600s reentry until 1200s',
      '600s NORMAL → FAIL_CLOSED',
      '1200s closed (2)',
      '1200s FAIL_CLOSED → NORMAL',
    ]);
    expect(watch.status).toEqual({ mode: 'NORMAL', since: start + 20 * MINUTE, fault: null });
  });

  test('says why it is where it is', async () => {
    const { fallIll, watch } = open();
    expect(watch.status).toEqual({ mode: 'NORMAL', since: null, fault: null });
    await fallIll();
    expect(watch.status).toEqual({ mode: 'DEGRADED', since: start, fault: 'STORE_FAILED' });
  });

  test('is never said to be shut where everybody passes', async () => {
    const { fallIll, told } = open({ breaker: { shutAtEntry: 1 } }, { degradedMode: 'FAIL_OPEN' });
    await fallIll();
    expect(told.at(-1)).toBe('0s NORMAL → FAIL_OPEN');
  });

  test('tells of each call how it ended', async () => {
    const { ask, calls, store } = open();
    await ask();
    store.trouble({ kind: 'fault', code: 'STORE_FULL' });
    await ask();
    expect(calls).toEqual([
      { op: 'count', durationMs: 0, fault: null },
      { op: 'count', durationMs: 0, fault: 'STORE_FULL' },
    ]);
  });

  test('probes every 5 s while its breaker is open, and no longer', async () => {
    const { clock, store, fallIll } = open();
    await fallIll();
    await clock.advance(MINUTE);
    expect(store.calls.ping).toBe(12);
    await clock.advance(10 * MINUTE);
    expect(store.calls.ping).toBe(60);
  });

  test('takes a probe that nobody answers for one that has failed', async () => {
    const { clock, store, watch, fallIll } = open();
    await fallIll();
    store.trouble({ kind: 'lose-request' });
    await clock.advance(10 * MINUTE);
    expect(watch.status.mode).toBe('DEGRADED');
    store.trouble(null);
    await clock.advance(2 * MINUTE + 5 * SECOND);
    expect(watch.status.mode).toBe('NORMAL');
  });

  test('ends its probes when it is stopped, and is not to be asked again', async () => {
    const { clock, store, watch, ask, fallIll } = open();
    await fallIll();
    watch.stop();
    await clock.advance(MINUTE);
    expect(store.calls.ping).toBe(0);
    await expect(ask()).rejects.toMatchObject({ code: 'STORE_CLOSED' });
  });

  test('begins no probes when calls fail that were under way as it was stopped', async () => {
    const { clock, store, watch } = open();
    store.trouble({ kind: 'lose-request' });
    const underWay = [0, 1, 2].map(() => watch.ask('count', () => store.transact([], () => 'counted')));
    watch.stop();
    await clock.advance(MINUTE);
    expect(await Promise.all(underWay)).toEqual([null, null, null]);
    expect(store.calls.ping).toBe(0);
  });
});

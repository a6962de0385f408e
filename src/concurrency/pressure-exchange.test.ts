import { describe, expect, it } from 'vitest';
import { Fault } from '../core/fault.ts';
import { createMemoryStore } from '../stores/memory/index.ts';
import type { Store } from '../stores/store.ts';
import { VirtualClock } from '../testing/virtual-clock.ts';
import { createCaps } from './caps.ts';
import { parsePressure } from './pressure.ts';
import {
  type PublishOptions,
  publishPressure,
  type WatchOptions,
  watchPressure,
} from './pressure-exchange.ts';

/** A store that can be taken away. */
function severable(store: Store) {
  const state = { isGone: false };
  const guarded = async <T>(work: () => Promise<T>): Promise<T> => {
    if (state.isGone) throw new Fault('STORE_FAILED', 'The store is gone.');
    return work();
  };
  const severed: Store = {
    view: (keys, look) => guarded(() => store.view(keys, look)),
    transact: (keys, step) => guarded(() => store.transact(keys, step)),
    ping: () => guarded(() => store.ping()),
    held: (prefix) => store.held(prefix),
    close: () => store.close(),
  };
  return { state, store: severed };
}

const failing = (): never => {
  throw new TypeError('a log that is full');
};

function exchange() {
  const clock = new VirtualClock(1_000_000);
  const { state, store } = severable(createMemoryStore({ clock: () => clock.now() }));
  const faults: unknown[] = [];
  const both = { store, clock, environment: 'test', onFault: (fault: unknown) => faults.push(fault) };
  const levels = { a: 0, b: 0 };
  const stops = (['a', 'b'] as const).map((node) =>
    publishPressure({ ...both, service: 'orders', node, pressure: () => levels[node] }),
  );
  const watch = watchPressure({ ...both, services: ['orders', 'billing'] });
  return { clock, state, faults, levels, stops, watch, both };
}

describe('pressure by the store', () => {
  it('reaches the gateway as the mean of the nodes', async () => {
    const { clock, levels, watch } = exchange();
    levels.a = 0.6;
    levels.b = 0.2;
    await clock.advance(2_000);
    expect(watch.pressureOf('orders')).toBeCloseTo(0.4, 9);
    expect(watch.pressureOf('billing')).toBe(0);
    expect(watch.pressureOf('unknown')).toBe(0);
    levels.a = 0;
    levels.b = 0;
    await clock.advance(2_000);
    expect(watch.pressureOf('orders')).toBe(0);
  });

  it('does not fade between two words, as rare as they may be', async () => {
    const { clock, both, stops } = exchange();
    for (const stop of stops) stop();
    const rare = { ...both, everyMs: 5_000 };
    publishPressure({ ...rare, service: 'shop', node: 'a', pressure: () => 0.8 });
    await clock.advance(1);
    const watch = watchPressure({ ...rare, services: ['shop'] });
    await clock.advance(1);
    for (let second = 0; second < 30; second += 1) {
      expect(watch.pressureOf('shop')).toBeCloseTo(0.8, 9);
      await clock.advance(1_000);
    }
  });

  it.each([
    ['throws', failing],
    ['rejects', async () => failing()],
  ])('goes on when the one who is told of faults %s', async (_, onFault) => {
    const { clock, state, both } = exchange();
    const watch = watchPressure({ ...both, onFault, services: ['orders'] });
    publishPressure({ ...both, onFault, service: 'orders', node: 'c', pressure: () => 0.9 });
    state.isGone = true;
    await clock.advance(3_000);
    state.isGone = false;
    await clock.advance(3_000);
    expect(watch.pressureOf('orders')).toBeCloseTo(0.3, 9);
  });

  it('needs names that begin with a letter or digit, and says so', () => {
    const { both } = exchange();
    const wanted = 'service must be 1 to 64 letters, digits or . _ @ -, a letter or digit first';
    expect(() => watchPressure({ ...both, services: ['__proto__'] })).toThrow(wanted);
  });

  it('is not spread over nodes that are gone', async () => {
    const { clock, levels, stops, watch } = exchange();
    levels.a = 0.6;
    await clock.advance(2_000);
    expect(watch.pressureOf('orders')).toBeCloseTo(0.3, 9);
    stops[1]?.();
    await clock.advance(20_000);
    expect(watch.pressureOf('orders')).toBeCloseTo(0.6, 9);
  });

  it('fades when the store is gone, which is told, and comes back with it', async () => {
    const { clock, state, faults, levels, watch } = exchange();
    levels.a = 0.8;
    levels.b = 0.8;
    await clock.advance(2_000);
    state.isGone = true;
    await clock.advance(5_000);
    expect(watch.pressureOf('orders')).toBeGreaterThan(0.6);
    await clock.advance(10_000);
    expect(watch.pressureOf('orders')).toBe(0);
    expect(faults.length).toBeGreaterThan(10);
    expect(faults[0]).toMatchObject({ code: 'STORE_FAILED' });
    state.isGone = false;
    await clock.advance(2_000);
    expect(watch.pressureOf('orders')).toBeCloseTo(0.8, 9);
  });

  it('stops when it is told to', async () => {
    const { clock, levels, stops, watch } = exchange();
    levels.a = 1;
    levels.b = 1;
    await clock.advance(2_000);
    for (const stop of stops) stop();
    watch.stop();
    await clock.advance(60_000);
    expect(watch.pressureOf('orders')).toBe(0);
  });

  it('stops also while the store is still at it', async () => {
    const clock = new VirtualClock();
    const { store } = severable(createMemoryStore());
    let asked = 0;
    let answer = () => {};
    const slow: Store = {
      ...store,
      transact: <T>() => {
        asked += 1;
        return new Promise<T>((_, reject) => {
          answer = () => reject(new Fault('STORE_TIMEOUT', 'Too late.'));
        });
      },
    };
    const faults: unknown[] = [];
    const stop = publishPressure({
      store: slow,
      clock,
      environment: 'test',
      service: 'orders',
      node: 'a',
      pressure: () => 1,
      onFault: (fault) => faults.push(fault),
    });
    await clock.advance(10);
    stop();
    answer();
    await clock.advance(60_000);
    expect(asked).toBe(1);
    expect(faults).toMatchObject([{ code: 'STORE_TIMEOUT' }]);
  });

  it('never writes a level that is none', async () => {
    const { clock, levels, watch } = exchange();
    levels.a = 7;
    levels.b = -3;
    await clock.advance(2_000);
    expect(watch.pressureOf('orders')).toBeCloseTo(0.5, 9);
  });

  it('leaves the others heard when one node has no number to tell, and says so', async () => {
    const { clock, levels, watch, faults } = exchange();
    levels.a = 0.8;
    levels.b = Number.NaN;
    await clock.advance(2_000);
    expect(watch.pressureOf('orders')).toBeCloseTo(0.8, 9);
    expect(faults[0]).toMatchObject({
      code: 'INPUT_INVALID',
      message: 'pressure must give a number from 0 to 1, got the number NaN',
    });
  });
});

describe('pressure by the header', () => {
  it('counts as soon as some responses have told it, and fades', async () => {
    const { clock, watch } = exchange();
    watch.heard('orders', 0.9);
    expect(watch.pressureOf('orders')).toBeCloseTo(0.09, 9);
    for (let i = 0; i < 100; i += 1) watch.heard('orders', 0.9);
    expect(watch.pressureOf('orders')).toBeCloseTo(0.9, 3);
    await clock.advance(15_000);
    expect(watch.pressureOf('orders')).toBe(0);
  });

  it('is not talked down by answers that tell none', () => {
    const { watch } = exchange();
    for (let i = 0; i < 100; i += 1) {
      watch.heard('orders', parsePressure('0.90'));
      for (let other = 0; other < 9; other += 1) watch.heard('orders', parsePressure(undefined));
    }
    expect(watch.pressureOf('orders')).toBeCloseTo(0.9, 3);
  });

  it('is not kept for services that nobody watches, nor believed when it is none', () => {
    const { watch } = exchange();
    for (let i = 0; i < 100; i += 1) {
      watch.heard('unknown', 1);
      watch.heard('orders', Number.NaN);
      watch.heard('orders', 40);
    }
    expect(watch.pressureOf('unknown')).toBe(0);
    expect(watch.pressureOf('orders')).toBe(0);
  });
});

describe('options of the exchange', () => {
  it.each([{ everyMs: 0 }, { everyMs: 1.5 }, { everyMs: 5_001 }, { environment: 'a b' }])(
    'are checked: %o',
    (wrong) => {
      const { both } = exchange();
      expect(() => watchPressure({ ...both, services: ['orders'], ...wrong })).toThrow(
        expect.objectContaining({ code: 'CONFIG_INVALID' }),
      );
      expect(() =>
        publishPressure({ ...both, service: 'orders', node: 'a', pressure: () => 0, ...wrong }),
      ).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
    },
  );

  it('are all there that are needed', () => {
    const { both } = exchange();
    const watched = { ...both, services: undefined } as object as WatchOptions;
    expect(() => watchPressure(watched)).toThrow('services must be a list, got nothing');
    const published = { ...both, service: 'orders', node: 'a' } as object as PublishOptions;
    expect(() => publishPressure(published)).toThrow('pressure must be a function, got nothing');
  });

  it.each<[object, string]>([
    [{ onFault: 'log' }, 'onFault must be a function, got a string of 3 characters'],
    [{ onFault: undefined }, 'onFault must be a function, got nothing'],
    [{ store: null }, 'store must be a store, got null'],
    [{ store: createCaps() }, 'store must be a store, got an object without view'],
    [{ every: 5 }, 'every is no option of '],
    [{ everyMs: null }, 'everyMs must be a whole number from 10 to 5000, got null'],
  ])('are refused by name: %o', (wrong, message) => {
    const { both } = exchange();
    const fault = expect.objectContaining({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining(message),
    });
    expect(() => watchPressure({ ...both, services: ['orders'], ...wrong })).toThrow(fault);
    expect(() =>
      publishPressure({ ...both, service: 'orders', node: 'a', pressure: () => 0, ...wrong }),
    ).toThrow(fault);
  });

  it('want services in a list, and a function that gives the pressure', () => {
    const { both } = exchange();
    const wrong: { services: string[]; pressure: () => number } = JSON.parse(
      '{"services":"orders","pressure":1}',
    );
    expect(() => watchPressure({ ...both, services: wrong.services })).toThrow(
      'services must be a list, got a string of 6 characters',
    );
    expect(() =>
      publishPressure({ ...both, service: 'orders', node: 'a', pressure: wrong.pressure }),
    ).toThrow('pressure must be a function, got an integer of 1 digit');
  });

  it('want a node with a name', () => {
    const { both } = exchange();
    expect(() => publishPressure({ ...both, service: 'orders', node: '', pressure: () => 0 })).toThrow(
      'node',
    );
  });
});

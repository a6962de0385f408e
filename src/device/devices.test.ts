import fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createDevices, type DevicesOptions } from './devices.ts';
import type { HeaderReader } from './shown-device.ts';

const secret = 'sixteen bytes or more';
const dayMs = 86_400_000;
const start = 1_700_000_000_000;
const chrome =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36';

type Headers = Readonly<Record<string, string>>;
const readerOf =
  (headers: Headers): HeaderReader =>
  (name) =>
    headers[name];

/** A browser that keeps cookies, before a server in simulated time. */
function bench(options: Partial<DevicesOptions> = {}) {
  let now = start;
  let cookie = '';
  const devices = createDevices({ secret, clock: () => now, ...options });
  const headers = (): Headers => ({ 'user-agent': chrome, 'accept-language': 'de-DE,de;q=0.9', cookie });
  return {
    devices,
    elapse: (ms: number) => {
      now += ms;
    },
    show: (account: string) => devices.show(readerOf(headers()), account),
    signIn: (account: string) => {
      const issued = devices.issue(readerOf(headers()), account);
      if (issued.setCookie !== null) cookie = issued.setCookie.split(';')[0] ?? '';
      return issued;
    },
    cookie: () => cookie,
    setCookie: (text: string) => {
      cookie = text;
    },
  };
}

describe('a device token', () => {
  it('is trusted on its account, as the same device', () => {
    const { show, signIn } = bench();
    expect(show('alice')?.confidence).toBe('LOW');
    const { device } = signIn('alice');
    expect(device).toEqual({ id: expect.stringMatching(/^t:[\w-]{22}$/), confidence: 'HIGH' });
    expect(show('alice')).toEqual(device);
  });

  it('gives no trust on another account', () => {
    const { show, signIn } = bench();
    const { device } = signIn('alice');
    const shown = show('mallory');
    expect(shown?.confidence).toBe('LOW');
    expect(shown?.id).not.toBe(device.id);
  });

  it('is set so that no script and no plain connection sees it', () => {
    expect(bench().signIn('alice').setCookie).toMatch(
      /^__Host-portcullis-device=1\.[\w-]{22}\.[0-9a-z]+\.[\w-]{43}; Path=\/; Max-Age=7776000; HttpOnly; SameSite=Lax; Secure$/,
    );
    expect(bench({ secure: false, sameSite: 'Strict' }).signIn('alice').setCookie).toMatch(
      /^portcullis-device=.*; HttpOnly; SameSite=Strict$/,
    );
  });

  it('is renewed after a while, for the same device, and not before', () => {
    const { signIn, elapse, cookie } = bench();
    const { device } = signIn('alice');
    const first = cookie();
    elapse(7 * dayMs - 1);
    expect(signIn('alice')).toEqual({ device, setCookie: null });
    elapse(1);
    expect(signIn('alice').device).toEqual(device);
    expect(cookie()).not.toBe(first);
  });

  it('is renewed in time also where it counts for less than a week', () => {
    const { signIn, elapse, cookie } = bench({ maxAgeMs: dayMs });
    const { device } = signIn('alice');
    const first = cookie();
    elapse(dayMs / 2);
    expect(signIn('alice').device).toEqual(device);
    expect(cookie()).not.toBe(first);
  });

  it('counts also where the clock of the host has a fraction', () => {
    const { show, signIn } = bench({ clock: () => start + 0.25 });
    const { device } = signIn('alice');
    expect(show('alice')).toEqual(device);
  });

  it('counts for 90 days, and no longer', () => {
    const { show, signIn, elapse } = bench();
    signIn('alice');
    elapse(90 * dayMs - 1);
    expect(show('alice')?.confidence).toBe('HIGH');
    elapse(1);
    expect(show('alice')?.confidence).toBe('LOW');
  });

  it('ends by a time that is faked after the devices were made, as tests of an application do', () => {
    const devices = createDevices({ secret });
    const { setCookie } = devices.issue(() => undefined, 'ada');
    const shown = () =>
      devices.show((name) => (name === 'cookie' ? setCookie?.split(';')[0] : undefined), 'ada');
    expect(shown()).toMatchObject({ confidence: 'HIGH' });
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 91 * 86_400_000 });
    onTestFinished(() => void vi.useRealTimers());
    expect(shown()).toBeNull();
  });

  it('from the future counts for nothing, apart from clocks that differ a little', () => {
    const { show, signIn, elapse } = bench();
    signIn('alice');
    elapse(-5 * 60_000);
    expect(show('alice')?.confidence).toBe('HIGH');
    elapse(-1);
    expect(show('alice')?.confidence).toBe('LOW');
  });

  it('outlives a change of the secret while the old one is known', () => {
    const old = bench();
    const { device } = old.signIn('alice');
    const rotating = bench({ secret: 'another secret, as long', previousSecret: secret });
    rotating.setCookie(old.cookie());
    expect(rotating.show('alice')).toEqual(device);
    rotating.elapse(8 * dayMs);
    expect(rotating.signIn('alice').device).toEqual(device);
    const rotated = bench({ secret: 'another secret, as long' });
    rotated.setCookie(old.cookie());
    expect(rotated.show('alice')?.confidence).toBe('LOW');
    rotated.setCookie(rotating.cookie());
    rotated.elapse(8 * dayMs);
    expect(rotated.show('alice')).toEqual(device);
  });

  it('is kept for four accounts of one browser; the longest unused goes', () => {
    const { show, signIn, cookie } = bench();
    for (const account of ['a', 'b', 'c', 'd']) signIn(account);
    for (const account of ['a', 'b', 'c', 'd']) expect(show(account)?.confidence).toBe('HIGH');
    signIn('e');
    expect(show('e')?.confidence).toBe('HIGH');
    expect(show('a')?.confidence).toBe('LOW');
    expect(cookie().length).toBeLessThan(400);
  });

  it('stays where its account is signed in to, however long ago it was issued', () => {
    const { show, signIn, elapse } = bench();
    for (const account of ['mine', 'b', 'c', 'd']) signIn(account);
    elapse(dayMs);
    const { device, setCookie } = signIn('mine');
    expect(setCookie).not.toBeNull();
    expect(signIn('mine')).toEqual({ device, setCookie: null });
    signIn('e');
    expect(show('mine')).toEqual(device);
    expect(show('b')?.confidence).toBe('LOW');
  });

  it('counts from a cookie of its very name, which to a browser one with a blank before it has not', () => {
    const { show, signIn, cookie, setCookie } = bench();
    signIn('alice');
    const genuine = cookie();
    const name = genuine.slice(0, genuine.indexOf('='));
    for (const blank of ['\u00a0', '\u2003', '\ufeff', '\v', '\f']) {
      setCookie(`${blank}${genuine}`);
      expect(show('alice')?.confidence).toBe('LOW');
      setCookie(`${blank}${name}=forged; \t${genuine}\t `);
      expect(show('alice')?.confidence).toBe('HIGH');
    }
  });

  it('does not survive the change of one character', () => {
    const { show, signIn, cookie, setCookie } = bench();
    signIn('alice');
    const genuine = cookie();
    const begin = genuine.indexOf('=') + 1;
    fc.assert(
      fc.property(
        fc.integer({ min: begin, max: genuine.length - 1 }),
        fc.constantFrom(...'aZ9-_.~'),
        (at, to) => {
          fc.pre(genuine[at] !== to);
          setCookie(genuine.slice(0, at) + to + genuine.slice(at + 1));
          expect(show('alice')?.confidence).toBe('LOW');
        },
      ),
    );
  });

  it('is not found in whatever a client may send', () => {
    const { devices } = bench();
    fc.assert(
      fc.property(fc.string(), fc.string({ maxLength: 9_000 }), (account, value) => {
        const header = readerOf({ cookie: `__Host-portcullis-device=${value}` });
        expect(devices.show(header, account)).toBeNull();
      }),
    );
  });
});

describe('options', () => {
  it.each<[Record<string, unknown>, string]>([
    [{ secret: 'short' }, 'secret must have at least 16 bytes, got 5'],
    [{ previousSecret: 'short' }, 'previousSecret must have at least 16 bytes, got 5'],
    [{ previousSecret: null }, 'previousSecret must be text or bytes'],
    [{ maxAgeMs: 0 }, 'maxAgeMs must be'],
    [{ renewAfterMs: Number.NaN }, 'renewAfterMs must be'],
    [{ secure: 'false' }, 'secure must be true or false, got a string of 5 characters'],
    [{ sameSite: 'None' }, 'sameSite must be "Strict" or "Lax", got a string of 4 characters'],
    [{ sameSite: 'Lax; Domain=example.org' }, 'sameSite must be'],
    [{ clock: start }, 'clock must be a function'],
    [{ maxAge: dayMs }, 'maxAge is no option of devices: there are secret, previousSecret, maxAgeMs, '],
  ])('are checked: %j', (options, message) => {
    expect(() => bench(options)).toThrow(message);
  });

  it('are missed by name where there are none', () => {
    const nothing = undefined as unknown as DevicesOptions;
    expect(() => createDevices(nothing)).toThrow('secret must be text or bytes');
  });
});

describe('devices that are misused', () => {
  it.each([undefined, null, 7])('issue nothing for an account that is %j', (given) => {
    const { devices } = bench();
    const account = given as unknown as string;
    expect(() => devices.issue(readerOf({}), account)).toThrow('account must be a string, got ');
    expect(() => devices.show(readerOf({}), account)).toThrow('account must be a string, got ');
  });

  it('say that they read headers by a function', () => {
    const { devices } = bench();
    const headers = {} as unknown as HeaderReader;
    const message = 'header must be a function that reads a header by its name, got an object';
    expect(() => devices.issue(headers, 'alice')).toThrow(message);
    expect(() => devices.show(headers, 'alice')).toThrow(message);
  });
});

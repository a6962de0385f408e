import { describe, expect, it } from 'vitest';
import { createDevices } from '../device/index.ts';
import { createGuard, type Guard } from '../index.ts';
import { createMemoryStore } from '../stores/memory/index.ts';
import type { Store } from '../stores/store.ts';
import { createFaultyStore, VirtualClock } from '../testing/index.ts';
import type { Arrival } from './arrival.ts';
import { type ProtectOptions, SignInGate } from './sign-in-gate.ts';

const secret = 'a secret for tests only';
/** What the script in the page tells of a browser. */
const assisted = (index: number) => ({
  'x-portcullis-device': `1.${String(index).padStart(22, 'a')}.1800x1200.1`,
});
const usual = { 'user-agent': 'Mozilla/5.0 Chrome/138.0.0.0', 'accept-language': 'en' };

/** What a browser sends from one address, and what it keeps. */
class Browser {
  readonly #own: Record<string, string>;
  readonly #peer: string;

  constructor(own: Record<string, string> = {}, peer = '203.0.113.7') {
    this.#own = own;
    this.#peer = peer;
  }

  /** Tries it, keeps the cookie it gets, and tells whether it was let in or why not. */
  async try(gate: Gate, account: string, guess: string): Promise<string> {
    const headers: Record<string, string> = { ...usual, ...this.#own };
    const arrival: Arrival = {
      request: {},
      method: 'POST',
      path: '/',
      peer: this.#peer,
      header: (name) => headers[name],
    };
    const passage = await gate.pass(arrival, { account, guess });
    if (!passage.allowed) return passage.reason;
    const [, cookie] = passage.headers.find(([name]) => name === 'Set-Cookie') ?? [];
    if (cookie !== undefined) this.#own.cookie = cookie.split(';')[0] ?? '';
    return 'in';
  }

  get hasToken(): boolean {
    return this.#own.cookie !== undefined;
  }
}

type Args = [attempt: { account: string; guess: string }];
type Gate = SignInGate<Args, string>;

interface Scene {
  readonly guard: Guard;
  readonly gate: (options?: Partial<ProtectOptions<Args, string>>) => Gate;
  /** Lets time go by. */
  readonly pass: (ms: number) => void;
}

function scene(storeOf: (store: Store) => Store = (store) => store): Scene {
  let now = Date.UTC(2026, 0, 1);
  const clock = () => now;
  const guard = createGuard({ secret, store: storeOf(createMemoryStore({ clock })) });
  const devices = createDevices({ secret, clock });
  return {
    guard,
    gate: (options = {}) =>
      new SignInGate<Args, string>(guard, {
        account: ({ account }) => account,
        verify: ({ account, guess }) => guess === 'right' && account,
        devices,
        ...options,
      }),
    pass: (ms) => {
      now += ms;
    },
  };
}

describe('a sign-in with two factors', () => {
  it('makes nobody known who has only the password: codes are as hard to guess as without it', async () => {
    const { gate, pass } = scene();
    let looked = 0;
    const password = gate({ isLastFactor: false });
    const code = gate({
      action: 'auth.otp',
      verify: () => {
        looked += 1;
        return false;
      },
    });
    for (let second = 0; second < 1_200; second += 1) {
      const thief = new Browser(assisted(second));
      await thief.try(password, 'alice', 'right');
      await thief.try(code, 'alice', 'wrong');
      pass(1_000);
    }
    expect(looked).toBeGreaterThan(0);
    expect(looked).toBeLessThan(10);
  });

  it('gives a token after the last one, and trusts it at both', async () => {
    const { gate } = scene();
    const [password, code] = [gate({ isLastFactor: false }), gate({ action: 'auth.otp' })];
    const owner = new Browser();
    expect(await owner.try(password, 'alice', 'right')).toBe('in');
    expect(owner.hasToken).toBe(false);
    expect(await owner.try(code, 'alice', 'right')).toBe('in');
    expect(owner.hasToken).toBe(true);

    const stranger = new Browser({}, '198.51.100.1');
    for (const factor of [password, code]) {
      for (let guess = 0; guess < 5; guess += 1) await stranger.try(factor, 'alice', 'wrong');
      expect(await stranger.try(factor, 'alice', 'right')).toBe('blocked');
      expect(await owner.try(factor, 'alice', 'right')).toBe('in');
    }
  });

  it('refuses a right password that guesses in parallel have overtaken', async () => {
    const { guard, gate } = scene();
    const overtaken = gate({
      isLastFactor: false,
      verify: async ({ account }) => {
        const guess = { action: 'auth.login', account, ip: '198.51.100.1' };
        for (let count = 0; count < 3; count += 1) await guard.fail(guess);
        return account;
      },
    });
    expect(await new Browser().try(overtaken, 'alice', 'right')).toBe('blocked');
  });
});

describe('a sign-in with devices', () => {
  it('is one new device and not two: as many new browsers get in as without tokens', async () => {
    const { gate, pass } = scene();
    const answers = [];
    for (let index = 0; index < 6; index += 1) {
      const fresh = new Browser(assisted(index), `203.0.113.${index}`);
      answers.push(await fresh.try(gate(), 'alice', 'right'));
      pass(1_000);
    }
    expect(answers).toEqual(['in', 'in', 'in', 'in', 'in', 'in']);
  });

  it('goes through without a token where a block stops all but the device that it showed', async () => {
    const { guard, gate } = scene();
    const ip = '203.0.113.7';
    const id = `a:${String(7).padStart(22, 'a')}`;
    await guard.succeed({
      action: 'auth.login',
      account: 'alice',
      ip: '192.0.2.1',
      device: { id, confidence: 'MEDIUM' },
    });
    const sprayer = { id: 'one of many', confidence: 'MEDIUM' } as const;
    for (const account of ['a', 'b', 'c', 'd', 'e']) {
      await guard.fail({ action: 'auth.login', account, ip, device: sprayer });
    }
    const owner = new Browser(assisted(7), ip);
    expect(await new Browser(assisted(8), ip).try(gate(), 'alice', 'right')).toBe('blocked');
    expect(await owner.try(gate(), 'alice', 'right')).toBe('in');
    expect(owner.hasToken).toBe(false);
  });

  it.each([
    ['auth.otp', ['wrong']],
    ['auth.login', ['wrong', 'wrong']],
  ])('counts once while the store is away: at %s typos keep no owner out', async (action, typos) => {
    const { guard, gate } = scene((store) => {
      const faulty = createFaultyStore(store, new VirtualClock());
      faulty.trouble({ kind: 'fault', code: 'STORE_FAILED' });
      return faulty;
    });
    for (let count = 0; count < 3; count += 1) await guard.check({ action, account: 'bob', ip: '192.0.2.1' });
    const owner = new Browser();
    for (const typo of typos) expect(await owner.try(gate({ action }), 'alice', typo)).toBe('credentials');
    expect(await owner.try(gate({ action }), 'alice', 'right')).toBe('in');
    await guard.close();
  });

  it('counts once where the store goes away while the credentials are looked at', async () => {
    let goAway = () => {};
    const { guard, gate } = scene((store) => {
      const faulty = createFaultyStore(store, new VirtualClock());
      goAway = () => faulty.trouble({ kind: 'fault', code: 'STORE_FAILED' });
      return faulty;
    });
    const action = 'auth.otp';
    const verify = async () => {
      goAway();
      for (let count = 0; count < 3; count += 1)
        await guard.check({ action, account: 'bob', ip: '192.0.2.1' });
      return 'alice';
    };
    const owner = new Browser();
    expect(await owner.try(gate({ action, verify }), 'alice', 'right')).toBe('in');
    expect(owner.hasToken).toBe(false);
    expect(await owner.try(gate({ action }), 'alice', 'right')).toBe('in');
    await guard.close();
  });
});

import { describe, expect, it } from 'vitest';
import { type BotVerifierOptions, createBotVerifier, type NameResolver } from './good-bots.ts';

const google = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';
const call = (ip: string, ua = google) => ({ method: 'GET', path: '/', ip, ua });

/** Name servers that know these names, and count how often they are asked. */
function names(reverse: Record<string, string[]>, forward: Record<string, string[]>) {
  const asked: string[] = [];
  const find = async (table: Record<string, string[]>, what: string) => {
    asked.push(what);
    const found = table[what];
    return found ?? Promise.reject(new Error('ENOTFOUND'));
  };
  const resolver: NameResolver = {
    reverse: (ip) => find(reverse, ip),
    resolve4: (name) => find(forward, name),
    resolve6: (name) => find(forward, name),
  };
  return { resolver, asked };
}

describe('a verified bot', () => {
  const reverse = {
    '66.249.66.1': ['crawl-66-249-66-1.googlebot.com.'],
    '192.0.2.1': ['crawl-66-249-66-1.googlebot.com'],
    '192.0.2.2': ['googlebot.com.evil.example'],
    '192.0.2.3': ['fakegooglebot.com'],
    '2001:4860:4801:10::1': ['crawl-v6.googlebot.com'],
  };
  const forward = {
    'crawl-66-249-66-1.googlebot.com': ['66.249.66.1'],
    'googlebot.com.evil.example': ['192.0.2.2'],
    'fakegooglebot.com': ['192.0.2.3'],
    'crawl-v6.googlebot.com': ['2001:4860:4801:0010:0:0:0:1'],
  };

  it.each([
    ['has a name that leads back', '66.249.66.1', true],
    ['also with IPv6', '2001:4860:4801:10::1', true],
    ['also where a socket for both writes IPv4 as IPv6', '::ffff:66.249.66.1', true],
    ['is no address', 'unknown', false],
    ['does not have a name that leads elsewhere', '192.0.2.1', false],
    ['does not have a name that only contains the domain', '192.0.2.2', false],
    ['does not have a name that only ends like the domain', '192.0.2.3', false],
    ['has a name', '192.0.2.4', false],
  ])('%s', async (_, ip, good) => {
    const verifier = createBotVerifier({ resolver: names(reverse, forward).resolver });
    expect(await verifier.verify(call(ip))).toBe(good);
    expect(verifier.isVerified(call(ip))).toBe(good);
  });

  it('is looked up once for a while, and nobody else is at all', async () => {
    const { resolver, asked } = names(reverse, forward);
    let now = 0;
    const verifier = createBotVerifier({ resolver, clock: () => now });
    await Promise.all([1, 2, 3].map(() => verifier.verify(call('66.249.66.1'))));
    await verifier.verify(call('66.249.66.1'));
    expect(await verifier.verify(call('66.249.66.1', 'Mozilla/5.0 Chrome/119.0'))).toBe(false);
    expect(verifier.isVerified(call('66.249.66.1', 'Mozilla/5.0 Chrome/119.0'))).toBe(false);
    expect(asked).toHaveLength(2);
    now = 25 * 3_600_000;
    expect(verifier.isVerified(call('66.249.66.1'))).toBe(false);
    expect(await verifier.verify(call('66.249.66.1'))).toBe(true);
    expect(asked).toHaveLength(4);
  });

  it('is looked up again after ten minutes where name servers did not know it', async () => {
    const known: Record<string, string[]> = {};
    const { resolver, asked } = names(known, forward);
    let now = 0;
    const verifier = createBotVerifier({ resolver, clock: () => now });
    expect(await verifier.verify(call('66.249.66.1'))).toBe(false);
    Object.assign(known, reverse);
    now = 600_000 - 1;
    expect(await verifier.verify(call('66.249.66.1'))).toBe(false);
    expect(asked).toHaveLength(1);
    now += 1;
    expect(await verifier.verify(call('66.249.66.1'))).toBe(true);
  });

  it('waits in no queue: whoever comes while many are looked up is not verified', async () => {
    let release = () => {};
    const slow = new Promise<string[]>((resolve) => {
      release = () => resolve([]);
    });
    const resolver = { reverse: () => slow, resolve4: () => slow, resolve6: () => slow };
    const verifier = createBotVerifier({ resolver, mostPending: 2 });
    const looking = ['192.0.2.1', '192.0.2.2'].map((ip) => verifier.verify(call(ip)));
    expect(await verifier.verify(call('192.0.2.3'))).toBe(false);
    release();
    expect(await Promise.all(looking)).toEqual([false, false]);
  });

  it('refuses a bound that is none', () => {
    expect(() => createBotVerifier({ mostPending: 0 })).toThrow(
      'mostPending must be a whole number from 1 to 1000',
    );
  });

  it.each([
    [{ bot: [] }, 'bot is no option of a bot verifier: there are bots, resolver, mostPending, clock'],
    [{ bots: [{ agent: 'ourbot', domain: ['example.com'] }] }, 'domain is no option of bots[0]'],
    [
      { bots: [{ agent: 'ourbot' }] },
      'bots[0].domains must be a list of texts that are not empty, got nothing',
    ],
    [{ bots: [{ agent: 'ourbot', domains: [''] }] }, 'bots[0].domains must be a list of texts'],
    [{ bots: [{ agent: '', domains: ['example.com'] }] }, 'bots[0].agent must be a text that is not empty'],
  ])('refuses %j', (options, message) => {
    expect(() => createBotVerifier(options as BotVerifierOptions)).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', message: expect.stringContaining(message) }),
    );
  });
});

import { existsSync, readFileSync } from 'node:fs';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assistedDevice } from './assisted-device.ts';
import { deviceScript, deviceScriptHash } from './browser-script.ts';
import { passiveDevice } from './passive-device.ts';

const userAgents = new URL('../../../shared/data/user-agents.json', import.meta.url);
const chrome =
  'Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36';
const full = {
  'user-agent': chrome,
  'accept-language': 'de-DE,de;q=0.9,en;q=0.8',
  'sec-ch-ua-platform': '"Windows"',
};

type Headers = Readonly<Record<string, string | undefined>>;
const passive = (headers: Headers) => passiveDevice((name) => headers[name]);
const assisted = (headers: Headers) => assistedDevice((name) => headers[name]);

describe('a passive fingerprint', () => {
  it('needs two of three traits', () => {
    const { 'user-agent': ua, 'accept-language': language, 'sec-ch-ua-platform': platform } = full;
    expect(passive({})).toBeNull();
    expect(passive({ 'user-agent': ua })).toBeNull();
    expect(passive({ 'accept-language': language })).toBeNull();
    expect(passive({ 'sec-ch-ua-platform': platform })).toBeNull();
    expect(passive({ 'user-agent': 'curl/8.0', 'accept-language': language })).toBeNull();
    expect(passive({ 'user-agent': ua, 'accept-language': language })?.confidence).toBe('LOW');
    expect(passive({ 'user-agent': ua, 'sec-ch-ua-platform': platform })?.confidence).toBe('LOW');
    expect(passive({ 'accept-language': language, 'sec-ch-ua-platform': platform })?.confidence).toBe('LOW');
  });

  it('does not change with an update or with weights', () => {
    const device = passive(full);
    expect(passive({ ...full, 'user-agent': chrome.replace('120', '121') })).toEqual(device);
    expect(passive({ ...full, 'accept-language': 'de-de, de;q=0.7, en;q=0.3' })).toEqual(device);
    expect(passive({ ...full, 'user-agent': chrome.replace('Chrome', 'Firefox') })).not.toEqual(device);
    expect(passive({ ...full, 'accept-language': 'en' })).not.toEqual(device);
    expect(passive({ ...full, 'sec-ch-ua-platform': '"macOS"' })).not.toEqual(device);
  });

  it('is bounded and never fails', () => {
    fc.assert(
      fc.property(
        fc.string({ maxLength: 2_000 }),
        fc.string({ maxLength: 2_000 }),
        fc.string(),
        (ua, language, platform) => {
          const device = passive({
            'user-agent': ua,
            'accept-language': language,
            'sec-ch-ua-platform': platform,
          });
          expect(device === null || /^p:[\w-]{22}$/.test(device.id)).toBe(true);
        },
      ),
    );
  });

  it.runIf(existsSync(userAgents))('tells browsers of the wild apart by family only', () => {
    const { cases } = JSON.parse(readFileSync(userAgents, 'utf8')) as { cases: readonly { ua: string }[] };
    const ids = new Set(cases.map(({ ua }) => passive({ ...full, 'user-agent': ua })?.id));
    expect(ids.size).toBeLessThanOrEqual(6);
    expect(ids.size).toBeGreaterThan(3);
  });
});

describe('an id of the browser', () => {
  const text = '1.AAAAAAAAAAAAAAAAAAAAAA.1800x1200.1';

  it('is read from the header, else from the cookie', () => {
    const expected = {
      device: { id: 'a:AAAAAAAAAAAAAAAAAAAAAA', confidence: 'MEDIUM' },
      screen: '1800x1200',
      timezoneHours: 1,
    };
    expect(assisted({ 'x-portcullis-device': text })).toEqual(expected);
    expect(assisted({ cookie: `a=b; portcullis-device-id=${text}; c=d` })).toEqual(expected);
  });

  it('is looked for in time linear in the cookies', () => {
    const cookie = `a${' '.repeat(8_000)}b=c; portcullis-device-id = ${text}\t`;
    for (let request = 0; request < 1_000; request += 1) {
      expect(assisted({ cookie })?.device.id).toBe('a:AAAAAAAAAAAAAAAAAAAAAA');
    }
  });

  it.each([
    '',
    '1.short.1800x1200.1',
    `${text}.more`,
    text.replace('1800x1200', '1800'),
    text.replace('A.', '~.'),
    '2.AAAAAAAAAAAAAAAAAAAAAA.1800x1200.1',
  ])('is nothing when it is not well formed: %s', (other) => {
    expect(assisted({ 'x-portcullis-device': other })).toBeNull();
  });
});

/** Runs the script as a browser would, with storage that may be denied. */
function browse(storage: Map<string, string> | null, protocol = 'https:', width = 1_728, height = 1_117) {
  const page = {
    crypto: { getRandomValues: (bytes: Uint8Array) => crypto.getRandomValues(bytes) },
    btoa,
    localStorage: {
      getItem: (key: string) => {
        if (storage === null) throw new DOMException('denied', 'SecurityError');
        return storage.get(key) ?? null;
      },
      setItem: (key: string, value: string) => storage?.set(key, value),
    },
    screen: { width, height },
    location: { protocol },
    document: { cookie: '' },
    window: {} as { portcullisDevice?: string },
  };
  runInNewContext(deviceScript, page);
  return { told: page.window.portcullisDevice, cookie: page.document.cookie };
}

describe('the script for the browser', () => {
  it('tells an id that it keeps', () => {
    const storage = new Map<string, string>();
    const first = browse(storage);
    const again = browse(storage, 'https:', 1_117, 1_728);
    expect(first.told).toMatch(/^1\.[\w-]{22}\.1800x1200\.-?\d+$/);
    expect(again.told).toBe(first.told);
    expect(browse(new Map()).told).not.toBe(first.told);
    expect(assisted({ 'x-portcullis-device': first.told })?.device.confidence).toBe('MEDIUM');
    expect(assisted({ cookie: first.cookie.split(';')[0] })).toEqual(
      assisted({ 'x-portcullis-device': first.told }),
    );
  });

  it('replaces what is not an id', () => {
    expect(browse(new Map([['portcullis-device-id', '<script>']])).told).toMatch(/^1\.[\w-]{22}\./);
  });

  it('keeps the cookie to secure connections where there is one', () => {
    expect(browse(new Map()).cookie).toMatch(/; samesite=lax; secure$/);
    expect(browse(new Map(), 'http:').cookie).toMatch(/; samesite=lax$/);
  });

  it('does nothing where storage is denied', () => {
    expect(browse(null)).toEqual({ told: undefined, cookie: '' });
  });

  it('is small, and named for a content security policy', () => {
    expect(deviceScript.length).toBeLessThan(1_200);
    expect(deviceScriptHash).toMatch(/^sha256-[A-Za-z0-9+/]{43}=$/);
  });

  it('probes nothing', () => {
    expect(deviceScript).not.toMatch(/canvas|audio|webgl|font|plugins|battery|media/i);
  });
});

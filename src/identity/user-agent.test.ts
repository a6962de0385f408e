import { existsSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { normaliseUserAgent } from './user-agent.ts';

const webkit = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko)';

test.each([
  [`${webkit} Chrome/120.0.0.0 Safari/537.36`, 'chrome/120'],
  [`${webkit} CriOS/119.0.6045.109 Mobile/15E148 Safari/604.1`, 'chrome/119'],
  [`${webkit} HeadlessChrome/120.0.0.0 Safari/537.36`, 'chrome/120'],
  [`${webkit} Chrome/120.0.0.0 Safari/537.36 Edg/121.0.1`, 'edge/121'],
  [`${webkit} Chrome/120.0.0.0 Mobile Safari/537.36 EdgA/118.0`, 'edge/118'],
  [`${webkit} Version/17.0 EdgiOS/117.0 Mobile/15E148 Safari/605.1.15`, 'edge/117'],
  [`${webkit} Chrome/64.0 Safari/537.36 Edge/17.17134`, 'edge/17'],
  [`${webkit} Chrome/120.0.0.0 Safari/537.36 OPR/106.0.0.0`, 'opera/106'],
  [`${webkit} OPiOS/16.0 Mobile Safari/9537.53`, 'opera/16'],
  ['Opera/9.80 (Windows NT 6.1; WOW64) Presto/2.12.388 Version/12.18', 'opera/9'],
  ['Mozilla/5.0 (X11; Linux x86_64; rv:121.0) Gecko/20100101 Firefox/121.0', 'firefox/121'],
  [`${webkit} FxiOS/120.0 Mobile/15E148 Safari/605.1.15`, 'firefox/120'],
  [`${webkit} Version/17.2 Safari/605.1.15`, 'safari/17'],
  [`${webkit} Safari/605.1.15 Version/17.2`, 'other/0'],
  [`${webkit} Version/17.2`, 'other/0'],
  [`${webkit} Safari/605.1.15`, 'other/0'],
  ['curl/8.5.0', 'other/0'],
  ['chrome/120.0', 'other/0'],
  ['FIREFOX/120', 'other/0'],
  ['', 'other/0'],
  [undefined, 'other/0'],
])('%s is %s', (raw, normalised) => {
  expect(normaliseUserAgent(raw)).toBe(normalised);
});

test.each([
  ['Chrome/1', 'chrome/1'],
  ['Chrome/999', 'chrome/999'],
  ['Chrome/1234', 'other/0'],
  ['Chrome/', 'other/0'],
  ['Chrome/x', 'other/0'],
  ['Chrome/.5', 'other/0'],
  ['Chrome/007', 'chrome/7'],
  ['Chrome/000', 'chrome/0'],
  ['Chrome/0012', 'other/0'],
  ['Chrome/٣', 'other/0'],
  ['Chrome/1234 Chrome/56', 'chrome/56'],
  ['Chrome/x CriOS/7 Chrome/8', 'chrome/7'],
  ['CriOS/7 Chrome/8', 'chrome/7'],
  ['Chrome/8 CriOS/7', 'chrome/8'],
  ['Chrome/Chrome/9', 'chrome/9'],
  ['Edg/12345 Chrome/120', 'chrome/120'],
  ['Version/1234 Version/15 Safari/1', 'safari/15'],
  ['Safari/1 Version/15 Safari/2', 'safari/15'],
  ['Version/15 Safari/1 Version/16', 'safari/15'],
])('the major in %s gives %s', (raw, normalised) => {
  expect(normaliseUserAgent(raw)).toBe(normalised);
});

/** The contract's words as regular expressions: slow, and with nothing to get wrong. */
function reference(raw: string): string {
  const families: readonly [string, RegExp][] = [
    ['opera', /(?:OPR|OPiOS|Opera)\/(\d{1,3})(?!\d)/],
    ['edge', /(?:Edg|EdgA|EdgiOS|Edge)\/(\d{1,3})(?!\d)/],
    ['firefox', /(?:Firefox|FxiOS)\/(\d{1,3})(?!\d)/],
    ['chrome', /(?:Chrome|CriOS)\/(\d{1,3})(?!\d)/],
    ['safari', /Version\/(\d{1,3})(?!\d)(?=.*Safari\/)/s],
  ];
  for (const [name, pattern] of families) {
    const major = pattern.exec(raw)?.[1];
    if (major !== undefined) return `${name}/${Number(major)}`;
  }
  return 'other/0';
}

const piece = fc.oneof(
  fc.constantFrom('OPR/', 'OPiOS/', 'Opera/', 'Edg/', 'EdgA/', 'EdgiOS/', 'Edge/', 'Firefox/', 'FxiOS/'),
  fc.constantFrom('Chrome/', 'CriOS/', 'Version/', 'Safari/', ' ', '.', '\n', 'x'),
  fc.nat(12_345).map(String),
  fc.constantFrom('0', '00', '007', '0000'),
);

test('any text gives what the words of the contract give', () => {
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      expect(normaliseUserAgent(pieces.join(''))).toBe(reference(pieces.join('')));
    }),
    { numRuns: 5_000 },
  );
});

test.each(['Version/', 'Version/1234 ', 'Chrome/0000', 'Safari/', 'Version/1 '])(
  'a megabyte of %j is read in one pass',
  (part) => {
    const raw = part.repeat(Math.ceil(1_000_000 / part.length));
    expect(normaliseUserAgent(raw)).toBe('other/0');
  },
);

const collection = new URL('../../../shared/data/user-agents.json', import.meta.url);

describe.runIf(existsSync(collection))('collected user agents', () => {
  const data = existsSync(collection)
    ? JSON.parse(readFileSync(collection, 'utf8'))
    : { cases: [], firefox: [] };
  const all: readonly { ua: string; family: string; major: string }[] = [...data.cases, ...data.firefox];

  test('give what the words of the contract give', () => {
    for (const { ua } of all) expect(normaliseUserAgent(ua), ua).toBe(reference(ua));
  });

  test('keep their name over minor versions', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...all),
        fc.array(fc.nat(99_999), { minLength: 1, maxLength: 3 }),
        ({ ua }, minors) => {
          const updated = ua.replace(/(\/\d{1,3})(?:\.\d+)+/g, `$1.${minors.join('.')}`);
          expect(normaliseUserAgent(updated)).toBe(normaliseUserAgent(ua));
        },
      ),
      { numRuns: 2_000 },
    );
  });

  test('differ when the major of the browser differs', () => {
    const firefoxes = all.filter(
      ({ ua, family, major }) => family === 'Firefox' && ua.includes(`Firefox/${major}.`),
    );
    expect(firefoxes.length).toBeGreaterThan(10);
    for (const { ua, major } of firefoxes) expect(normaliseUserAgent(ua)).toBe(`firefox/${Number(major)}`);
  });
});

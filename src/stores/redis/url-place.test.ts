import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Fault } from '../../core/fault.ts';
import { placeOfUrl } from './url-place.ts';

describe('a URL', () => {
  test.each([
    ['redis://127.0.0.1:6379/2', { url: 'redis://127.0.0.1:6379/2' }],
    ['rediss://u:p@r.example', { url: 'rediss://u:p@r.example' }],
    ['redis+cluster://a:7000,b:7001', { cluster: ['redis://a:7000', 'redis://b:7001'] }],
    ['rediss+cluster://u:p%40@a,b:7001', { cluster: ['rediss://u:p%40@a:6379', 'rediss://u:p%40@b:7001'] }],
    ['redis+cluster://[::1]:7000', { cluster: ['redis://[::1]:7000'] }],
    [
      'redis+sentinel://a,b:26380/mymaster',
      {
        sentinel: {
          name: 'mymaster',
          nodes: [
            { host: 'a', port: 26_379 },
            { host: 'b', port: 26_380 },
          ],
        },
        connection: {},
      },
    ],
    [
      'redis+sentinel://ada:s%3Acret@a/main/3',
      {
        sentinel: { name: 'main', nodes: [{ host: 'a', port: 26_379 }] },
        connection: { username: 'ada', password: 's:cret', database: 3 },
      },
    ],
  ])('%s is taken apart', (url, place) => {
    expect(placeOfUrl(url)).toEqual(place);
  });

  test.each([
    'redis+cluster://a:7000/1',
    'redis+cluster://a:x',
    'redis+sentinel://a',
    'redis+sentinel://a/m/x',
    'redis+sentinel://%:x@a/m',
  ])('%s is refused without being shown', (url) => {
    const refuse = () => placeOfUrl(url);
    expect(refuse).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
    expect(refuse).not.toThrow(url);
  });

  test('never throws anything but a fault', () => {
    const parts = fc.constantFrom(
      'redis',
      's',
      '+cluster',
      '+sentinel',
      '://',
      '@',
      ':',
      ',',
      '/',
      '[',
      ']',
      'a',
      '%',
      '9',
    );
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 14 }), (words) => {
        try {
          placeOfUrl(words.join(''));
        } catch (cause) {
          expect(cause).toBeInstanceOf(Fault);
        }
      }),
    );
  });
});

test('names Sentinels at IPv6 addresses as sockets take them, and nodes of a cluster as URLs do', () => {
  expect(placeOfUrl('redis+sentinel://[::1]:26379/main')).toMatchObject({
    sentinel: { nodes: [{ host: '::1', port: 26_379 }] },
  });
  expect(placeOfUrl('redis+cluster://[::1]:7000')).toMatchObject({ cluster: ['redis://[::1]:7000'] });
});

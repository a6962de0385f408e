import { createHash } from 'node:crypto';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Role } from '../route.ts';
import { Access, isLoopback } from './access.ts';
import { TokenBook } from './token-book.ts';

class Peer extends Socket {
  override readonly remoteAddress: string;

  constructor(address: string) {
    super();
    this.remoteAddress = address;
  }
}

function requestFrom(
  address: string,
  headers: Readonly<Record<string, string>> = {},
  httpVersion = '1.1',
): IncomingMessage {
  const request = new IncomingMessage(new Peer(address));
  Object.assign(request, { httpVersion });
  Object.assign(request.headers, headers);
  return request;
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const roles: readonly Role[] = ['decide', 'observe', 'operate'];
const book = () =>
  new TokenBook(roles.map((role) => ({ name: role, role, sha256: sha256(`the ${role} token`) })));

describe('roles', () => {
  /** Rows: the role of the token. Columns: the role that a route asks for. */
  const matrix: Readonly<Record<Role, Readonly<Record<Role, boolean>>>> = {
    decide: { decide: true, observe: false, operate: false },
    observe: { decide: false, observe: true, operate: false },
    operate: { decide: false, observe: true, operate: true },
  };
  const access = new Access(book());

  it.each(roles.flatMap((has) => roles.map((asks) => [has, asks, matrix[has][asks]] as const)))(
    'a token to %s opens a route to %s: %s',
    (has, asks, opens) => {
      const request = requestFrom('192.0.2.1', { authorization: `Bearer the ${has} token` });
      expect(access.admit(request, { role: asks })).toEqual(
        opens
          ? { allowed: true, caller: has }
          : { allowed: false, code: 'ROLE_MISSING', detail: `This needs a token with the role "${asks}".` },
      );
    },
  );

  it('are not asked for on open routes', () => {
    expect(access.admit(requestFrom('192.0.2.1'), { role: null })).toEqual({ allowed: true, caller: null });
  });

  it.each([
    ['nothing', {}, 'TOKEN_MISSING'],
    ['another scheme', { authorization: 'Basic dGhlIGRlY2lkZSB0b2tlbg==' }, 'TOKEN_MISSING'],
    ['an empty token', { authorization: 'Bearer ' }, 'TOKEN_MISSING'],
    ['a token nobody has', { authorization: 'Bearer something else' }, 'TOKEN_UNKNOWN'],
    ['a token that is too long', { authorization: `Bearer ${'x'.repeat(5_000)}` }, 'TOKEN_UNKNOWN'],
    ['the start of one', { 'x-portcullis-token': 'the decide toke' }, 'TOKEN_UNKNOWN'],
  ])('refuse %s', (_, headers, code) => {
    expect(
      access.admit(requestFrom('127.0.0.1', headers as Record<string, string>), { role: 'decide' }),
    ).toMatchObject({
      allowed: false,
      code,
    });
  });

  it('take the token out of its own header first', () => {
    const headers = { authorization: 'Bearer of-a-visitor', 'x-portcullis-token': 'the decide token' };
    expect(access.admit(requestFrom('192.0.2.1', headers), { role: 'decide' })).toEqual({
      allowed: true,
      caller: 'decide',
    });
  });
});

describe('without tokens', () => {
  const access = new Access(new TokenBook([]));

  it.each([
    ['another machine', '192.0.2.1', { host: 'localhost' }, 'LOOPBACK_ONLY'],
    ['another machine by IPv6', '2001:db8::1', { host: 'localhost' }, 'LOOPBACK_ONLY'],
    ['a name that was bent to this machine', '127.0.0.1', { host: 'evil.example:8470' }, 'CROSS_SITE'],
    [
      'a page of another site',
      '127.0.0.1',
      { host: 'localhost', origin: 'http://evil.example' },
      'CROSS_SITE',
    ],
    ['a page without an origin', '127.0.0.1', { host: 'localhost', origin: 'null' }, 'CROSS_SITE'],
    [
      'another page of this machine',
      '::1',
      { host: '[::1]:8470', 'sec-fetch-site': 'same-site' },
      'CROSS_SITE',
    ],
    [
      'the world behind a proxy',
      '127.0.0.1',
      { host: 'localhost', 'x-forwarded-for': '192.0.2.1' },
      'LOOPBACK_ONLY',
    ],
    [
      'the same in other words',
      '127.0.0.1',
      { host: 'localhost', forwarded: 'for=192.0.2.1' },
      'LOOPBACK_ONLY',
    ],
  ])('%s is refused', (_, address, headers, code) => {
    const request = requestFrom(address, headers as Record<string, string>);
    expect(access.admit(request, { role: 'operate' })).toMatchObject({ allowed: false, code });
  });

  it.each([
    ['127.0.0.1', 'localhost:8470'],
    ['127.9.9.9', '127.0.0.1'],
    ['::1', '[::1]:8470'],
    ['::ffff:127.0.0.1', 'console.localhost'],
  ])('%s is served as %s', (address, host) => {
    const request = requestFrom(address, { host, origin: `http://${host}` });
    expect(access.admit(request, { role: 'operate' })).toEqual({ allowed: true, caller: null });
  });

  it.each([
    'x-forwarded-for',
    'x-forwarded-proto',
    'x-forwarded-host',
    'x-forwarded',
    'forwarded',
    'via',
    'x-real-ip',
    'x-client-ip',
    'true-client-ip',
    'cf-connecting-ip',
    'x-original-uri',
    'x-envoy-expected-rq-timeout-ms',
  ])('what a proxy leaves in %s keeps operators’ routes from the world behind it', (name) => {
    const request = requestFrom('127.0.0.1', { host: '127.0.0.1:8470', [name]: '1' });
    for (const role of ['observe', 'operate'] as const) {
      expect(access.admit(request, { role })).toMatchObject({ allowed: false, code: 'LOOPBACK_ONLY' });
    }
    for (const role of ['decide', null] as const) {
      expect(access.admit(request, { role })).toEqual({ allowed: true, caller: null });
    }
  });

  it('HTTP/1.0, as proxies speak it that add nothing, does the same', () => {
    const request = requestFrom('127.0.0.1', { host: '127.0.0.1:8470' }, '1.0');
    expect(access.admit(request, { role: 'operate' })).toMatchObject({ code: 'LOOPBACK_ONLY' });
    expect(access.admit(request, { role: 'observe' })).toMatchObject({ code: 'LOOPBACK_ONLY' });
    expect(access.admit(request, { role: 'decide' }).allowed).toBe(true);
  });

  it('the first who comes through a proxy is told of, and nobody else', () => {
    let told = 0;
    const telling = new Access(new TokenBook([]), () => {
      told += 1;
    });
    const direct = requestFrom('127.0.0.1', { host: 'localhost', 'accept-language': 'en' });
    telling.admit(direct, { role: 'operate' });
    const behind = requestFrom('127.0.0.1', { host: 'localhost', via: '1.1 edge' });
    telling.admit(behind, { role: 'decide' });
    expect(told).toBe(0);
    telling.admit(behind, { role: 'observe' });
    telling.admit(behind, { role: 'operate' });
    expect(told).toBe(1);
  });

  it('proxies may ask with the headers of their visitors', () => {
    const headers = { host: 'shop.example', origin: 'https://shop.example', 'x-forwarded-for': '192.0.2.1' };
    expect(
      access.admit(requestFrom('127.0.0.1', headers), { role: 'decide', fromProxies: true }).allowed,
    ).toBe(true);
    expect(
      access.admit(requestFrom('192.0.2.9', headers), { role: 'decide', fromProxies: true }).allowed,
    ).toBe(false);
  });

  it('a route that judges for itself is left to do so', () => {
    expect(access.admit(requestFrom('192.0.2.1'), { role: null, ownAccess: true }).allowed).toBe(true);
  });
});

describe('a token book', () => {
  it('finds a token and no other text', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const found = book().find(text);
        expect(found === null).toBe(!roles.some((role) => text === `the ${role} token`));
      }),
    );
    expect(book().find('the observe token')).toEqual({ name: 'observe', role: 'observe' });
  });

  it('finds the same once it has let somebody in', () => {
    const near = fc.constantFrom(...roles.map((role) => `the ${role} token`)).chain((text) =>
      fc.oneof(
        fc.constant(text),
        fc.constant(text.repeat(2)),
        fc.nat(text.length).map((end) => text.slice(0, end)),
        fc.nat(text.length - 1).map((at) => `${text.slice(0, at)}?${text.slice(at + 1)}`),
      ),
    );
    const used = book();
    fc.assert(
      fc.property(near, (text) => {
        expect(used.find(text)).toEqual(book().find(text));
      }),
    );
  });

  it('forgets what it is no longer given', () => {
    const tokens = book();
    expect(tokens.find('the decide token')).toEqual({ name: 'decide', role: 'decide' });
    tokens.replace([]);
    expect([tokens.isEmpty, tokens.find('the decide token')]).toEqual([true, null]);
  });
});

describe('loopback', () => {
  const translated = ['2002:7f00:1::5', '64:ff9b::127.0.0.1', '64:ff9b::7f00:1'];

  it.each(['10.0.0.1', '128.0.0.1', '::2', '::ffff:10.0.0.1', '', 'localhost', undefined, ...translated])(
    'is not %s',
    (address) => {
      expect(isLoopback(address)).toBe(false);
    },
  );

  it.each(['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1', '::FFFF:7f00:1', '0:0:0:0:0:ffff:127.0.0.2'])(
    'is %s',
    (address) => {
      expect(isLoopback(address)).toBe(true);
    },
  );
});

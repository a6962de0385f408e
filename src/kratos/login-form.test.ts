import { existsSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type LoginForm, mostIdentifiers, readLoginForm as readBody, unreadableForm } from './login-form.ts';

const json = 'application/json';
const form = 'application/x-www-form-urlencoded';
const vectors = new URL('../../../shared/data/kratos-login-bodies.json', import.meta.url);

const plain = (body: string | Buffer) => ({ readings: [Buffer.from(body)], isPacked: false });

/** A body as it came, where there is one way to read it. */
function readLoginForm(body: string, type: string | null, query: string): LoginForm {
  return readBody(plain(body), type, query) ?? expect.unreachable('read in too many ways');
}

const identifiersIn = (body: string, type: string | null = json, query = '') =>
  readLoginForm(body, type, query).identifiers;

interface BodyVector {
  readonly ct: string;
  readonly body: unknown;
  readonly expect_identifier: string | null;
  readonly action?: string;
}

describe.runIf(existsSync(vectors))('bodies that Kratos takes', () => {
  const { cases } = existsSync(vectors)
    ? (JSON.parse(readFileSync(vectors, 'utf8')) as { cases: BodyVector[] })
    : { cases: [] };

  test.each(cases)('$ct $body', ({ ct, body, expect_identifier, action }) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    for (const type of [ct, null, 'text/plain, application/json']) {
      const read = readLoginForm(text, type, 'flow=1');
      expect(read.identifiers).toEqual(expect_identifier === null ? [] : [expect_identifier]);
      expect(read.guesses).toEqual([action === 'auth.otp' ? 'code' : 'password']);
      expect(read.hasCredential).toBe(true);
    }
  });
});

describe('a login', () => {
  test.each([
    ['names that stand twice', '{"identifier":"a","identifier":"b"}'],
    ['two names for it', '{"identifier":"a","password_identifier":"b"}'],
    ['names in another case', '{"identifier":"a","IDENTIFIER":"b"}'],
    ['a long s', '{"identifier":"a","paſſword_identifier":"b"}'],
    ['an escaped name', String.raw`{"identifier":"a","\u0069dentifier":"b"}`],
    ['what follows the first value', '{"identifier":"a","address":"b"} {"identifier":"c"}'],
    ['a value that holds another object', '{"x":{"identifier":"c"},"identifier":"a","address":"b"}'],
    ['brackets in texts', '{"x":["}]{",[[]]],"identifier":"a","address":"b"}'],
    ['a byte order mark', '\uFEFF{"identifier":"a","address":"b"}'],
  ])('with %s is one at every account it names', (_, body) => {
    expect(identifiersIn(body)).toEqual(['a', 'b']);
  });

  test.each([
    ['fields that stand twice', 'identifier=a&identifier=b'],
    ['escaped names', '%69dentifier=a&iden%74ifier=b'],
    ['two names for it', 'address=a&password_identifier=b&csrf_token=x'],
    ['semicolons, which old versions of Go take for ampersands', 'x=1;identifier=a;y;;address=b&z=;'],
  ])('as a form with %s is one at every account', (_, body) => {
    expect(identifiersIn(body, form)).toEqual(['a', 'b']);
  });

  test.each([
    ['{"method":"code","code":"1","password":""}', ['code']],
    ['{"method":"totp","totp_code":"1"}', ['code']],
    ['{"code":"1"}', ['code']],
    ['{"method":"password","password":"p","code":""}', ['password']],
    ['{"method":"password","password":"p","code":"1"}', ['password', 'code']],
    ['{"method":"password","password":"p","totp_code":"1"}', ['password', 'code']],
    ['{"method":"password","method":"code","password":"p"}', ['password', 'code']],
    ['{"method":"code","password":"p","code":"1"}', ['password', 'code']],
    ['{"method":"passkey","passkey_login":"{}","lookup_secret":"1"}', ['password', 'code']],
    ['{"method":"oidc","code":"1"}', ['password', 'code']],
  ])('is a guess at all that it may be one at: %s', (body, guesses) => {
    expect(readLoginForm(body, json, '').guesses).toEqual(guesses);
  });

  test('counts at a name with a semicolon, and at the one before it', () => {
    expect(identifiersIn('identifier=a;b&password=c;d', form)).toEqual(['a;b', 'a']);
  });

  test('decodes what forms escape', () => {
    expect(identifiersIn('identifier=%20J%C3%BCrgen%40Example.com+', form)).toEqual(['jürgen@example.com']);
  });

  test('reads every part of a form of parts, whatever its boundary is', () => {
    const part = (name: string, value: string) =>
      `--B\r\nContent-Disposition: form-data; ${name}\r\n\r\n${value}\r\n`;
    const body = [
      '--decoy\r\nContent-Disposition: form-data; name="identifier"\r\n\r\na\r\n--decoy--\r\n',
      part('name="password_identifier"', 'b'),
      part('name=address', 'c'),
      part("name*=utf-8''%69dentifier", 'd'),
      '--B--',
    ].join('');
    expect(identifiersIn(body, 'multipart/form-data; boundary=B')).toEqual(['a', 'b', 'c', 'd']);
  });

  test('tells an empty part from one whose value begins with hyphens', () => {
    const body =
      '--B\r\nContent-Disposition: form-data; name="address"\r\n\r\n--B\r\nContent-Disposition: form-data; name="identifier"\r\n\r\n--alice\r\n--B--';
    expect(identifiersIn(body, 'multipart/form-data; boundary=B')).toEqual(['--alice']);
  });

  test.each([
    [
      'padded',
      `--B\r\nContent-Disposition: form-data; name="identifier"\r\n\r\n${' '.repeat(5_000)}alice\r\n--B--`,
    ],
    [
      'padded in quoted-printable',
      `--B\r\nContent-Transfer-Encoding: quoted-printable\r\nContent-Disposition: form-data; name=identifier\r\n\r\n${'=20'.repeat(5_000)}alice\r\n--B--`,
    ],
    [
      'padded with what shows nothing',
      `--B\r\nContent-Disposition: form-data; name="identifier"\r\n\r\n${'\u0085'.repeat(5_000)}al${'\u200b'.repeat(5_000)}ice\r\n--B--`,
    ],
    [
      'behind a name in quotes',
      '--B\r\nContent-Disposition: form-data; x="; name="; name=identifier; y="q"\r\n\r\nalice\r\n--B--',
    ],
    [
      'behind a carriage return',
      '--B\r\nContent-Disposition: form-data;\rname=identifier\r\n\r\nalice\r\n--B--',
    ],
    [
      'with a name whose pieces do not fit',
      '--B\r\nContent-Disposition: form-data; name*0=ident; name*1=ifier; name*3=zz\r\n\r\nalice\r\n--B--',
    ],
    [
      'under a header that begins with hyphens',
      '--B\r\nContent-Disposition: form-data; name="identifier"\r\n--x: y\r\n\r\nalice\r\n--B--',
    ],
    [
      'under a second disposition',
      '--B\r\nContent-Disposition: form-data; name="identifier"\r\n--x: y\r\nContent-Disposition: form-data; name="z"\r\n\r\nalice\r\n--B--',
    ],
    [
      'with its name in pieces',
      "--B\r\nContent-Disposition: form-data; name*1=tifier; name*0*=utf-8''i%64en\r\n\r\nalice\r\n--B--",
    ],
  ])('finds the identifier of a part that is %s', (_, body) => {
    expect(identifiersIn(body, 'multipart/form-data; boundary=B')).toContain('alice');
  });

  test('finds a phone number among what looks like boundaries', () => {
    const body =
      '--B\r\nContent-Disposition: form-data; name="identifier"\r\n\r\n\r\n--+4915112345678\r\n--B--';
    const found = identifiersIn(body, 'multipart/form-data; boundary=B');
    expect(found).toEqual(expect.arrayContaining([...identifiersIn('{"identifier":"+4915112345678"}')]));
  });

  test('is read as it came and unpacked, where it is packed, and proves nothing then', () => {
    const [outer, inner] = ['alice', 'bob'].map((identifier) =>
      Buffer.from(JSON.stringify({ method: 'password', identifier, password: 'x' })),
    ) as [Buffer, Buffer];
    expect(readBody(plain(outer), json, '')).toMatchObject({
      identifiers: ['alice'],
      provesIdentifier: true,
    });
    expect(readBody({ readings: [outer, inner], isPacked: true }, json, '')).toMatchObject({
      identifiers: ['alice', 'bob'],
      provesIdentifier: false,
    });
    expect(readBody({ readings: [outer], isPacked: true }, json, '')).toMatchObject({
      identifiers: ['alice'],
      provesIdentifier: false,
    });
  });

  test.each([
    [
      json,
      JSON.stringify({ method: 'password', password: 'x', transient_payload: '{},"identifier":"alice"' }),
    ],
    [form, 'method=password&password=x&transient_payload=%7B%7D%2C%22identifier%22%3A%22alice%22'],
  ])('names the account that a payload brings in, as %s', (type, body) => {
    expect(readLoginForm(body, type, '')).toMatchObject({ identifiers: ['alice'], provesIdentifier: false });
  });

  test('may have a payload of its own', () => {
    const login = { method: 'password', identifier: 'alice', password: 'x' };
    const payload = { ...login, transient_payload: { identifier: 'bob', a: [1] } };
    expect(readLoginForm(JSON.stringify(payload), json, '')).toMatchObject({
      identifiers: ['alice'],
      provesIdentifier: true,
    });
  });

  test('is the same however a character is written', () => {
    const nbsp = Buffer.from([0x25, 0x43, 0x32, 0xa0]);
    const body = Buffer.concat([Buffer.from('identifier='), nbsp, nbsp, Buffer.from('alice&password=x')]);
    expect(readBody(plain(body), form, '')?.identifiers).toEqual(['alice']);
    expect(
      readBody(plain('password=x'), form, `identifier=${nbsp.toString('latin1')}alice`)?.identifiers,
    ).toEqual(['alice']);
  });

  test('is refused where its parts could be read in thousands of ways', () => {
    const none =
      'Content-Disposition: form-data; name="y"\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n';
    const body = `--B\r\n${none.repeat(10_000)}\r\n--B\r\nContent-Disposition: form-data; name="identifier"\r\n\r\nalice\r\n--B--`;
    expect(readBody(plain(body), 'multipart/form-data; boundary=B', '')).toBeNull();
  });

  test('decodes parts in quoted-printable, as Go does', () => {
    const body =
      '--B\nContent-Transfer-Encoding: quoted-printable\nContent-Disposition: form-data; name="identifier"\n\nal=\n=69ce\n--B--';
    expect(identifiersIn(body, 'multipart/form-data; boundary=B')).toContain('alice');
  });

  test.each([null, 'text/plain', 'application/json, text/plain', 'application/xml; charset=utf-16'])(
    'of type %s is read in every way',
    (type) => {
      expect(identifiersIn('{"identifier":"a"}&identifier=b&', type)).toEqual(['a', 'b']);
    },
  );

  test('is read from the query too', () => {
    expect(identifiersIn('{"identifier":"a"}', json, 'flow=1&identifier=b')).toEqual(['a', 'b']);
  });

  test.each([
    ['1000', '1000'],
    ['1e3', '1000'],
    ['1000.0', '1000'],
    ['null', undefined],
    ['true', 'true'],
    ['["A"]', '["a"]'],
  ])('with the value %s is at the account that Kratos makes of it', (value, account) => {
    const expected = account === undefined ? [] : [account];
    expect(identifiersIn(`{"identifier":${value},"method":"password"}`)).toEqual(expected);
  });

  test.each(['', 'nothing', '{', '{"identifier"', '[1]', '"identifier"', '{"identifier":}'])(
    'that cannot be read, such as %j, is taken for the worst',
    (body) => {
      expect(readLoginForm(body, json, 'flow=1')).toEqual(unreadableForm);
    },
  );

  test('with too many accounts shows that it has too many, and no more', () => {
    const body = Array.from({ length: 100_000 }, (_, index) => `identifier=u${index}`).join('&');
    expect(identifiersIn(body, form)).toHaveLength(mostIdentifiers + 1);
  });

  test('that names its account over and over is one at that account', () => {
    const body = 'identifier=%2B1 202 555 0123&'.repeat(40_000);
    expect(identifiersIn(body, form)).toEqual(['+12025550123']);
  });

  test('that spells its account in too many ways is not read', () => {
    const spelled = (ways: number) =>
      Array.from({ length: ways }, (_, way) => `identifier=%2B${' '.repeat(way)}12025550123`).join('&');
    expect(identifiersIn(spelled(64), form)).toEqual(['+12025550123']);
    expect(readBody(plain(spelled(2_000)), form, '')).toBeNull();
  });

  test('with something else over and over in the place of an object of the host proves nothing', () => {
    const body = `method=password&identifier=a&password=x&${'transient_payload=x&'.repeat(40_000)}`;
    expect(readLoginForm(body, form, '')).toMatchObject({ identifiers: ['a'], provesIdentifier: false });
  });

  test.each([
    [true, { method: 'password', identifier: 'a', password: 'x', csrf_token: 't' }],
    [true, { method: 'password', password_identifier: 'a', password: 'x', transient_payload: { a: 1 } }],
    [false, { method: 'password', identifier: 'a', password: 'x', passkey_login: '{}' }],
    [false, { method: 'password', identifier: 'a', password_identifier: 'b', password: 'x' }],
    [true, { method: 'password', identifier: ' Alice@Example.com', password: 'x' }],
    [false, { method: 'password', identifier: 'ａlice', password: 'x' }],
    [false, { method: 'password', identifier: '\u200b', password_identifier: 'alice', password: 'x' }],
    [false, { method: 'passkey', identifier: 'a' }],
    [false, { identifier: 'a', password: 'x' }],
    [false, { method: 'oidc', provider: 'p', identifier: 'a' }],
  ])('proves whose it is: %s for %j', (proves, body) => {
    expect(readLoginForm(JSON.stringify(body), json, 'flow=1&return_to=x').provesIdentifier).toBe(proves);
  });

  test.each([
    [false, { method: 'code', identifier: 'a' }],
    [true, { method: 'code', identifier: 'a', code: '123456' }],
    [false, { method: 'identifier_first', identifier: 'a' }],
    [true, { method: 'password', identifier: 'a', password: 'x' }],
    [false, { method: 'password', identifier: 'a', password: '' }],
    [true, { method: 'totp', totp_code: '123456' }],
  ])('is an attempt: %s for %j', (isAttempt, body) => {
    expect(readLoginForm(JSON.stringify(body), json, '').hasCredential).toBe(isAttempt);
  });

  test('as any JSON names its account, whatever stands around it', () => {
    const other = fc.dictionary(fc.string({ minLength: 9, maxLength: 12 }), fc.jsonValue(), { maxKeys: 5 });
    fc.assert(
      fc.property(other, other, fc.string(), (before, after, tail) => {
        const body = JSON.stringify({ ...before, identifier: 'someone', ...after });
        for (const text of [body, JSON.stringify(JSON.parse(body), null, 2), body + tail])
          expect(identifiersIn(text)).toContain('someone');
      }),
    );
  });

  test('never fails and never takes long, whatever is sent', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 400 }),
        fc.constantFrom(json, form, null),
        (body, type) => {
          const read = readLoginForm(body, type, body.slice(0, 50));
          expect(read.identifiers.length).toBeLessThanOrEqual(mostIdentifiers + 1);
        },
      ),
      { numRuns: 500 },
    );
    for (const piece of [
      '{"a":',
      '[',
      '"\\',
      'Content-Disposition:;name=identifier\n\n',
      'a&',
      ' ',
      '+1x',
      '--\n',
    ])
      readBody(plain(piece.repeat(Math.floor(2 ** 18 / piece.length))), null, '');
  });
});

import { describe, expect, it } from 'vitest';
import { Keyspace } from './keys.ts';
import type { Token } from './subject.ts';

const token = (hash: string, was: string | null = null): Token => ({ hash, was });

/** A name for every kind of key, each made of the tokens given. */
function keysOf(keyspace: Keyspace, one: Token, other: Token) {
  return {
    account: keyspace.account(one),
    book: keyspace.book(one),
    network: keyspace.network(one),
    agent: keyspace.agent(one, other),
    networkDevice: keyspace.networkDevice(one, other),
    device: keyspace.device(one),
    p48: keyspace.macro('P48', one),
    p40: keyspace.macro('P40', one),
    p32: keyspace.macro('P32', one),
  };
}

describe('the names of records (§3)', () => {
  const login = new Keyspace('live', 'login');

  it('are made of module, environment, policy, contract version, kind and hashes; the tag names the group', () => {
    const keys = keysOf(login, token('aa'), token('bb'));
    expect(Object.fromEntries(Object.entries(keys).map(([kind, { text }]) => [kind, text]))).toEqual({
      account: 'portcullis:live:login:1:K4:{aa}',
      book: 'portcullis:live:book:1:book:{aa}',
      network: 'portcullis:live:login:1:K1:{aa}',
      agent: 'portcullis:live:login:1:K2:{aa}:bb',
      networkDevice: 'portcullis:live:login:1:K3:{aa}:bb',
      device: 'portcullis:live:login:1:D:{aa}',
      p48: 'portcullis:live:login:1:P48:{aa}',
      p40: 'portcullis:live:login:1:P40:{aa}',
      p32: 'portcullis:live:login:1:P32:{aa}',
    });
    expect(login.prefix).toBe('portcullis:live:login:1:');
  });

  it('are shared by policies in the book alone, and by environments nowhere', () => {
    const [one, other] = [token('aa'), token('bb')];
    const texts = (keyspace: Keyspace) => Object.values(keysOf(keyspace, one, other)).map(({ text }) => text);
    const own = texts(login);
    expect(texts(new Keyspace('live', 'otp')).filter((text) => own.includes(text))).toEqual([
      login.book(one).text,
    ]);
    expect(texts(new Keyspace('test', 'login')).filter((text) => own.includes(text))).toEqual([]);
  });
});

describe('a token that keys are kept with', () => {
  it('gives the same key again, and another one to another keyspace or with another part', () => {
    const [network, agent, other] = [token('aa'), token('bb'), token('cc')];
    const login = new Keyspace('live', 'login');
    const first = login.agent(network, agent);
    expect(login.agent(network, agent)).toBe(first);
    expect(login.agent(network, other).text).toBe('portcullis:live:login:1:K2:{aa}:cc');
    expect(new Keyspace('live', 'otp').agent(network, agent).text).toBe('portcullis:live:otp:1:K2:{aa}:bb');
    expect(login.agent(network, agent)).toEqual(first);
  });

  it('keeps one of each kind, however many keyspaces there come to be', () => {
    const account = token('aa');
    const kept = (): number => {
      let count = 0;
      for (let key = account.kept; key !== undefined; key = key.next) count += 1;
      return count;
    };
    for (let index = 0; index < 20; index += 1) {
      const keyspace = new Keyspace('live', `policy-${index}`);
      expect(keyspace.account(account).text).toBe(`portcullis:live:policy-${index}:1:K4:{aa}`);
      keyspace.book(account);
    }
    expect(kept()).toBe(2);
  });
});

describe('the previous name of a record', () => {
  const login = new Keyspace('live', 'login');

  it('is made of the previous hashes while a rotation runs', () => {
    const keys = keysOf(login, token('aa', 'a0'), token('bb', 'b0'));
    expect([keys.account, keys.book, keys.agent, keys.networkDevice, keys.p32].map(({ was }) => was)).toEqual(
      [
        'portcullis:live:login:1:K4:{a0}',
        'portcullis:live:book:1:book:{a0}',
        'portcullis:live:login:1:K2:{a0}:b0',
        'portcullis:live:login:1:K3:{a0}:b0',
        'portcullis:live:login:1:P32:{a0}',
      ],
    );
    expect(keys.agent.text).toBe('portcullis:live:login:1:K2:{aa}:bb');
  });

  it.each([
    ['no part of it has one', token('aa'), token('bb')],
    ['only its first part has one', token('aa', 'a0'), token('bb')],
    ['only its second part has one', token('aa'), token('bb', 'b0')],
  ])('is none where %s', (_, network, agent) => {
    expect([login.agent(network, agent).was, login.networkDevice(network, agent).was]).toEqual([null, null]);
  });

  it('of a key with one part needs nothing else', () => {
    expect([login.account(token('aa')).was, login.network(token('aa', 'a0')).was]).toEqual([
      null,
      'portcullis:live:login:1:K1:{a0}',
    ]);
  });
});

describe('a key that was asked for before', () => {
  it('is the very same, with a store’s bookmark on it, whichever other kinds were asked for meanwhile', () => {
    const login = new Keyspace('live', 'login');
    const [one, other] = [token('aa'), token('bb')];
    // The same token in every part, so that all kinds are kept with it.
    const ask = (tag: Token, rest: Token) => {
      const { networkDevice, ...keys } = keysOf(login, tag, rest);
      return { ...keys, networkDevice: login.networkDevice(rest, tag) };
    };
    const first = ask(one, other);
    const again = ask(one, other);
    const renewed = Object.entries(again).filter(([kind, key]) => first[kind as keyof typeof first] !== key);
    expect(renewed).toEqual([]);
  });

  it('is another one of another policy or with another part', () => {
    const [login, otp] = [new Keyspace('live', 'login'), new Keyspace('live', 'otp')];
    const [network, chrome, safari] = [token('aa'), token('bb'), token('cc')];
    const names = [
      login.agent(network, chrome),
      login.agent(network, safari),
      otp.agent(network, safari),
      login.networkDevice(network, chrome),
      login.networkDevice(safari, chrome),
    ];
    expect(names.map(({ text }) => text)).toEqual([
      'portcullis:live:login:1:K2:{aa}:bb',
      'portcullis:live:login:1:K2:{aa}:cc',
      'portcullis:live:otp:1:K2:{aa}:cc',
      'portcullis:live:login:1:K3:{aa}:bb',
      'portcullis:live:login:1:K3:{cc}:bb',
    ]);
  });
});

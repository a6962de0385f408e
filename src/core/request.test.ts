import { describe, expect, it } from 'vitest';
import { alice, macros, token } from '../../test/engine/alice.ts';
import { Keyspace } from './keys.ts';
import { defaultApi, defaultLogin, defaultOtp } from './policy.ts';
import type { Key } from './records.ts';
import { allKeys, openRequest, otherAgentKey } from './request.ts';
import type { Subject } from './subject.ts';

/** `K2:{home}:chrome`: keys without what all of them begin with. */
const names = (keys: readonly (Key | null)[] | null) =>
  keys?.map((key) => key?.text.replace(/^portcullis:live:[a-z]+:1:/, '') ?? null) ?? null;

const login = new Keyspace('live', 'login');

describe('the keys of a request', () => {
  it('of a login with a device are those of account, book, network, agent and device', () => {
    const { keys } = openRequest(defaultLogin, login, alice());
    expect(names(keys.viewed)?.sort()).toEqual([
      'D:{laptop}',
      'K1:{home}',
      'K2:{home}:chrome',
      'K3:{home}:laptop',
      'K4:{alice}',
      'book:{alice}',
    ]);
    expect(names([keys.p48, keys.p40])).toEqual([null, null]);
  });

  it('from IPv6 have the two macro prefixes besides that can be blocked', () => {
    const { keys } = openRequest(defaultLogin, login, alice({ macros }));
    expect(names([keys.p48, keys.p40])).toEqual(['P48:{p48}', 'P40:{p40}']);
    expect(names(keys.viewed)?.filter((name) => name?.startsWith('P'))).toEqual(['P48:{p48}', 'P40:{p40}']);
    expect(keys.viewed.length).toBe(8);
  });

  it('without a device have none of it, nor the book', () => {
    const { keys } = openRequest(defaultLogin, login, alice({ device: null }));
    expect(names(keys.viewed)?.sort()).toEqual(['K1:{home}', 'K2:{home}:chrome', 'K4:{alice}']);
    expect([keys.book, keys.networkDevice, keys.device]).toEqual([null, null, null]);
  });

  it('of a call have no account; they have the book of an account that is named with a device', () => {
    const api = new Keyspace('live', 'api');
    const named = openRequest(defaultApi, api, alice()).keys;
    expect([named.account, named.book?.text]).toEqual([null, 'portcullis:live:book:1:book:{alice}']);
    expect(names(named.viewed)?.sort()).toEqual([
      'D:{laptop}',
      'K1:{home}',
      'K2:{home}:chrome',
      'K3:{home}:laptop',
      'book:{alice}',
    ]);
    const unnamed = openRequest(defaultApi, api, alice({ account: null })).keys;
    expect([unnamed.account, unnamed.book]).toEqual([null, null]);
    expect(names(unnamed.viewed)?.sort()).toEqual([
      'D:{laptop}',
      'K1:{home}',
      'K2:{home}:chrome',
      'K3:{home}:laptop',
    ]);
  });

  it('are all of them with the K2 that agents over the cap share', () => {
    const request = openRequest(defaultLogin, login, alice());
    expect(names([otherAgentKey(request)])).toEqual(['K2:{home}:other']);
    expect(names(allKeys(request))).toEqual([...(names(request.keys.viewed) ?? []), 'K2:{home}:other']);
  });

  it('of an unknown agent name the shared K2 once', () => {
    const request = openRequest(defaultLogin, login, alice({ agent: token('other') }));
    expect(otherAgentKey(request)).toBe(request.keys.agent);
    expect(names(allKeys(request))?.filter((name) => name?.startsWith('K2'))).toEqual(['K2:{home}:other']);
    expect(allKeys(request).length).toBe(6);
  });
});

describe('a request that was opened before', () => {
  const subject = alice();

  it.each([
    ['the same subject', subject],
    ['another one of the same tokens', { ...subject }],
    ['the same device, shown anew', { ...subject, device: { ...alice().device, ...subject.device } }],
  ] as const)('is the same for %s', (_, again) => {
    const first = openRequest(defaultLogin, login, subject);
    expect(openRequest(defaultLogin, login, again as Subject)).toBe(first);
  });

  it('is kept with the network where there is no account', () => {
    const nobody = alice({ account: null });
    expect(openRequest(defaultApi, login, { ...nobody })).toBe(openRequest(defaultApi, login, nobody));
  });

  it.each([
    ['network', { network: token('work') }],
    ['agent', { agent: token('safari') }],
    ['agent to route to', { otherAgent: token('none') }],
    ['device', { device: { token: token('phone'), confidence: 'MEDIUM' } }],
    ['confidence', { device: { token: subject.device?.token ?? token(''), confidence: 'HIGH' } }],
    ['missing device', { device: null }],
  ] as const)('is another one for another %s', (_, change) => {
    const first = openRequest(defaultLogin, login, subject);
    const changed = { ...subject, ...change };
    const other = openRequest(defaultLogin, login, changed);
    expect(other).not.toBe(first);
    expect(other.subject).toBe(changed);
    expect(openRequest(defaultLogin, login, subject).subject).toBe(subject);
  });

  it('is another one for another account at the same network', () => {
    const nobody = openRequest(defaultLogin, login, { ...subject, account: null });
    expect(nobody.subject.account).toBeNull();
    expect(openRequest(defaultLogin, login, subject).keys.account?.text).toBe(
      'portcullis:live:login:1:K4:{alice}',
    );
  });

  it('is another one for another policy or keyspace', () => {
    const first = openRequest(defaultLogin, login, subject);
    expect(openRequest(defaultOtp, login, subject).policy).toBe(defaultOtp);
    expect(openRequest(defaultLogin, login, subject)).not.toBe(first);
    const staged = openRequest(defaultLogin, new Keyspace('test', 'login'), subject);
    expect(staged.keys.network.text).toBe('portcullis:test:login:1:K1:{home}');
  });
});

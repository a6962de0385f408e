import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { TokenBook } from '../http/token-book.ts';
import { callerCheck } from './caller-check.ts';

const noTokens = new TokenBook([]);
const tokens = new TokenBook([
  { name: 'envoy', role: 'decide', sha256: sha256('decide-token-0123') },
  { name: 'ops', role: 'operate', sha256: sha256('operate-token-012') },
]);

function sha256(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

const caller = (peer: string, metadata: Readonly<Record<string, string>> = {}) => ({
  peer,
  metadata: (name: string) => metadata[name],
});

describe('who may ask over gRPC', () => {
  it.each([
    ['127.0.0.1:50000', 'admitted'],
    ['127.8.9.10:50000', 'admitted'],
    ['::1:50000', 'admitted'],
    ['::ffff:127.0.0.1:50000', 'admitted'],
    ['10.0.0.1:50000', 'forbidden'],
    ['2001:db8::1:50000', 'forbidden'],
    ['unknown', 'forbidden'],
    ['', 'forbidden'],
  ])('without tokens, on all addresses: %s is %s', (peer, admittance) => {
    expect(callerCheck(noTokens, '0.0.0.0')(caller(peer))).toBe(admittance);
  });

  it.each([
    [{}, 'unauthenticated'],
    [{ authorization: 'decide-token-0123' }, 'unauthenticated'],
    [{ authorization: 'Basic decide-token-0123' }, 'unauthenticated'],
    [{ authorization: 'Bearer decide-token-012' }, 'unauthenticated'],
    [{ authorization: 'Bearer decide-token-0123' }, 'admitted'],
    [{ authorization: 'bearer  decide-token-0123 ' }, 'admitted'],
    [{ authorization: 'Bearer operate-token-012' }, 'forbidden'],
    [{ 'x-portcullis-token': 'decide-token-0123' }, 'admitted'],
    [{ 'x-portcullis-token': '', authorization: 'Bearer decide-token-0123' }, 'admitted'],
    [{ 'x-portcullis-token': 'wrong', authorization: 'Bearer decide-token-0123' }, 'unauthenticated'],
  ] as const)('with tokens, also on this machine: %j is %s', (metadata, admittance) => {
    expect(callerCheck(tokens, '127.0.0.1')(caller('127.0.0.1:50000', metadata))).toBe(admittance);
  });
});

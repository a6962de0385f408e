import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { createClientAddress } from '../../adapters/client-address.ts';
import { Fault } from '../../core/fault.ts';
import { type CheckRequestMessage, readCheckRequest } from './check-request.ts';
import { type RateLimitRequestMessage, readRateLimitRequest } from './rate-limit-request.ts';
import { isMalformed, loadServices, type Services } from './service-definitions.ts';

const reading = { addressOf: createClientAddress({ warn: () => {} }), userHeader: 'x-user' };

/** Bytes of all kinds: any at all, and valid messages with a byte changed, cut or repeated. */
const mutated = (valid: Uint8Array) =>
  fc.oneof(
    fc.uint8Array({ maxLength: 200 }),
    fc.tuple(fc.nat(valid.length - 1), fc.nat(255)).map(([at, byte]) => {
      const bytes = Uint8Array.from(valid);
      bytes[at] = byte;
      return bytes;
    }),
    fc.nat(valid.length).map((end) => valid.subarray(0, end)),
    fc.tuple(fc.nat(valid.length), fc.nat(20)).map(([from, times]) => {
      const tail = Array<Uint8Array>(times).fill(valid.subarray(from));
      return Uint8Array.from(Buffer.concat([valid, ...tail]));
    }),
  );

describe('messages that nobody should send', () => {
  let services: Services;
  beforeAll(async () => {
    services = await loadServices();
  });

  /** What a handler does before it decides. */
  function judge(
    service: 'rateLimit' | 'authorization',
    method: string,
    bytes: Uint8Array,
  ): 'taken' | 'refused' {
    const message = services[service][method]?.requestDeserialize(Buffer.from(bytes)) ?? {};
    if (isMalformed(message)) return 'refused';
    try {
      if (service === 'rateLimit') readRateLimitRequest(message as RateLimitRequestMessage);
      else readCheckRequest(message as CheckRequestMessage, reading);
      return 'taken';
    } catch (error) {
      if (error instanceof Fault && error.code === 'INPUT_INVALID') return 'refused';
      throw error;
    }
  }

  it.each([
    [
      'rateLimit',
      'ShouldRateLimit',
      {
        domain: 'edge',
        descriptors: [
          {
            entries: [{ key: 'user', value: 'a' }],
            limit: { unit: 1, requests_per_unit: 3 },
            hits_addend: { value: 2 },
          },
        ],
        hits_addend: 5,
      },
    ],
    [
      'authorization',
      'Check',
      {
        attributes: {
          source: { address: { socket_address: { address: '203.0.113.7' } } },
          request: {
            http: { method: 'GET', path: '/', headers: { 'user-agent': 'x', 'x-forwarded-for': '1.2.3.4' } },
          },
          context_extensions: { cost: '5' },
        },
      },
    ],
  ] as const)('are taken or refused, ten thousand of %s', (service, method, valid) => {
    const bytes = services[service][method]?.requestSerialize(valid) ?? Buffer.alloc(0);
    expect(judge(service, method, bytes)).toBe('taken');
    const seen = { taken: 0, refused: 0 };
    fc.assert(
      fc.property(mutated(bytes), (changed) => {
        seen[judge(service, method, changed)] += 1;
      }),
      { numRuns: 10_000 },
    );
    expect(Math.min(seen.taken, seen.refused)).toBeGreaterThan(500);
  });

  it('are refused when they are nested without end', () => {
    const groups = Buffer.alloc(250_000, 0x0b);
    expect(judge('rateLimit', 'ShouldRateLimit', groups)).toBe('refused');
    expect(judge('authorization', 'Check', groups)).toBe('refused');
  });

  it('cannot name what every object has', () => {
    const headers = { ['__proto__']: 'x', constructor: 'y' };
    const attributes = { request: { http: { method: 'GET', path: '/', headers } } };
    const bytes = services.authorization.Check?.requestSerialize({ attributes }) ?? Buffer.alloc(0);
    const message = services.authorization.Check?.requestDeserialize(Buffer.from(bytes));
    const { header } = readCheckRequest(message as CheckRequestMessage, reading);
    expect([header('tostring'), header('hasownproperty'), header('user-agent')]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });
});

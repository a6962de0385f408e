import fc from 'fast-check';
import Value from 'typebox/value';
import { describe, expect, it } from 'vitest';
import { EnvoyDescriptorSchema, EnvoyDomainSchema, envoyProblems } from './envoy-schema.ts';
import { problemText } from './problem.ts';

const problems = (value: unknown) => envoyProblems(value, 'envoy[0]').map(problemText);

describe('a domain of Envoy’s ratelimit service', () => {
  it('is taken as it is', () => {
    const domain = {
      domain: 'mongo_cps',
      descriptors: [
        { key: 'database', value: 'users', rate_limit: { unit: 'second', requests_per_unit: 500 } },
        {
          key: 'database',
          value: 'default',
          rate_limit: { unit: 'SECOND', requests_per_unit: 500 },
          shadow_mode: true,
        },
        {
          key: 'to_number',
          descriptors: [
            { key: 'remote_address', rate_limit: { name: 'per_ip', unit: 'minute', requests_per_unit: 5 } },
            { key: 'vip', rate_limit: { unlimited: true, replaces: [{ name: 'per_ip' }] } },
            {
              key: 'path',
              value: '/api/*',
              share_threshold: true,
              detailed_metric: true,
              value_to_metric: true,
            },
          ],
        },
      ],
    };
    expect(problems(domain)).toEqual([]);
    expect(Value.Check(EnvoyDomainSchema, domain)).toBe(true);
  });

  it('is told of by its place in the configuration', () => {
    expect(envoyProblems({ domain: 'a', descriptors: [{}] }, 'envoy[3]').map(problemText)).toEqual([
      'envoy[3].descriptors[0].key: must be a string of 1 to 256 characters, got nothing',
    ]);
  });

  it('is refused wherever the published schema refuses it', () => {
    const flag = fc.oneof(fc.boolean(), fc.constant('yes'));
    const name = fc.oneof(fc.string({ maxLength: 300 }), fc.integer());
    const rateLimit = fc.record(
      {
        unit: fc.constantFrom('second', 'MINUTE', 'fortnight', 7),
        requests_per_unit: fc.oneof(fc.integer(), fc.double(), fc.constant(2 ** 32)),
        unlimited: flag,
        name,
        replaces: fc.array(fc.record({ name, other: name }, { requiredKeys: ['name'] }), { maxLength: 120 }),
      },
      { requiredKeys: [] },
    );
    const descriptor = fc.record(
      {
        key: name,
        value: fc.oneof(fc.string({ maxLength: 1_100 }), fc.integer(), fc.boolean(), fc.constant(null)),
        rate_limit: rateLimit,
        shadow_mode: flag,
        quota_mode: flag,
        share_threshold: flag,
        detailed_metric: flag,
        value_to_metric: flag,
        other: flag,
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(descriptor, (entry) => {
        fc.pre(!Value.Check(EnvoyDescriptorSchema, entry));
        expect(problems({ domain: 'd', descriptors: [entry] })).not.toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    ['100 limits that one replaces', { key: 'k', rate_limit: { unlimited: true, replaces: replaced(100) } }],
    ['the longest name', { key: 'k'.repeat(256) }],
    ['the longest value', { key: 'k', value: 'v'.repeat(1_024) }],
    ['the largest limit', { key: 'k', rate_limit: { unit: 'YEAR', requests_per_unit: 2 ** 32 - 1 } }],
  ])('may have %s, by the published schema too', (_, entry) => {
    expect(problems({ domain: 'd', descriptors: [entry] })).toEqual([]);
    expect(Value.Check(EnvoyDescriptorSchema, entry)).toBe(true);
  });
});

function replaced(count: number): { readonly name: string }[] {
  return Array.from({ length: count }, (_, index) => ({ name: `limit ${index}` }));
}

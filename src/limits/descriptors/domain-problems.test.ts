import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { domainProblems } from './domain-problems.ts';

const told = (documents: unknown) =>
  domainProblems(documents, 'envoy').map(({ path, message }) => `${path}: ${message}`);
const descriptor = (entry: object) => [{ domain: 'd', descriptors: [{ key: 'k', ...entry }] }];

describe('documents in the form of the rate limit service', () => {
  it('takes what that service takes', () => {
    const documents = [
      { domain: 'empty' },
      {
        domain: 'full',
        descriptors: [
          {
            key: 'database',
            value: 'users',
            shadow_mode: true,
            detailed_metric: true,
            rate_limit: { unit: 'second', requests_per_unit: 500, name: 'db', replaces: [{ name: 'other' }] },
            descriptors: [{ key: 'nested', rate_limit: { unlimited: true } }],
          },
          { key: 'database', value: 5432 },
          { key: 'database' },
        ],
      },
    ];
    expect(told(documents)).toEqual([]);
  });

  it.each<[string, unknown, string]>([
    ['no list', {}, 'envoy: must be a list, got an object'],
    ['no object', [7], 'envoy[0]: must be an object, got an integer of 1 digit'],
    ['no domain', [{}], 'envoy[0].domain: must be a string of 1 to 256 characters, got nothing'],
    [
      'a domain twice',
      [{ domain: 'd' }, { domain: 'd' }],
      'envoy[1].domain: stands twice; a domain is one document',
    ],
    [
      'an unknown field',
      [{ domain: 'd', descriptor: [] }],
      'envoy[0].descriptor: is not known here; there are domain, descriptors',
    ],
    [
      'no key',
      [{ domain: 'd', descriptors: [{}] }],
      'envoy[0].descriptors[0].key: must be a string of 1 to 256 characters, got nothing',
    ],
    [
      'no descriptor',
      [{ domain: 'd', descriptors: [3] }],
      'envoy[0].descriptors[0]: must be an object, got an integer of 1 digit',
    ],
    [
      'no unit',
      descriptor({ rate_limit: { requests_per_unit: 1 } }),
      'envoy[0].descriptors[0].rate_limit.unit: must be one of second, minute, hour, day, week, month, year, got nothing',
    ],
    [
      'an empty value',
      descriptor({ value: '' }),
      'envoy[0].descriptors[0].value: is empty; leave it out to match any value',
    ],
    [
      'a sharing value without a wildcard',
      descriptor({ value: 'a', share_threshold: true }),
      'envoy[0].descriptors[0].share_threshold: is only for a value that ends with "*"',
    ],
    [
      'an unknown unit',
      descriptor({ rate_limit: { unit: 'fortnight', requests_per_unit: 1 } }),
      'envoy[0].descriptors[0].rate_limit.unit: must be one of second, minute, hour, day, week, month, year, got a string of 9 characters',
    ],
    [
      'a limit without a number',
      descriptor({ rate_limit: { unit: 'day' } }),
      'envoy[0].descriptors[0].rate_limit.requests_per_unit: must be a whole number from 0, got nothing',
    ],
    [
      'a limit that is unlimited',
      descriptor({ rate_limit: { unit: 'day', unlimited: true } }),
      'envoy[0].descriptors[0].rate_limit: unlimited: has neither unit nor requests_per_unit',
    ],
    [
      'a negative limit',
      descriptor({ rate_limit: { unit: 'day', requests_per_unit: -1 } }),
      'envoy[0].descriptors[0].rate_limit.requests_per_unit: must be a whole number from 0 to 4294967295, got the integer -1',
    ],
    [
      'a limit that replaces itself',
      descriptor({ rate_limit: { unit: 'day', requests_per_unit: 1, name: 'n', replaces: [{ name: 'n' }] } }),
      'envoy[0].descriptors[0].rate_limit.replaces[0]: a limit cannot replace itself',
    ],
  ])('names %s', (_, documents, problem) => {
    expect(told(documents)).toEqual([problem]);
  });

  it('names the same key and value on one level, not on two', () => {
    const nested = { key: 'k', descriptors: [{ key: 'k' }] };
    expect(told([{ domain: 'd', descriptors: [nested] }])).toEqual([]);
    expect(told([{ domain: 'd', descriptors: [nested, { key: 'k' }] }])).toEqual([
      'envoy[0].descriptors[1]: the same key and value stand twice on this level',
    ]);
  });

  it('ends at trees without end', () => {
    let descriptors: object[] = [];
    for (let depth = 0; depth < 5_000; depth += 1) descriptors = [{ key: 'k', descriptors }];
    expect(told([{ domain: 'd', descriptors }])).toHaveLength(1);
  });

  it('takes or names any document, and never throws', () => {
    const leaf = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null));
    const field = fc.constantFrom(
      'domain',
      'descriptors',
      'key',
      'value',
      'rate_limit',
      'unit',
      'requests_per_unit',
      'unlimited',
      'replaces',
      'name',
      'x',
    );
    const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
      tree: fc.oneof(
        { depthSize: 'small' },
        leaf,
        fc.array(tie('tree'), { maxLength: 3 }),
        fc.dictionary(field, tie('tree'), { maxKeys: 4 }),
      ),
    }));
    fc.assert(
      fc.property(tree, (document) => {
        for (const { path } of domainProblems([document], 'envoy')) expect(path).toMatch(/^envoy\[0\]/);
      }),
      { numRuns: 1_000 },
    );
  });
});

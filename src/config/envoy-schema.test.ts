import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { envoyProblems } from './envoy-schema.ts';
import { problemText } from './problem.ts';

const problems = (value: unknown) => envoyProblems(value, 'envoy[0]').map(problemText);

describe('envoyProblems', () => {
  it('takes a file of Envoy’s ratelimit service as it is', () => {
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
  });

  it.each([
    ['no domain', {}, 'envoy[0].domain: must be a string of 1 to 256 characters, got nothing'],
    [
      'a descriptor without a key',
      { domain: 'a', descriptors: [{}] },
      'envoy[0].descriptors[0].key: must be a string of 1 to 256 characters, got nothing',
    ],
    [
      'one of no kind',
      { domain: 'a', descriptors: [3] },
      'envoy[0].descriptors[0]: must be an object, got an integer of 1 digit',
    ],
    [
      'one twice',
      { domain: 'a', descriptors: [{ key: 'k' }, { key: 'k', value: 'v' }, { key: 'k' }] },
      'envoy[0].descriptors[2]: the same key and value stand twice on this level',
    ],
    [
      'a limit without a unit',
      { domain: 'a', descriptors: [{ key: 'k', rate_limit: { requests_per_unit: 1 } }] },
      'envoy[0].descriptors[0].rate_limit.unit: must be one of second, minute, hour, day, week, month, year, got nothing',
    ],
    [
      'a limit that replaces itself',
      {
        domain: 'a',
        descriptors: [
          {
            key: 'k',
            rate_limit: { name: 'n', unit: 'day', requests_per_unit: 1, replaces: [{ name: 'n' }] },
          },
        ],
      },
      'envoy[0].descriptors[0].rate_limit.replaces[0]: a limit cannot replace itself',
    ],
  ])('names %s', (_, value, text) => {
    expect(problems(value)).toEqual([text]);
  });

  it('names what is too deep', () => {
    let descriptor: object = { key: 'k' };
    for (let depth = 0; depth < 20; depth += 1) descriptor = { key: 'k', descriptors: [descriptor] };
    expect(problems({ domain: 'a', descriptors: [descriptor] })).toEqual([
      expect.stringMatching(/is nested deeper than 16 levels$/),
    ]);
  });

  it('never throws', () => {
    const word = fc.constantFrom(
      'domain',
      'descriptors',
      'key',
      'value',
      'rate_limit',
      'unit',
      'replaces',
      'unlimited',
      'name',
    );
    const leaf = fc.oneof(fc.integer(), fc.constantFrom('day', 'k', ''), fc.boolean(), fc.constant(null));
    const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
      tree: fc.oneof(
        { maxDepth: 8 },
        leaf,
        fc.array(tie('tree'), { maxLength: 3 }),
        fc.dictionary(word, tie('tree'), { maxKeys: 5 }),
      ),
    }));
    fc.assert(
      fc.property(tree, (value) => {
        for (const problem of problems(value)) expect(problem).toMatch(/^envoy\[0\]/);
      }),
      { numRuns: 500 },
    );
  });
});

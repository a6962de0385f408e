import { describe, expect, it } from 'vitest';
import { pageOf } from './bench-page.mjs';

const result = (bench, metric, ours, peerValue, ratio) => ({
  bench,
  metric,
  ours,
  peer: peerValue === null ? null : 'peer 1',
  peerValue,
  ratio,
});

describe('the page of benchmarks', () => {
  const page = pageOf(
    [
      result('redis', 'check, 64 at once (/s)', 27_991.4, 8_999, 3.11),
      result('redis', 'check, p50 (ms)', 1.2345, 1.2, 0.97),
      result('engine', 'login failure (ops/s)', 150_123, 460_000, 0.326),
      { ...result('service', 'check (requests/s)', 25_000, 30_000, 0.833), peer: 'Fastify 5, bare' },
      result('redis', 'blocked checks (decisions/s)', 280_000, null, null),
    ],
    'a machine',
  );

  it('counts who is better, and leaves what is level out of both', () => {
    expect(page).toContain('Of 3 comparisons with peers we win 1 and lose 1; the rest is level.');
    expect(page).toContain('Measured on a machine.');
  });

  it('lists losses first, then every bench in its order, with units at the numbers', () => {
    expect(page.split('\n').filter((line) => line.startsWith('## '))).toEqual([
      '## Where we lose',
      '## A login failure in memory',
      '## Login attempts on one Redis',
      '## The service over HTTP',
    ]);
    expect(page.match(/Fastify 5, bare/g)).toHaveLength(1);
    expect(page).toContain('| engine: login failure | 150,000/s | peer 1: 460,000/s | 0.33× |');
    expect(page).toContain('| check, 64 at once | 28,000/s | peer 1: 9,000/s | 3.11× |');
    expect(page).toContain('| check, p50 | 1.23 ms | peer 1: 1.2 ms | 0.97× |');
    expect(page).toContain('| blocked checks | 280,000/s | – | – |');
  });
});

import { describe, expect, it } from 'vitest';
import { createMemoryStore } from '../stores/memory/index.ts';
import { createLimiter } from './limiter.ts';
import { limitProblem } from './problem.ts';

describe('the problem of a refusal', () => {
  it('tells as much of a long path as is of use, whatever was sent', async () => {
    const limiter = createLimiter({ store: createMemoryStore(), secret: 'sixteen bytes or more' });
    await limiter.block({ ip: '203.0.113.7' });
    const verdict = await limiter.take({ method: 'GET', path: '/', ip: '203.0.113.7' });
    const instanceOf = (path: string) => limitProblem(verdict, 'r1', path).instance;
    expect(instanceOf(`/${'x'.repeat(100_000)}?secret=1`)).toBe(`/${'x'.repeat(4_095)}`);
    expect(instanceOf(`/${'x'.repeat(4_095)}`)).toHaveLength(4_096);
  });
});

import { describe, expect, it } from 'vitest';
import { createMemoryStore } from '../stores/memory/index.ts';
import { deploymentWarnings } from './deployment-warnings.ts';

const memory = createMemoryStore();
const { immediate: _, usage: __, ...shared } = memory;

describe('a memory store', () => {
  it.each([
    [{ isWorker: true }],
    [{ environment: { NODE_APP_INSTANCE: '0' } }],
    [{ environment: { pm_id: '3' } }],
  ])('in one of several processes is a mistake: %j', (options) => {
    const [warning, ...rest] = deploymentWarnings({ store: memory, ...options });
    expect(warning?.code).toBe('PORTCULLIS_MEMORY_STORE_IN_CLUSTER');
    expect(warning?.message).toContain('portcullis/redis');
    expect(rest).toEqual([]);
  });

  it('in the only process is none', () => {
    expect(deploymentWarnings({ store: memory, environment: { HOME: '/' } })).toEqual([]);
  });
});

it('a store that processes share is never warned of', () => {
  expect(deploymentWarnings({ store: shared, isWorker: true, environment: { pm_id: '1' } })).toEqual([]);
});

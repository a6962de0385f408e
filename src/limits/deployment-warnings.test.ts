import { describe, expect, it } from 'vitest';
import { createMemoryStore } from '../stores/memory/index.ts';
import { deploymentWarnings } from './deployment-warnings.ts';

const memory = createMemoryStore();
const { immediate: _, usage: __, ...shared } = memory;

describe('a memory store', () => {
  it('in one of several processes is a mistake', () => {
    const [warning, ...rest] = deploymentWarnings({ store: memory, isWorker: true });
    expect(warning?.code).toBe('PORTCULLIS_MEMORY_STORE_IN_CLUSTER');
    expect(warning?.message).toContain('portcullis/redis');
    expect(rest).toEqual([]);
  });

  it('in the only process is none', () => {
    expect(deploymentWarnings({ store: memory })).toEqual([]);
  });
});

it('a store that processes share is never warned of', () => {
  expect(deploymentWarnings({ store: shared, isWorker: true })).toEqual([]);
});

export {
  createMemoryStore,
  type MemoryStore,
  type MemoryStoreOptions,
  type MemoryUsage,
} from './memory-store.ts';

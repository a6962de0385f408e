import type { GroupStep, Store } from './store.ts';

/** Runs steps of different groups at once, on any store. */
export function transactEach<T>(
  store: Pick<Store, 'transact' | 'transactEach'>,
  steps: readonly GroupStep<T>[],
): Promise<readonly T[]> {
  if (store.transactEach !== undefined) return store.transactEach(steps);
  return Promise.all(
    steps.map((step) => store.transact(step.keys, (records, now) => step.run(records, now))),
  );
}

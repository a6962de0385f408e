import { setTimeout as wait } from 'node:timers/promises';
import { Fault } from '../../core/fault.ts';
import type { Store } from '../../stores/store.ts';
import { testConcurrency, testLife, testTogether } from './concurrency-tests.ts';
import { testHeld } from './held-tests.ts';
import { testRetention, testRotation } from './lasting-tests.ts';
import { testRecords, testSteps } from './record-tests.ts';
import type { TestFramework } from './test-framework.ts';
import type { OpenedStore, UnderTest } from './under-test.ts';

export interface ConformanceOptions {
  /** How many steps run at once on one key. Default 50. */
  readonly parallel?: number;
  /** How many random cases a property tries. Default 25. */
  readonly runs?: number;
}

/**
 * Registers the tests that every store passes, with whatever test framework there is. Each test works under key texts
 * of its own, so data may stay behind.
 */
export function storeConformance(
  framework: TestFramework,
  name: string,
  open: () => Promise<OpenedStore>,
  { parallel = 50, runs = 25 }: ConformanceOptions = {},
): void {
  const { describe, test, beforeAll, afterAll } = framework;
  describe(`${name} conforms to the store contract`, () => {
    let opened: OpenedStore | undefined;
    let handles: readonly Store[] = [];

    beforeAll(async () => {
      opened = await open();
      const another = await opened.openAnother?.();
      handles = another === undefined ? [opened.store] : [opened.store, another];
    });
    afterAll(async () => {
      if (handles.length > 1) await handles[1]?.close();
      await opened?.close();
    });

    const handleFor = (index: number): Store => {
      const handle = handles[index % handles.length];
      if (handle === undefined) throw new Fault('INVARIANT_BROKEN', 'A store was used before it was opened.');
      return handle;
    };
    const under: UnderTest = {
      describe,
      test,
      get store() {
        return handleFor(0);
      },
      get handles() {
        return handles;
      },
      parallel,
      runs,
      handleFor,
      elapse: (ms) => (opened?.elapse ?? wait)(ms),
      open,
    };

    testRecords(under);
    testSteps(under);
    testRotation(under);
    testRetention(under);
    testHeld(under);
    testConcurrency(under);
    testTogether(under);
    testLife(under);
  });
}

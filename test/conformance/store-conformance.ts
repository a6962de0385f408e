import { afterAll, beforeAll, describe, test } from 'vitest';
import {
  type ConformanceOptions,
  type OpenedStore,
  storeConformance as registerSuite,
} from '../../src/testing/index.ts';

/** The published suite, in vitest. */
export function storeConformance(
  name: string,
  open: () => Promise<OpenedStore>,
  options?: ConformanceOptions,
): void {
  registerSuite({ describe, test, beforeAll, afterAll }, name, open, options);
}

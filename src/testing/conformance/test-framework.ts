/**
 * As much of a test framework as the suite needs, by the names of vitest and Jest. For Mocha and `node:test` that is
 * `{ describe, test: it, beforeAll: before, afterAll: after }`.
 */
export interface TestFramework {
  describe(name: string, body: () => void): void;
  test(name: string, body: () => Promise<void>): void;
  beforeAll(run: () => Promise<void>): void;
  afterAll(run: () => Promise<void>): void;
}

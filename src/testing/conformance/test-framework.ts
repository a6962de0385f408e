/** As much of a test framework as the suite needs: that of vitest, Jest, Mocha or `node:test` by its own names. */
export interface TestFramework {
  describe(name: string, body: () => void): void;
  test(name: string, body: () => Promise<void>): void;
  beforeAll(run: () => Promise<void>): void;
  afterAll(run: () => Promise<void>): void;
}

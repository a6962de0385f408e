import type { Browser } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import { openBrowser } from './browser.ts';
import { type ConsoleService, startConsoleService } from './console-service.ts';

/** What the tests of one `describe` share. There is neither before the first of them begins. */
export interface ConsoleSuite {
  readonly service: ConsoleService;
  readonly browser: Browser;
}

type ServiceDocument = Readonly<Record<string, unknown>>;

/**
 * Has a service and a browser opened before the tests of a `describe`, and closed after them.
 *
 * @param document as of `startConsoleService`; a function where it is known only once hooks registered before have run
 * @param prepare what has to have happened at the service before the first test
 */
export function openSuite(
  document: ServiceDocument | (() => ServiceDocument) = {},
  prepare?: (service: ConsoleService) => Promise<void>,
): ConsoleSuite {
  let service: ConsoleService;
  let browser: Browser;
  beforeAll(async () => {
    service = await startConsoleService(typeof document === 'function' ? document() : document);
    browser = await openBrowser();
    await prepare?.(service);
  });
  afterAll(async () => {
    await browser?.close();
    await service?.close();
  });
  return {
    get service() {
      return service;
    },
    get browser() {
      return browser;
    },
  };
}

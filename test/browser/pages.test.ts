import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bruteForce } from './attacks.ts';
import { barriers, chromiumPath, openBrowser, openConsole, picture, signIn, visit } from './browser.ts';
import { type ConsoleService, startConsoleService } from './console-service.ts';

const pages = ['Live', 'Subject', 'Blocks', 'Limits', 'Health', 'Audit', 'Replay'] as const;
const sizes = [
  { name: 'desk', width: 1280, height: 860 },
  { name: 'phone', width: 360, height: 740 },
] as const;

describe.skipIf(chromiumPath() === null)('every page of the console', () => {
  let service: ConsoleService;
  let browser: Browser;

  beforeAll(async () => {
    service = await startConsoleService();
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await service?.close();
  });

  describe.each(sizes)('on a $name', (size) => {
    it.each(['dark', 'light'] as const)('can be used by everybody, and fits, in %s', async (theme) => {
      const { page, faults } = await openConsole(browser, service.url, { theme, ...size });
      await page.getByLabel('Token').waitFor();
      const found: string[] = await barriersOn('Sign in', page, size.name);
      await picture(page, `sign-in-${theme}-${size.name}`);
      await signIn(page);
      await bruteForce(service, { accounts: 3, failures: 6 });
      await page.getByRole('table', { name: 'Decisions, newest first' }).waitFor();
      for (const name of pages) {
        await visit(page, name);
        if (name === 'Subject') {
          await page.getByLabel('Account').fill('account-0');
          await page.getByLabel('IP address').fill('203.0.113.10');
          await page.getByRole('button', { name: 'Look up' }).click();
          await page.getByRole('heading', { name: 'Keys' }).waitFor();
        }
        if (name === 'Blocks') await page.getByRole('table', { name: /Running blocks/ }).waitFor();
        if (name === 'Limits') await page.getByRole('table', { name: /What a call costs/ }).waitFor();
        if (name === 'Health') await page.getByRole('table', { name: 'Mode of each policy' }).waitFor();
        found.push(...(await barriersOn(name, page, size.name)));
        await picture(page, `${name.toLowerCase()}-${theme}-${size.name}`);
        const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
        expect(overflow, `${name} is wider than a ${size.name}`).toBeLessThanOrEqual(0);
      }
      expect(found).toEqual([]);
      expect(faults).toEqual([]);
      await page.context().close();
    });
  });
});

/** What is found does not depend on the width, and looking for it takes a second: once per page and theme is enough. */
async function barriersOn(name: string, page: Page, size: string): Promise<string[]> {
  return size === 'phone' ? [] : (await barriers(page)).map((line) => `${name}: ${line}`);
}

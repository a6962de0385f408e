import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { chromiumPath, openConsole } from './browser.ts';
import { startConsoleService } from './console-service.ts';
import { openSuite } from './console-suite.ts';

describe.skipIf(chromiumPath() === null)('to who hears the page and does not see it', () => {
  const suite = openSuite({
    tokens: [],
    telemetry: { logLevel: 'silent', feed: { eventsPerSecond: 20 } },
  });

  /** Keeps what parts of the page that are read out when they change have said, from now on. */
  const listen = (page: Page): Promise<void> =>
    page.evaluate(`
      globalThis.said = [];
      new MutationObserver((changes) => {
        const elements = changes.map(({ target }) => target.nodeType === Node.ELEMENT_NODE ? target : target.parentElement);
        const spoken = new Set(elements.map((element) => element?.closest('[role=status]')));
        for (const element of spoken) if (element) said.push(element.textContent.trim());
      }).observe(document.body, { subtree: true, childList: true, characterData: true });
    `);

  const heard = (page: Page): Promise<string[]> => page.evaluate<string[]>('said');

  it('a flood is told once, however long it lasts', async () => {
    const { page } = await openConsole(suite.browser, suite.service.url);
    await page.getByRole('status').getByText('Live', { exact: true }).waitFor();
    await listen(page);
    const numbers = page.getByText(/The service has left [\d,]+ events out of its feed/);
    const shown = new Set<string>();
    while (shown.size < 3) {
      for (let event = 0; event < 100; event += 1)
        await suite.service.service.guard.check({
          action: 'auth.login',
          account: `a${event}`,
          ip: '192.0.2.1',
        });
      await numbers.waitFor();
      shown.add((await numbers.textContent()) ?? '');
    }
    expect(await heard(page)).toEqual(['Sampled: more happens than can be shown.']);
    await page.context().close();
  });

  it('a lost connection is told once, however often it is tried again', async () => {
    const service = await startConsoleService({ tokens: [] });
    const { page } = await openConsole(suite.browser, service.url);
    await page.getByRole('status').getByText('Live', { exact: true }).waitFor();
    await listen(page);
    let tries = 0;
    const triedThrice = new Promise<void>((resolve) => {
      page.on('requestfailed', (request) => {
        if (request.url().includes('/v1/events')) tries += 1;
        if (tries === 3) resolve();
      });
    });
    await service.close();
    await triedThrice;
    expect(await heard(page)).toEqual(['Reconnecting']);
    await page.context().close();
  });
});

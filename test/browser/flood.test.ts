import { describe, expect, it } from 'vitest';
import { chromiumPath, openConsole, picture, visit } from './browser.ts';
import { startConsoleService } from './console-service.ts';
import { openSuite } from './console-suite.ts';

/** Events in all; they are made as fast as the service can, which is more than ten thousand a second. */
const EVENTS = 30_000;

describe.skipIf(chromiumPath() === null)('in a flood of events', () => {
  // The feed holds nothing back here, so that all of the flood reaches the page.
  const suite = openSuite({
    tokens: [],
    telemetry: {
      logLevel: 'silent',
      feed: { eventsPerSecond: 100_000, queueEvents: 100_000, ringEvents: 1024 },
    },
  });

  /** Straight at the guard: thirty thousand requests over HTTP would test something else. */
  async function flood(): Promise<void> {
    for (let event = 0; event < EVENTS; event += 1) {
      await suite.service.service.guard.check({
        action: 'auth.login',
        account: `a${event % 500}`,
        ip: `192.0.2.${event % 250}`,
      });
      // The node goes on serving meanwhile.
      if (event % 500 === 499) await new Promise((resolve) => setImmediate(resolve));
    }
  }

  it('counts all of them, shows some, says so, and answers to clicks', async () => {
    const { page, faults } = await openConsole(suite.browser, suite.service.url);
    await page.getByRole('status').getByText('Live', { exact: true }).waitFor();
    const flooding = flood();
    await page
      .getByRole('status')
      .getByText(/Sampled: more happens than can be shown/)
      .waitFor();
    await visit(page, 'Health');
    await visit(page, 'Live');
    await flooding;
    await page.getByRole('img', { name: new RegExp(`${EVENTS.toLocaleString('en-GB')} allowed`) }).waitFor();
    expect(
      await page.getByRole('table', { name: 'Decisions, newest first' }).locator('tbody tr').count(),
    ).toBe(60);
    await picture(page, 'flood-dark-desk');
    expect(faults).toEqual([]);
    await page.context().close();
  });

  it('says how many the service itself has left out', async () => {
    const sampled = await startConsoleService({
      tokens: [],
      telemetry: { logLevel: 'silent', feed: { eventsPerSecond: 50 } },
    });
    const { page } = await openConsole(suite.browser, sampled.url);
    await page.getByRole('status').getByText('Live', { exact: true }).waitFor();
    for (let event = 0; event < 2_000; event += 1) {
      await sampled.service.guard.check({ action: 'auth.login', account: 'a1', ip: '192.0.2.1' });
    }
    await page.getByText(/The service has left [\d,]+ events out of its feed/).waitFor();
    await page.getByRole('img', { name: /more were not in the feed/ }).waitFor();
    const figure = async (name: string) => {
      const text = await page.locator('.stats > div', { hasText: name }).locator('dd').textContent();
      return Number(text?.replace(',', ''));
    };
    await expect.poll(async () => (await figure('Allowed')) + (await figure('Not in the feed'))).toBe(2_000);
    await page.getByText('As a table').click();
    const table = page.getByRole('table', { name: /^Outcomes over time/ });
    await table.getByRole('columnheader', { name: 'Not in the feed' }).waitFor();
    await page.context().close();
    await sampled.close();
  });
});

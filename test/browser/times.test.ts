import { describe, expect, it } from 'vitest';
import { attacker, bruteForce } from './attacks.ts';
import { chromiumPath, signIn, visit } from './browser.ts';
import { openSuite } from './console-suite.ts';

describe.skipIf(chromiumPath() === null)('times in the console', () => {
  const suite = openSuite({}, (service) => bruteForce(service, { accounts: 1, failures: 6 }));

  async function consoleIn(timezoneId: string) {
    const context = await suite.browser.newContext({ timezoneId });
    const page = await context.newPage();
    await page.goto(suite.service.url);
    await signIn(page);
    return page;
  }

  it('say in which zone they are, on every page that has some', async () => {
    const page = await consoleIn('Asia/Tehran');
    for (const name of ['Subject', 'Blocks', 'Limits', 'Health', 'Audit', 'Live']) {
      await visit(page, name);
      await page.getByText('Times are those of this browser: Asia/Tehran, GMT+3:30.').waitFor();
    }
    await visit(page, 'Replay');
    expect(await page.getByText('Times are those of this browser').count()).toBe(0);
    await page.context().close();
  });

  it('tell when a subject was looked at, which stands still until somebody looks again', async () => {
    const page = await consoleIn('UTC');
    await visit(page, 'Subject');
    await page.getByLabel('Account').fill(attacker(0).account);
    await page.getByLabel('IP address').fill(attacker(0).ip);
    const answered = page.waitForResponse('**/v1/explain');
    await page.getByRole('button', { name: 'Look up' }).click();
    const { at } = (await (await answered).json()) as { at: number };
    await page.getByText(`As of ${new Date(at).toISOString().slice(11, 19)}`).waitFor();
    await page.context().close();
  });
});

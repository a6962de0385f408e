import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { attacker, bruteForce } from './attacks.ts';
import { barriers, chromiumPath, openConsole, picture, signIn, visit } from './browser.ts';
import { tokens } from './console-service.ts';
import { openSuite } from './console-suite.ts';

const phone = 360;
const tablet = 768;
const laptop = 1024;
const desk = 1280;

const longWord = 'https://tickets.example/'.padEnd(400, 'x');
const longPath = `/${'collection/:id/'.repeat(8)}last`;

describe.skipIf(chromiumPath() === null)('in a window of any width', () => {
  const limits = {
    signedIn: { ratePerSecond: 0.1, burst: 3 },
    routes: [
      { method: 'GET', path: longPath, cost: 7 },
      { method: 'POST', path: '/sign-in', cost: 1, signIn: true },
    ],
  };
  const suite = openSuite({ limits }, async (service) => {
    await bruteForce(service, { accounts: 1, failures: 6 });
    await operate('POST', '/v1/blocks', { ...attacker(1), scope: 'K4', level: 6, by: 'Ada', why: longWord });
    const pin = { ratePerSecond: 1, forMs: 3_600_000, by: longWord, why: longWord };
    await operate('PUT', '/v1/pins/limits/anonymous', pin);
  });

  async function operate(method: string, path: string, body: object): Promise<void> {
    const response = await fetch(new URL(path, suite.service.url), {
      method,
      headers: { authorization: `Bearer ${tokens.operate}` },
      body: JSON.stringify(body),
    });
    expect(response.status).toBe(200);
  }

  async function resized(page: Page, width: number): Promise<void> {
    await page.setViewportSize({ width, height: 860 });
  }

  /** Pixels of the page that lie beside the window. */
  const overflow = (page: Page) => page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');

  /** Names of the tables that have columns out of sight. */
  const cutTables = (page: Page) =>
    page.evaluate<string[]>(
      "[...document.querySelectorAll('.table-box')].filter((box) => box.scrollWidth > box.clientWidth).map((box) => box.querySelector('caption').textContent)",
    );

  it.each([
    { name: 'Live', shown: 'placed a block' },
    { name: 'Limits', shown: 'Limit of anonymous callers' },
    { name: 'Health', shown: 'placed a block' },
    { name: 'Audit', shown: 'pinned' },
  ])('$name stays inside of it, however long the words are that people have typed', async (seen) => {
    const { page } = await openConsole(suite.browser, suite.service.url);
    await signIn(page);
    await visit(page, seen.name);
    await page.getByText(seen.shown).first().waitFor();
    const beside: string[] = [];
    for (const width of [phone, tablet, laptop, desk]) {
      await resized(page, width);
      if ((await overflow(page)) > 0) beside.push(`page at ${width}`);
      // On a phone a table may be moved sideways in its own box.
      const cut = width === phone ? [] : await cutTables(page);
      beside.push(...cut.map((caption) => `${caption} at ${width}`));
    }
    expect(beside).toEqual([]);
    await page.context().close();
  });

  it.each([
    { name: 'Blocks', table: /^Running blocks/, fields: ['Policy', 'Id'] },
    { name: 'Limits', table: /^What a call costs/, fields: ['Sign-in'] },
    { name: 'Limits', table: /^Pins$/, fields: ['Who', 'Why'] },
    { name: 'Audit', table: /^Acts of operators/, fields: ['On', 'Why', 'Until'] },
  ])('a phone shows $fields of $name below the row', async ({ name, table, fields }) => {
    const { page, faults } = await openConsole(suite.browser, suite.service.url, { width: phone });
    await signIn(page);
    await visit(page, name);
    for (const field of fields) {
      const terms = page.getByRole('table', { name: table }).locator('dt', { hasText: field });
      await terms.first().waitFor();
    }
    expect(await overflow(page)).toBe(0);
    expect(await barriers(page)).toEqual([]);
    await picture(page, `${name.toLowerCase()}-narrow`);
    await resized(page, desk);
    await page.getByRole('table', { name: table }).locator('dt').first().waitFor({ state: 'detached' });
    expect(faults).toEqual([]);
    await page.context().close();
  });

  it('a phone shows the environment, and that one may only look, whatever the feed does', async () => {
    const { page } = await openConsole(suite.browser, suite.service.url, { width: phone });
    await page.route('**/v1/events*', (route) => route.fulfill({ status: 403, json: { status: 403 } }));
    await signIn(page, tokens.observe);
    await page.getByRole('status').getByText('No live feed').waitFor();
    await page.getByText('looking only').waitFor();
    expect(await page.locator('.environment').isVisible()).toBe(true);
    expect(await overflow(page)).toBe(0);
    await page.context().close();
  });

  it('what lifts a block is in sight', async () => {
    const { page } = await openConsole(suite.browser, suite.service.url);
    await signIn(page);
    const beside: string[] = [];
    const look = async () => {
      for (const width of [phone, 600, 700, tablet, 900, laptop, 1_100, 1_180, desk]) {
        await resized(page, width);
        beside.push(...(await cutTables(page)).map((caption) => `${caption} at ${width}`));
      }
    };
    await visit(page, 'Blocks');
    await page.getByRole('button', { name: /^Lift/ }).first().waitFor();
    await look();
    await visit(page, 'Subject');
    await page.getByLabel('Account').fill(attacker(1).account);
    await page.getByLabel('IP address').fill(attacker(1).ip);
    await page.getByLabel('Device id').fill('a-device');
    await page.getByRole('button', { name: 'Look up' }).click();
    await page.getByRole('button', { name: 'Lift the block on Account' }).waitFor();
    await look();
    expect(beside).toEqual([]);
    await page.context().close();
  });
});

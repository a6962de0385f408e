import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { attacker, bruteForce } from './attacks.ts';
import { barriers, chromiumPath, openConsole, picture, signIn, visit } from './browser.ts';
import { startConsoleService } from './console-service.ts';
import { openSuite } from './console-suite.ts';

const desk = { width: 1280, height: 860 };
const phone = { width: 360, height: 740 };

/** Each page, and what shows that it has come to what it has to say. */
const pages: readonly { name: string; ready: (page: Page) => Promise<void> }[] = [
  { name: 'Live', ready: (page) => page.getByRole('table', { name: 'Decisions, newest first' }).waitFor() },
  { name: 'Subject', ready: lookSomebodyUp },
  { name: 'Blocks', ready: (page) => page.getByRole('table', { name: /Running blocks/ }).waitFor() },
  { name: 'Limits', ready: seeServices },
  { name: 'Health', ready: (page) => page.getByRole('table', { name: 'Mode of each policy' }).waitFor() },
  { name: 'Audit', ready: (page) => page.getByText('Nobody has lifted').waitFor() },
  { name: 'Replay', ready: (page) => page.getByLabel('Event file').waitFor() },
];

async function seeServices(page: Page): Promise<void> {
  await page.getByRole('table', { name: /What a call costs/ }).waitFor();
  const services = page.getByRole('table', { name: /Services behind the gateway/ });
  await services.getByRole('row', { name: 'orders /orders/* 0 %' }).waitFor();
  await services.getByRole('row', { name: 'shop anything else 0 %' }).waitFor();
}

async function lookSomebodyUp(page: Page): Promise<void> {
  await page.getByLabel('Account').fill(attacker(0).account);
  await page.getByLabel('IP address').fill(attacker(0).ip);
  await page.getByRole('button', { name: 'Look up' }).click();
  await page.getByRole('heading', { name: 'Keys' }).waitFor();
}

describe.skipIf(chromiumPath() === null)('every page of the console', () => {
  const services = [{ name: 'orders', path: '/orders/*' }, { name: 'shop' }];
  const suite = openSuite({ limits: { services } }, (service) =>
    bruteForce(service, { accounts: 3, failures: 6 }),
  );

  it('shows every part of the service by its name, and every table whole on a desk', async () => {
    const roomy = await startConsoleService({ listen: { port: 0, grpcPort: 0, drainMs: 100 } });
    const { page } = await openConsole(suite.browser, roomy.url, desk);
    await signIn(page);
    await visit(page, 'Health');
    await page.getByRole('heading', { name: 'grpc' }).waitFor();
    const table = page.getByRole('table', { name: /Abuse scenarios/ });
    await table.waitFor();
    const headings = await page.getByRole('heading', { level: 2 }).allTextContents();
    expect(headings).toEqual([
      'Modes',
      'Node',
      'Decisions since the start',
      'Scenarios',
      'grpc',
      'Targets and breakers',
      'Events',
    ]);
    const hidden = () =>
      page.evaluate<number[]>(
        "[...document.querySelectorAll('.table-box')].map((box) => box.scrollWidth - box.clientWidth)",
      );
    expect((await hidden()).filter((pixels) => pixels > 0)).toEqual([]);
    await picture(page, 'health-grpc-dark-desk');
    await page.context().close();
    await roomy.close();
  });

  it('writes a countdown in the face of the words around it', async () => {
    const { page } = await openConsole(suite.browser, suite.service.url, desk);
    await signIn(page);
    await visit(page, 'Subject');
    await lookSomebodyUp(page);
    const faces = await page.evaluate<string[]>(
      "['body', '.verdict .figures'].map((which) => getComputedStyle(document.querySelector(which)).fontFamily)",
    );
    expect(faces[1]).toBe(faces[0]);
    await page.context().close();
  });

  it.each(['dark', 'light'] as const)(
    'can be used by everybody and fits on a phone, in %s',
    async (theme) => {
      const { page, faults } = await openConsole(suite.browser, suite.service.url, { theme, ...desk });
      const found: string[] = [];
      const wide: string[] = [];
      const look = async (name: string) => {
        const file = `${name.toLowerCase().replace(' ', '-')}-${theme}`;
        found.push(...(await barriers(page)).map((line) => `${name}: ${line}`));
        await picture(page, `${file}-desk`);
        await page.setViewportSize(phone);
        const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
        if (overflow > 0) wide.push(`${name} by ${overflow} pixels`);
        await picture(page, `${file}-phone`);
        await page.setViewportSize(desk);
      };
      await page.getByLabel('Token').waitFor();
      await look('Sign in');
      await signIn(page);
      for (const { name, ready } of pages) {
        await visit(page, name);
        await ready(page);
        await look(name);
      }
      expect(found).toEqual([]);
      expect(wide).toEqual([]);
      expect(faults).toEqual([]);
      await page.context().close();
    },
  );
});

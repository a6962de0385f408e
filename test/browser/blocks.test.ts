import type { Page } from 'playwright-core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { attacker } from './attacks.ts';
import { barriers, chromiumPath, openConsole, picture, signIn, visit, type WatchedPage } from './browser.ts';
import { tokens } from './console-service.ts';
import { openSuite } from './console-suite.ts';

/** A store whose clock is ten minutes behind that of the node. */
const behindMs = 600_000;

describe.skipIf(chromiumPath() === null)('the list of running blocks', () => {
  const suite = openSuite();
  let watched: WatchedPage;
  let page: Page;

  beforeEach(async () => {
    watched = await openConsole(suite.browser, suite.service.url);
    page = watched.page;
    await signIn(page);
  });
  afterEach(async () => {
    expect(watched.faults).toEqual([]);
    await page.context().close();
  });

  async function place(scope: string): Promise<void> {
    const block = { ...attacker(0), scope, level: 3, why: 'a test' };
    const response = await fetch(new URL('/v1/blocks', suite.service.url), {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${tokens.operate}` },
      body: JSON.stringify(block),
    });
    expect(response.status).toBe(200);
  }

  /** Has the service list what it is told to. */
  async function listed(path: string, answer: () => object): Promise<string[]> {
    const asked: string[] = [];
    await page.route(`**/${path}*`, (route) => {
      asked.push(route.request().url());
      return route.fulfill({ json: answer() });
    });
    return asked;
  }

  const block = { policy: 'login', scope: 'K4', outcome: 'HARD_BLOCK', level: 3 };

  it('shows the hard and the soft block of a key as one, and says that a lift ends both', async () => {
    let outcome: unknown = '';
    for (let failure = 0; failure < 5 && outcome !== 'SOFT_BLOCK'; failure += 1) {
      ({ outcome } = (await suite.service.post('/v1/fail', attacker(0))) as { outcome: string });
    }
    await place('K4');
    await visit(page, 'Blocks');
    const row = page.getByRole('row').filter({ hasText: 'Account K4' });
    await row.getByText('Hard block').waitFor();
    await row.getByText('Soft block').waitFor();
    expect(await barriers(page)).toEqual([]);
    await picture(page, 'blocks-hard-and-soft');
    await row.getByRole('button', { name: /^Lift hard block and soft block of/ }).click();
    const dialog = page.getByRole('dialog');
    await dialog
      .getByText(/Ends every block on this Account K4 of policy login now, hard and soft\./)
      .waitFor();
    await dialog.getByLabel('Who').fill('Ada');
    await dialog.getByLabel('Why').fill('a false alarm');
    await dialog.getByRole('button', { name: 'Lift', exact: true }).click();
    await row.waitFor({ state: 'detached' });
  });

  it('says that there are more than it lists', async () => {
    const asked = await listed('v1/blocks', () => ({
      at: Date.now(),
      blocks: [1, 2].map((n) => ({ ...block, id: `login:K4:hash-${n}`, until: Date.now() + 60_000 })),
      more: true,
    }));
    await visit(page, 'Blocks');
    await page.getByRole('heading', { name: 'At least 2 blocked keys' }).waitFor();
    expect(asked[0]).toMatch(/limit=10000$/);
  });

  it('counts down by the clock of the store, also where that of the node is another', async () => {
    const now = () => Date.now() - behindMs;
    const until = now() + 300_000;
    await listed('v1/blocks', () => ({
      at: now(),
      blocks: [{ ...block, id: 'login:K4:hash', until }],
      more: false,
    }));
    await visit(page, 'Blocks');
    await page.getByText(/^4:[45]\d$/).waitFor();
    await page.waitForResponse((response) => response.url().endsWith('/v1/status'));
    await page.getByText(/^4:[345]\d$/).waitFor();
  });

  it('counts pins down by the same clock', async () => {
    const now = () => Date.now() - behindMs;
    const pin = {
      name: 'scenario:scraping',
      kind: 'scenario',
      scenario: 'scraping',
      by: 'Ada',
      why: 'a sale',
    };
    const until = now() + 300_000;
    await listed('v1/pins', () => ({ at: now(), pins: [{ ...pin, from: now(), until }] }));
    await visit(page, 'Limits');
    await page
      .getByRole('table', { name: 'Pins' })
      .getByText(/^4:[45]\d$/)
      .waitFor();
  });

  it('waits for an answer that takes longer than the pause between two, and lets the service rest', async () => {
    let asked = 0;
    await page.route('**/v1/blocks*', async (route) => {
      asked += 1;
      await new Promise((resolve) => setTimeout(resolve, 7_000));
      await route.fulfill({ json: { at: Date.now(), blocks: [], more: false } });
    });
    await visit(page, 'Blocks');
    await page.getByText('No block runs.').waitFor();
    await page.waitForTimeout(6_000);
    expect(asked).toBe(1);
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  });
});

import type { Page } from 'playwright-core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { attacker, bruteForce } from './attacks.ts';
import { barriers, chromiumPath, openConsole, signIn, visit } from './browser.ts';
import { tokens } from './console-service.ts';
import { openSuite } from './console-suite.ts';

describe.skipIf(chromiumPath() === null)('before an operator acts', () => {
  const suite = openSuite({ scenarios: { enabled: false } }, (service) =>
    bruteForce(service, { accounts: 2, failures: 6 }),
  );
  let page: Page;

  beforeEach(async () => {
    ({ page } = await openConsole(suite.browser, suite.service.url, { width: 390, height: 844 }));
    await signIn(page);
  });
  afterEach(() => page.context().close());

  it('the console says which subject it is about, whatever has been typed since', async () => {
    await visit(page, 'Subject');
    await page.getByLabel('Account').fill(attacker(0).account);
    await page.getByLabel('IP address').fill(attacker(0).ip);
    await page.getByRole('button', { name: 'Look up' }).click();
    const whom = `Account ${attacker(0).account}, IP address ${attacker(0).ip}, action auth.login`;
    await page
      .getByRole('region', { name: /^Now, under/ })
      .getByText(whom)
      .waitFor();
    await page.getByLabel('Account', { exact: true }).fill('somebody-else');
    await page.getByRole('button', { name: 'Place a block' }).click();
    await page.getByRole('dialog').getByText(whom).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Lift the block on Account' }).click();
    await page.getByRole('dialog').getByText(whom).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Clear' }).click();
    await page.getByText('Nothing has been asked yet.').waitFor();
    expect(await page.getByText(attacker(0).account).count()).toBe(0);
  });

  it('the console says which field the service refused, and not that nothing was asked', async () => {
    await visit(page, 'Subject');
    await page.getByLabel('Account').fill(attacker(0).account);
    const ip = page.getByLabel('IP address');
    await ip.fill('zz');
    await page.getByRole('button', { name: 'Look up' }).click();
    await page
      .getByRole('alert')
      .getByText(/^ip must be/)
      .waitFor();
    await page.getByText('The look-up failed').waitFor();
    expect(await page.getByText('Nothing has been asked yet').count()).toBe(0);
    expect(await ip.getAttribute('aria-invalid')).toBe('true');
    expect(await ip.getAttribute('aria-describedby')).toBe(await page.getByRole('alert').getAttribute('id'));
    expect(await ip.evaluate((field) => field.matches(':focus'))).toBe(true);
    expect(await barriers(page)).toEqual([]);
    await ip.fill(attacker(0).ip);
    await page.getByRole('button', { name: 'Look up' }).click();
    await page.getByRole('region', { name: /^Now, under/ }).waitFor();
    expect(await ip.getAttribute('aria-invalid')).toBe(null);
  });

  it('the console says which of many blocks it is about, also where its id has no column', async () => {
    await visit(page, 'Blocks');
    const lift = page.getByRole('button', { name: /^Lift/ }).first();
    const [, id = ''] = / of (\S+)$/.exec((await lift.getAttribute('aria-label')) ?? '') ?? [];
    expect(id).toMatch(/^.{8}…$/);
    await lift.click();
    await page.getByRole('dialog').getByText(id).waitFor();
  });

  it('the page of acts shows whose token it was, whatever marks of direction a name has', async () => {
    const placed = await fetch(new URL('/v1/blocks', suite.service.url), {
      method: 'POST',
      headers: { authorization: `Bearer ${tokens.operate}` },
      body: JSON.stringify({ ...attacker(1), scope: 'K4', level: 2, by: 'Ada\u202e', why: 'a \u2067test' }),
    });
    expect(placed.status).toBe(200);
    await visit(page, 'Audit');
    await page.getByText('Ada\\u202e (token test-operate)').waitFor();
    await page.locator('dd').getByText('a \\u2067test').waitFor();
  });

  it('nothing can be chosen that there is none of', async () => {
    await visit(page, 'Limits');
    await page.getByRole('button', { name: 'Pin for a time' }).click();
    const kinds = await page.getByRole('combobox', { name: 'What' }).locator('option').allTextContents();
    expect(kinds).toContain('A rule, in shadow');
    expect(kinds).not.toContain('A scenario, off');
  });
});

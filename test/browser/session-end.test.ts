import type { Page } from 'playwright-core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { attacker, bruteForce } from './attacks.ts';
import { chromiumPath, openConsole, signIn, visit } from './browser.ts';
import { tokens } from './console-service.ts';
import { openSuite } from './console-suite.ts';

describe.skipIf(chromiumPath() === null)('at the end of a session', () => {
  const suite = openSuite({}, (service) => bruteForce(service, { accounts: 2, failures: 6 }));
  let page: Page;

  beforeEach(async () => {
    ({ page } = await openConsole(suite.browser, suite.service.url));
    await signIn(page);
  });
  afterEach(() => page.context().close());

  const keptByTab = () => page.evaluate<string>('JSON.stringify({ ...sessionStorage })');

  const signOut = () => page.getByRole('button', { name: 'Sign out' }).click();
  const refuseToken = () =>
    page.route('**/v1/status', (route) => route.fulfill({ status: 401, json: { status: 401 } }));
  const ends = [
    { end: 'a sign-out', endSession: signOut },
    { end: 'a token that is taken no more', endSession: refuseToken },
  ];

  it.each(ends)('neither token nor name is left to who comes after $end', async ({ endSession }) => {
    await visit(page, 'Blocks');
    await page.getByRole('button', { name: /^Lift/ }).first().click();
    await page.getByLabel('Who').fill('Ada');
    await page.getByLabel('Why').fill('a false alarm');
    await page.getByRole('button', { name: 'Lift', exact: true }).last().click();
    await page.getByText('The block is lifted.').waitFor();
    expect(await keptByTab()).toContain('Ada');
    await endSession();
    await page.getByLabel('Token').waitFor();
    expect(await keptByTab()).toBe('{}');
  });

  it('says why when the service takes the token no more, and forgets it, before and after a reload', async () => {
    await refuseToken();
    const words = page.getByRole('alert').getByText('The service takes the token of this tab no more.');
    await words.waitFor();
    expect(await keptByTab()).not.toContain(tokens.operate);
    await page.unrouteAll();
    await signIn(page);
    await refuseToken();
    await page.reload();
    await words.waitFor();
    await page.reload();
    await page.getByLabel('Token').waitFor();
    expect(await words.count()).toBe(0);
  });

  it('does not blame the service for a token that cannot be sent', async () => {
    await signOut();
    await page.getByLabel('Token').fill(`“${tokens.operate}”`);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').getByText('This is no token that can be sent').waitFor();
    expect(await page.getByText('cannot be reached').count()).toBe(0);
  });

  it('does not say that there is no answer when the token may not look any more', async () => {
    const detail = 'This needs a token with the role "observe".';
    await page.route('**/v1/status', (route) =>
      route.fulfill({ status: 403, json: { status: 403, detail } }),
    );
    const alarm = page.getByRole('alert').filter({ hasText: detail });
    await alarm.waitFor();
    expect(await alarm.locator('strong').textContent()).toBe('Refused by the service');
    await page.unrouteAll();
    await alarm.waitFor({ state: 'detached' });
  });

  it('listens again when a token is taken again that was not for a while', async () => {
    await page.route('**/v1/events*', (route) => route.fulfill({ status: 403, json: { status: 403 } }));
    await page.reload();
    await page.getByRole('status').getByText('No live feed').waitFor();
    await page.unrouteAll();
    await page.getByRole('status').getByText('Live', { exact: true }).waitFor();
  });

  it('says what is missing on a page that was open while the service was upgraded', async () => {
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.route('**/assets/*-worker*', (route) => route.fulfill({ status: 404, body: '' }));
    await page.getByLabel('Token').fill(tokens.operate);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('status').getByText('No live feed').waitFor();
    await visit(page, 'Replay');
    const file = { name: 'a-night.jsonl', mimeType: 'text/plain', buffer: Buffer.from('{}') };
    await page.getByLabel('Event file').setInputFiles(file);
    await page.getByRole('button', { name: 'Replay' }).click();
    await page
      .getByRole('alert')
      .getByText(/If the service was upgraded .*, load the page again\./)
      .waitFor();
  });

  it('says what the service says where no token would help', async () => {
    const detail = 'No tokens are configured: only this machine is served.';
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.route('**/v1/status', (route) =>
      route.fulfill({ status: 403, json: { status: 403, detail } }),
    );
    await page.reload();
    await page.getByRole('alert').getByText(detail).waitFor();
  });

  it.each(ends)(
    'shows nothing of a file that was replayed to who comes after $end',
    async ({ endSession }) => {
      await visit(page, 'Replay');
      const line = { t: 0, op: 'fail', account: 'a1', ip: '203.0.113.7' };
      const file = {
        name: 'a-night.jsonl',
        mimeType: 'text/plain',
        buffer: Buffer.from(JSON.stringify(line)),
      };
      await page.getByLabel('Event file').setInputFiles(file);
      await page.getByLabel(/^Policy/).fill('# for the bank');
      await page.getByRole('button', { name: 'Replay' }).click();
      await page.getByText(/a-night\.jsonl/).waitFor();
      await endSession();
      await page.getByLabel('Token').waitFor();
      await page.unrouteAll();
      await page.getByLabel('Token').fill(tokens.observe);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByLabel('Event file').waitFor();
      expect(await page.getByText(/a-night\.jsonl/).count()).toBe(0);
      expect(await page.getByLabel('Event file').inputValue()).toBe('');
      expect(await page.getByLabel(/^Policy/).inputValue()).toBe('');
    },
  );

  it('shows nothing of a subject to the next one, also not by going back', async () => {
    await visit(page, 'Subject');
    await page.getByLabel('Account').fill(attacker(0).account);
    await page.getByLabel('IP address').fill(attacker(0).ip);
    await page.getByRole('button', { name: 'Look up' }).click();
    await page.getByRole('heading', { name: 'Keys' }).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Token').waitFor();
    await page.goBack();
    await page.getByLabel('Token').fill(tokens.observe);
    await page.goForward();
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('Nothing has been asked yet.').waitFor();
    expect(await page.getByLabel('Account').inputValue()).toBe('');
  });
});

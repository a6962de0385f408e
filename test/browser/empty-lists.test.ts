import type { Page } from 'playwright-core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { chromiumPath, openConsole, signIn, visit } from './browser.ts';
import { startConsoleService } from './console-service.ts';
import { openSuite } from './console-suite.ts';

describe.skipIf(chromiumPath() === null)('a list with nothing in it', () => {
  const suite = openSuite();
  let page: Page;

  beforeEach(async () => {
    ({ page } = await openConsole(suite.browser, suite.service.url));
    await signIn(page);
  });
  afterEach(() => page.context().close());

  const refuse = (path: string) =>
    page.route(path, (route) =>
      route.fulfill({ status: 503, json: { status: 503, detail: 'The store cannot serve now.' } }),
    );

  it.each([
    { name: 'Audit', path: '**/v1/audit', words: 'Acts of operators could not be read.' },
    { name: 'Blocks', path: '**/v1/blocks?*', words: 'Blocks could not be read.' },
    { name: 'Health', path: '**/v1/targets', words: 'Targets could not be read.' },
  ])('is not called empty where nobody could read it: $name', async ({ name, path, words }) => {
    await refuse(path);
    await visit(page, name);
    await page.getByRole('alert').getByText('The store cannot serve now.').waitFor();
    await page.getByText(words).waitFor();
    expect(await page.getByText(/^(Looking…|Nobody has|No block runs|No application)/).count()).toBe(0);
  });

  it('does not say that no block runs when the chosen ones have ended and others go on', async () => {
    const blockOf = (policy: string) => ({
      id: `${policy}:K4:aaaaaaaaaaaaaaaaaaaaaa`,
      policy,
      scope: 'K4',
      outcome: 'HARD_BLOCK',
      level: 3,
      until: Date.now() + 600_000,
    });
    let policies = ['login', 'otp'];
    await page.route('**/v1/blocks?*', (route) =>
      route.fulfill({ json: { at: Date.now(), blocks: policies.map(blockOf), more: false } }),
    );
    await visit(page, 'Blocks');
    await page.getByLabel('Policy').selectOption('otp');
    await page.getByRole('heading', { name: '1 blocked key' }).waitFor();
    policies = ['login'];
    await page.getByText('No such block runs; there are others.').waitFor();
    expect(await page.getByLabel('Policy').inputValue()).toBe('otp');
    await page.getByLabel('Policy').selectOption('');
    await page.getByRole('heading', { name: '1 blocked key' }).waitFor();
  });

  it('does not say that there are no decisions when only denials were asked for', async () => {
    await page.getByText('No decisions yet.').waitFor();
    await suite.service.post('/v1/check', { account: 'owner', ip: '198.51.100.7' });
    await page.getByRole('table', { name: 'Decisions, newest first' }).waitFor();
    await page.getByRole('button', { name: 'Denials only' }).click();
    await page.getByText('No denial among the latest decisions.').waitFor();
  });

  it('does not say that there are no decisions while it stands still, and goes on for who comes next', async () => {
    const quiet = await startConsoleService();
    await page.goto(quiet.url);
    await signIn(page);
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByText('Paused before the first decision came.').waitFor();
    await quiet.post('/v1/check', { account: 'somebody', ip: '198.51.100.8' });
    await page.getByRole('button', { name: 'Sign out' }).click();
    await signIn(page);
    await page.getByRole('table', { name: 'Decisions, newest first' }).waitFor();
    await quiet.close();
  });
});

import { PassThrough } from 'node:stream';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { runCli } from '../../src/cli/main.ts';
import { attacker, bruteForce } from './attacks.ts';
import {
  chromiumPath,
  openBrowser,
  openConsole,
  picture,
  signIn,
  visit,
  type WatchedPage,
} from './browser.ts';
import { type ConsoleService, startConsoleService, tokens } from './console-service.ts';
import { openSuite } from './console-suite.ts';

describe.skipIf(chromiumPath() === null)('an operator at the console', () => {
  let browser: Browser;
  let service: ConsoleService;
  let watched: WatchedPage;
  let page: Page;

  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser?.close());
  beforeEach(async () => {
    service = await startConsoleService();
    watched = await openConsole(browser, service.url);
    page = watched.page;
  });
  afterEach(async () => {
    expect(watched.faults).toEqual([]);
    await page.context().close();
    await service.close();
  });

  async function lookUp(account: number): Promise<void> {
    const { account: name, ip } = attacker(account);
    await visit(page, 'Subject');
    await page.getByLabel('Account').fill(name);
    await page.getByLabel('IP address').fill(ip);
    await page.getByRole('button', { name: 'Look up' }).click();
    await page.getByRole('heading', { name: 'Now, under the policy login' }).waitFor();
  }

  async function confirm(action: string): Promise<void> {
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Who').fill('Ada');
    await dialog.getByLabel('Why').fill('a false alarm');
    await dialog.getByRole('button', { name: action, exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
  }

  it('is refused with a wrong token and let in with a right one, which stays in the tab', async () => {
    await page.getByLabel('Token').fill('a-wrong-token-of-some-length');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').getByText('The token is none of the configured ones.').waitFor();
    await signIn(page, tokens.observe);
    await page.reload();
    await page.getByRole('heading', { name: 'Live', level: 1 }).waitFor();
    expect(await page.evaluate('localStorage.length + document.cookie.length')).toBe(0);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Token').waitFor();
    expect(await page.evaluate("sessionStorage.getItem('portcullis.token')")).toBe(null);
  });

  it('watches a drill of the command line arrive', async () => {
    await signIn(page);
    const [stdin, stdout, stderr] = [
      new PassThrough(),
      new PassThrough().resume(),
      new PassThrough().resume(),
    ];
    const args = ['drill', '--url', service.url, '--token', tokens.decide, '--seconds', '4'];
    const drilling = runCli(args, { stdin, stdout, stderr, isTerminal: false });
    const decisions = page.getByRole('table', { name: 'Decisions, newest first' });
    await decisions.getByText('Hard block').first().waitFor();
    await page.getByRole('img', { name: /Last 2 min: .* [1-9]\d* hard blocks/ }).waitFor();
    expect(await drilling).toBe(0);
  });

  it('sees an attack arrive, finds out why somebody is blocked and lifts the block', async () => {
    await signIn(page);
    await page.getByText('Live', { exact: true }).first().waitFor();
    await bruteForce(service, { accounts: 2, failures: 6 });
    const decisions = page.getByRole('table', { name: 'Decisions, newest first' });
    await decisions.getByText('Hard block').first().waitFor();
    await page.getByRole('img', { name: /Last 2 min: .* [1-9]\d* hard blocks/ }).waitFor();

    await lookUp(0);
    const story = page.getByRole('region', { name: 'Now, under the policy login' });
    await story.getByText('Hard block').first().waitFor();
    await story
      .getByText(/the account \(K4\) is blocked at level 3/)
      .first()
      .waitFor();
    await story
      .getByText(/4:\d\d/)
      .first()
      .waitFor();
    await page.getByRole('region', { name: 'What led here' }).getByText('Failure noted').first().waitFor();

    await page.getByRole('button', { name: 'Lift the block on Account', exact: true }).click();
    await confirm('Lift');
    await page.getByText('The block on K4 is lifted.').waitFor();
    await page.getByRole('button', { name: 'Lift the block on Network user agent' }).click();
    await confirm('Lift');
    await story.getByText('Nothing speaks against this subject.').waitFor();
    expect(await service.post('/v1/check', attacker(0))).toMatchObject({ outcome: 'ALLOW' });
    expect(await service.post('/v1/check', attacker(1))).toMatchObject({ outcome: 'HARD_BLOCK' });

    await visit(page, 'Audit');
    const audit = page.getByRole('table', { name: 'Acts of operators, newest first' });
    await audit.getByText('a false alarm').first().waitFor();
    await audit.getByText('Ada (token test-operate)').first().waitFor();
    await picture(page, 'audit-filled');
  });

  it('is offered no block on an account where the policy is about calls', async () => {
    await signIn(page);
    await lookUp(7);
    await page.getByLabel('Action').fill('api.heavy');
    await page.getByRole('button', { name: 'Look up' }).click();
    await page.getByRole('heading', { name: 'Now, under the policy api' }).waitFor();
    await page.getByRole('button', { name: 'Place a block' }).click();
    expect(await page.getByLabel('On', { exact: true }).getByRole('option').allTextContents()).toEqual([
      expect.stringMatching(/^K2 /),
      expect.stringMatching(/^K1 /),
    ]);
  });

  it('places a block on somebody and finds it in the list, by a hash', async () => {
    await signIn(page);
    await lookUp(7);
    await page.getByRole('button', { name: 'Place a block' }).click();
    await page.getByLabel('On', { exact: true }).selectOption('K1');
    await page.getByLabel('Level').selectOption('3');
    await picture(page, 'place-dialog');
    await confirm('Place');
    await page.getByText('A block was placed on K1.').waitFor();
    expect(await service.post('/v1/check', attacker(7))).toMatchObject({
      outcome: 'HARD_BLOCK',
      scope: 'K1',
    });
    await visit(page, 'Blocks');
    await page
      .getByRole('table', { name: /Running blocks/ })
      .getByText('Network K1')
      .waitFor();
    expect(await page.locator('body').textContent()).not.toMatch(/203\.0\.113|account-7/);
    await page.getByRole('button', { name: /^Lift hard block/ }).click();
    await confirm('Lift');
    await page.getByText('No block runs.').waitFor();
  });

  it('who may only observe sees blocks, subjects and pins, and nothing to act on them with', async () => {
    await bruteForce(service, { accounts: 1, failures: 6 });
    await signIn(page, tokens.observe);
    await page.getByText('looking only').waitFor();
    await visit(page, 'Blocks');
    const blocks = page.getByRole('table', { name: /^Running blocks/ });
    await blocks.getByText('Hard block').first().waitFor();
    expect(await blocks.getByRole('columnheader', { name: 'Act' }).count()).toBe(0);
    await visit(page, 'Limits');
    await page.getByRole('heading', { name: 'Pins' }).waitFor();
    expect(await page.getByRole('button', { name: /Lift|Place|Pin for/ }).count()).toBe(0);
    await picture(page, 'limits-looking-only');
    await visit(page, 'Live');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await signIn(page);
    await visit(page, 'Blocks');
    await page
      .getByRole('button', { name: /^Lift hard block/ })
      .first()
      .waitFor();
    expect(await page.getByText('looking only').count()).toBe(0);
  });

  it('pins a limit for a time, sees until when, and takes it back', async () => {
    await signIn(page);
    await visit(page, 'Limits');
    await page.getByRole('button', { name: 'Pin for a time' }).click();
    await page.getByRole('dialog').getByLabel('What').selectOption('network');
    await page.getByLabel('IP address').fill('203.0.113.9');
    await page.getByLabel('Cost a second').fill('2');
    await picture(page, 'pin-dialog');
    await confirm('Pin');
    const pins = page.getByRole('table', { name: 'Pins' });
    await pins.getByText('Limit of one network: 2 a second').waitFor();
    await pins.getByText(/59:\d\d/).waitFor();
    expect(await page.locator('body').textContent()).not.toContain('203.0.113.9');
    await picture(page, 'limits-pinned');
    await page.getByRole('button', { name: /^Remove the pin/ }).click();
    await confirm('Remove');
    await page.getByText('Nothing is pinned.').waitFor();
    // What was pressed is gone with the pin; the next stop is in the same panel.
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Pin for a time');
    await visit(page, 'Live');
    const events = page.getByRole('region', { name: 'Events' });
    await events
      .getByText('Ada (token test-operate) pinned the limit of one network: a false alarm')
      .waitFor();
    await events.getByText('1 pin holds now: the limit of one network').waitFor();
    await events.getByText('No pin holds any more').waitFor();
  });

  it('never finds a subject in the address or in what the tab keeps', async () => {
    await signIn(page);
    await lookUp(3);
    const kept = await page.evaluate<string>(
      'location.href + JSON.stringify({ ...sessionStorage }) + JSON.stringify({ ...localStorage }) + JSON.stringify(history.state)',
    );
    expect(kept).not.toMatch(/203\.0\.113|account-3/);
  });
});

describe.skipIf(chromiumPath() === null)('a console on loopback without tokens', () => {
  const suite = openSuite({ tokens: [] });

  it('opens at once and asks for no token', async () => {
    const { page, faults } = await openConsole(suite.browser, suite.service.url);
    await page.getByRole('heading', { name: 'Live', level: 1 }).waitFor();
    await page.getByRole('status').getByText('Live').waitFor();
    expect(faults).toEqual([]);
    await page.context().close();
  });

  it('says that its first answer was cut off, and looks again by itself', async () => {
    const { page, faults } = await openConsole(suite.browser, suite.service.url);
    await page.addInitScript(`
      const real = globalThis.fetch;
      globalThis.fetch = async (...asked) => {
        globalThis.fetch = real;
        const body = new ReadableStream({ pull: (stream) => stream.error(new TypeError('network error')) });
        return new Response(body, { headers: { 'content-type': 'application/json' } });
      };
    `);
    await page.reload();
    await page.getByRole('alert').getByText('The answer of the service was cut off.').waitFor();
    await page.getByRole('heading', { name: 'Live', level: 1 }).waitFor();
    expect(faults).toEqual([]);
    await page.context().close();
  });
});

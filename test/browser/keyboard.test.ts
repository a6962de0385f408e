import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { attacker, bruteForce } from './attacks.ts';
import { chromiumPath, openConsole, picture, signIn, visit } from './browser.ts';
import { tokens } from './console-service.ts';
import { openSuite } from './console-suite.ts';

describe.skipIf(chromiumPath() === null)('with the keyboard alone', () => {
  const suite = openSuite();

  /** Tabs on until the focus is on what has this name; fails when it never is. */
  async function tabTo(page: Page, name: RegExp): Promise<void> {
    for (let presses = 0; presses < 60; presses += 1) {
      await page.keyboard.press('Tab');
      if (name.test(await focusedName(page))) return;
    }
    expect.fail(`the focus never came to ${name}`);
  }

  const focusedName = (page: Page): Promise<string> =>
    page.evaluate<string>(
      "(document.activeElement.getAttribute('aria-label') ?? document.activeElement.labels?.[0]?.textContent ?? document.activeElement.textContent ?? '').trim()",
    );

  it('an operator signs in, looks somebody up and lifts the block', async () => {
    await bruteForce(suite.service, { accounts: 1, failures: 6 });
    const { page, faults } = await openConsole(suite.browser, suite.service.url);
    await page.getByLabel('Token').waitFor();
    expect(await focusedName(page)).toBe('Token');
    await page.keyboard.type(tokens.operate);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Live', level: 1 }).waitFor();

    await page.keyboard.press('/');
    await page.getByRole('heading', { name: 'Subject', level: 1 }).waitFor();
    expect(await focusedName(page)).toBe('Account');
    await page.keyboard.type(attacker(0).account);
    await tabTo(page, /^IP address$/);
    await page.keyboard.type(attacker(0).ip);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Keys' }).waitFor();
    await tabTo(page, /^Lift the block on Account$/);
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Lift a block' });
    await dialog.waitFor();
    await tabTo(page, /^Who$/);
    await page.keyboard.type('Ada');
    await tabTo(page, /^Why$/);
    await page.keyboard.type('she called');
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('The block on K4 is lifted.').waitFor();
    // What was pressed is gone with the block; the next stop is in the story, not at the top of the page.
    await page.keyboard.press('Tab');
    expect(await focusedName(page)).toBe('Look again');
    await page.keyboard.press('/');
    expect(await focusedName(page)).toBe('Account');
    expect(faults).toEqual([]);
    await page.context().close();
  });

  it('who lifts one block after the other keeps their place in the list', async () => {
    for (const account of [1, 2, 3]) {
      const response = await fetch(new URL('/v1/blocks', suite.service.url), {
        method: 'POST',
        headers: { authorization: `Bearer ${tokens.operate}` },
        body: JSON.stringify({ ...attacker(account), scope: 'K4', level: 6, by: 'Ada', why: 'a test' }),
      });
      expect(response.status).toBe(200);
    }
    const { page, faults } = await openConsole(suite.browser, suite.service.url);
    await signIn(page);
    await visit(page, 'Blocks');
    // The block that is left of the test before may end meanwhile.
    await page.getByLabel('Scope').selectOption('K4');
    const lifts = page.getByRole('button', { name: /^Lift .* of / });
    await lifts.nth(2).waitFor();
    const names = await lifts.evaluateAll((buttons) => buttons.map((button) => button.ariaLabel ?? ''));
    await lifts.nth(1).focus();
    const lifted: string[] = [];
    while (lifted.length < names.length) {
      const name = await focusedName(page);
      lifted.push(name);
      expect(names).toContain(name);
      await page.keyboard.press('Enter');
      await page.getByLabel('Who').fill('Ada');
      await page.getByLabel('Why').fill('a false alarm');
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name, exact: true }).waitFor({ state: 'detached' });
    }
    expect(lifted).toEqual([names[1], names[2], names[0]]);
    await page.getByText(/^No (such )?block runs/).waitFor();
    await page.keyboard.press('Tab');
    expect(await focusedName(page)).toMatch(/^Policy/);
    expect(faults).toEqual([]);
    await page.context().close();
  });

  it('pages are reached by shortcuts, which are listed and leave fields alone', async () => {
    const { page } = await openConsole(suite.browser, suite.service.url);
    await page.getByLabel('Token').fill(tokens.observe);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Live', level: 1 }).waitFor();
    for (const [key, title] of [
      ['b', 'Blocks'],
      ['h', 'Health'],
      ['m', 'Limits'],
      ['a', 'Audit'],
      ['r', 'Replay'],
      ['s', 'Subject'],
    ] as const) {
      await page.keyboard.press('g');
      await page.keyboard.press(key);
      await page.getByRole('heading', { name: title, level: 1 }).waitFor();
      expect(await page.evaluate('document.activeElement.id')).toBe('main');
    }
    await page.keyboard.press('?');
    const list = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await list.waitFor();
    await picture(page, 'shortcuts');
    await page.keyboard.press('Escape');
    await list.waitFor({ state: 'detached' });
    await page.getByLabel('Account').fill('');
    await page.getByLabel('Account').press('g');
    await page.getByLabel('Account').press('b');
    expect(await page.getByLabel('Account').inputValue()).toBe('gb');
    await page.getByRole('heading', { name: 'Subject', level: 1 }).waitFor();
    await page.context().close();
  });

  it('the first stop leads past the navigation, and every stop can be seen', async () => {
    const { page } = await openConsole(suite.browser, suite.service.url);
    await page.getByLabel('Token').fill(tokens.observe);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Live', level: 1 }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Live', level: 1 }).waitFor();
    await page.keyboard.press('Tab');
    expect(await focusedName(page)).toBe('Skip to content');
    await page.keyboard.press('Enter');
    expect(await page.evaluate('document.activeElement.id')).toBe('main');
    await page.keyboard.press('Tab');
    const outline = await page.evaluate<string>('getComputedStyle(document.activeElement).outlineStyle');
    expect(outline).toBe('solid');
    await page.context().close();
  });
});

import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { cli } from '../cli/cli-run.ts';
import { barriers, chromiumPath, openConsole, picture, visit } from './browser.ts';
import { openSuite } from './console-suite.ts';

const sampleDay = fileURLToPath(new URL('../../examples/sample-day.jsonl', import.meta.url));

describe.skipIf(chromiumPath() === null || !existsSync(sampleDay))('a replay in the browser', () => {
  const suite = openSuite({ tokens: [] });

  it('decides a file as the command line does', async () => {
    const { page, faults } = await openConsole(suite.browser, suite.service.url);
    await visit(page, 'Replay');
    await page.getByLabel('Event file').setInputFiles(sampleDay);
    await page.getByRole('button', { name: 'Replay', exact: true }).click();
    const outcomes = page.getByRole('table', { name: 'Result: decisions by outcome' });
    await outcomes.waitFor();
    const { stdout } = await cli(['replay', sampleDay, '--summary', '--json', '--quiet']);
    const { summary } = JSON.parse(stdout);
    for (const outcome of ['ALLOW', 'SOFT_BLOCK', 'HARD_BLOCK']) {
      const number = Number(summary.outcomes[outcome] ?? 0).toLocaleString('en-GB');
      await outcomes.getByText(number, { exact: true }).first().waitFor();
    }
    const lines = await readFile(sampleDay, 'utf8');
    const { ip } = JSON.parse(lines.slice(0, lines.indexOf('\n')));
    expect(await page.locator('body').textContent()).not.toContain(ip);
    await picture(page, 'replay-result-dark-desk');
    expect(await barriers(page)).toEqual([]);
    expect(faults).toEqual([]);
    await page.context().close();
  });

  it('compares two policies, shows where they part, and says what is wrong with one', async () => {
    const { page, faults } = await openConsole(suite.browser, suite.service.url, { theme: 'light' });
    await visit(page, 'Replay');
    await page.getByLabel('Event file').setInputFiles(sampleDay);
    await page.getByLabel('Compare two policies').check();
    await page
      .getByLabel(/^Policy B/)
      .fill('policies:\n  login:\n    score:\n      hardFrom: 6\n      hardfrom: 7');
    await page.getByRole('button', { name: 'Compare', exact: true }).click();
    await page
      .getByRole('alert')
      .getByText(/policy B: .*hardfrom/)
      .waitFor();
    await page.getByLabel(/^Policy B/).fill('policies:\n  login:\n    score:\n      hardFrom: 6');
    await page.getByRole('button', { name: 'Compare', exact: true }).click();
    await page.getByRole('heading', { name: 'Compared' }).waitFor();
    await page.getByText(/events? of [\d,]+ treated differently/).waitFor();
    await page.getByRole('table', { name: /Who is treated differently/ }).waitFor();
    await picture(page, 'replay-compare-light-desk');
    expect(await barriers(page)).toEqual([]);
    await page.setViewportSize({ width: 360, height: 740 });
    expect(
      await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth'),
    ).toBeLessThanOrEqual(0);
    const cut = await page.evaluate<string[]>(
      "[...document.querySelectorAll('.table-box')].filter((box) => box.scrollWidth > box.clientWidth).map((box) => box.querySelector('caption').textContent)",
    );
    expect(cut).toEqual([]);
    await picture(page, 'replay-compare-light-phone');
    expect(faults).toEqual([]);
    await page.context().close();
  });

  it('can be cancelled, and leaves bad lines out with the first of them named', async () => {
    const { page } = await openConsole(suite.browser, suite.service.url);
    await visit(page, 'Replay');
    const many = Array.from(
      { length: 150_000 },
      (_, t) => `{"t":${t},"op":"fail","account":"a${t % 977}","ip":"192.0.2.${t % 251}"}`,
    );
    await page.getByLabel('Event file').setInputFiles({
      name: 'many.jsonl',
      mimeType: 'text/plain',
      buffer: Buffer.from(many.join('\n')),
    });
    await page.getByRole('button', { name: 'Replay', exact: true }).click();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Cancel' }).waitFor({ state: 'detached' });
    await page.getByLabel('Event file').setInputFiles({
      name: 'bad.jsonl',
      mimeType: 'text/plain',
      buffer: Buffer.from(`${many[0]}\n{"t":-1}\nnothing\n${many[1]}\n`),
    });
    await page.getByRole('button', { name: 'Replay', exact: true }).click();
    await page.getByText(/2 bad lines left out; the first is line 2: t must be a whole number/).waitFor();
    await page.context().close();
  });

  it('says what a file is that cannot be read line by line', async () => {
    const { page } = await openConsole(suite.browser, suite.service.url);
    await visit(page, 'Replay');
    const buffer = Buffer.from('\ufeff{"t":0,"op":"fail","account":"a","ip":"192.0.2.1"}\n', 'utf16le');
    await page.getByLabel('Event file').setInputFiles({ name: 'a.jsonl', mimeType: 'text/plain', buffer });
    await page.getByRole('button', { name: 'Replay', exact: true }).click();
    await page.getByRole('alert').getByText('the input is UTF-16 text').waitFor();
    await page.context().close();
  });

  it('says of a file that is gone since it was chosen what to do', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'portcullis-replay-'));
    const file = join(folder, 'a-night.jsonl');
    writeFileSync(file, '{"t":0,"op":"fail","account":"a","ip":"192.0.2.1"}\n');
    const { page } = await openConsole(suite.browser, suite.service.url);
    await visit(page, 'Replay');
    await page.getByLabel('Event file').setInputFiles(file);
    rmSync(folder, { recursive: true });
    await page.getByRole('button', { name: 'Replay', exact: true }).click();
    await page
      .getByRole('alert')
      .getByText(/it has changed since it was chosen, or is gone\. Choose it again/)
      .waitFor();
    await page.context().close();
  });

  it.each(['detect', 'events'])('takes no decision log for events, with the format %s', async (format) => {
    const { page } = await openConsole(suite.browser, suite.service.url);
    await visit(page, 'Replay');
    await page.getByLabel('Format').selectOption(format);
    const line =
      '{"v":"portcullis.decision/1","t":1,"op":"check","action":"auth.login","network":"n","agent":"a"}\n';
    await page.getByLabel('Event file').setInputFiles({
      name: 'decisions.jsonl',
      mimeType: 'text/plain',
      buffer: Buffer.from(line.repeat(3)),
    });
    await page.getByRole('button', { name: 'Replay', exact: true }).click();
    await page.getByRole('alert').getByText('--format decisions').waitFor();
    await page.context().close();
  });

  it('remembers its file and what else was said, after a run, an error and a look at another page', async () => {
    const { page, faults } = await openConsole(suite.browser, suite.service.url);
    await visit(page, 'Replay');
    const file = page.getByLabel('Event file');
    await file.setInputFiles(sampleDay);
    await page.getByText('What a log leaves out').click();
    await page.getByLabel('Login routes').fill('POST /sign-in');
    await page.getByLabel('Compare two policies').check();
    await page.getByLabel(/^Policy A/).fill('policies:\n  login:\n    score:\n      hardFrom: nine');
    await page.getByRole('button', { name: 'Compare', exact: true }).click();
    await page
      .getByRole('alert')
      .getByText(/policy A: /)
      .waitFor();
    await visit(page, 'Blocks');
    await visit(page, 'Replay');
    expect(await file.inputValue()).toMatch(/sample-day\.jsonl$/);
    expect(await page.getByLabel('Login routes').inputValue()).toBe('POST /sign-in');
    await page.getByLabel(/^Policy A/).fill('');
    await page.getByRole('button', { name: 'Compare', exact: true }).click();
    await page.getByRole('heading', { name: 'Compared' }).waitFor();
    await visit(page, 'Live');
    await visit(page, 'Replay');
    await page.getByLabel('Compare two policies').uncheck();
    await page.getByRole('button', { name: 'Replay', exact: true }).click();
    await page.getByRole('heading', { name: 'Result' }).waitFor();
    expect(await file.inputValue()).toMatch(/sample-day\.jsonl$/);
    expect(faults).toEqual([]);
    await page.context().close();
  });
});

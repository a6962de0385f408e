import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cli } from '../cli/cli-run.ts';
import { barriers, chromiumPath, openConsole, picture, visit } from './browser.ts';
import { openSuite } from './console-suite.ts';

const two = (value: number) => String(value).padStart(2, '0');

/** Guesses at one login page, a scan for forgotten files, and readers in between; two lines are nobody's. */
function accessLog(): string {
  const lines: string[] = [];
  const add = (second: number, ip: string, user: string, request: string, status: number) => {
    const time = `01/Mar/2024:00:${two(Math.floor(second / 60) % 60)}:${two(second % 60)} +0000`;
    lines.push(`${ip} - ${user} [${time}] "${request} HTTP/1.1" ${status} 12 "-" "Mozilla/5.0 (X11)"`);
  };
  for (let index = 0; index < 900; index += 1) {
    const second = Math.floor(index / 2);
    if (index % 40 === 0) add(second, '203.0.113.9', 'alice', 'POST /login', 401);
    else if (index % 3 === 0) add(second, '198.51.100.66', '-', `GET /backup-${index}.zip`, 404);
    else add(second, `192.0.2.${index % 90}`, '-', `GET /items/${index % 20}`, 200);
  }
  lines.splice(30, 0, 'what is this', '{"neither": "that"}');
  return `${lines.join('\n')}\n`;
}

/** Guesses from one address, a login that went well, a line that is not UTF-8, and one that is nothing. */
function sshdLog(): Buffer {
  const failed = Array.from({ length: 60 }, (_, index) => {
    const user = index % 4 === 0 ? 'root' : `invalid user u${index % 7}`;
    return `Dec 10 06:${two(10 + Math.floor(index / 6))}:${two((index * 10) % 60)} gate sshd[${100 + index}]: Failed password for ${user} from 203.0.113.${index % 3} port 4${two(index)} ssh2`;
  });
  const good =
    'Dec 10 07:00:00 gate sshd[900]: Accepted publickey for deploy from 198.51.100.4 port 50022 ssh2: ED25519 x';
  const text = Buffer.from(`${failed.join('\n')}\n${good}\n`);
  const odd = Buffer.from(
    'Dec 10 07:00:01 gate sshd[901]: Failed password for invalid user J\xf6rg from 203.0.113.8 port 1 ssh2\n',
    'latin1',
  );
  return Buffer.concat([text, odd, Buffer.from('nothing at all\n')]);
}

describe.skipIf(chromiumPath() === null)('a log in the browser', () => {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-logs-'));
  const accessFile = join(folder, 'access.log');
  const packedFile = join(folder, 'access.log.1');
  const sshdFile = join(folder, 'auth.log');

  beforeAll(() => {
    writeFileSync(accessFile, accessLog());
    writeFileSync(packedFile, gzipSync(accessLog()));
    writeFileSync(sshdFile, sshdLog());
    utimesSync(sshdFile, new Date('2024-02-01'), new Date('2024-02-01'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const suite = openSuite({ tokens: [] });

  /** The counts that the command line gives for the same file. */
  const countedBy = async (file: string, ...flags: readonly string[]) => {
    const { stdout } = await cli(['replay', file, '--summary', '--json', '--quiet', ...flags]);
    return JSON.parse(stdout).summary;
  };

  /** What the page shows of outcomes, by name. */
  const shownOutcomes = async (page: Page, title = 'Result') => {
    const table = page.getByRole('table', { name: `${title}: decisions by outcome` });
    await table.waitFor();
    const rows = await table.locator('tbody tr').allTextContents();
    const numbers = await table.locator('tbody tr td:nth-of-type(1)').allTextContents();
    return Object.fromEntries(
      ['ALLOW', 'SOFT_BLOCK', 'HARD_BLOCK'].map((outcome, index) => [
        outcome,
        rows[index] === undefined ? Number.NaN : Number(numbers[index]?.replaceAll(',', '')),
      ]),
    );
  };

  const outcomesIn = ({ outcomes }: { readonly outcomes: Record<string, number> }) => ({
    ALLOW: 0,
    SOFT_BLOCK: 0,
    HARD_BLOCK: 0,
    ...outcomes,
  });

  const replay = async (page: Page, file: string) => {
    await page.getByLabel('Event file or log').setInputFiles(file);
    await page.getByRole('button', { name: 'Replay', exact: true }).click();
  };

  it.each([
    ['plain', accessFile],
    ['packed with gzip, whatever its name', packedFile],
  ])('of a web server, %s, is recognised and decided as on the command line', async (_, file) => {
    const { page, faults } = await openConsole(suite.browser, suite.service.url);
    await visit(page, 'Replay');
    await replay(page, file);
    const plain = await countedBy(file, '--format', 'nginx');
    expect(await shownOutcomes(page)).toEqual(outcomesIn(plain));
    expect(plain.outcomes.HARD_BLOCK + plain.outcomes.SOFT_BLOCK).toBeGreaterThan(0);
    await page.getByText(/2 of 902 lines not understood and not counted; the first is line 31\./).waitFor();
    await page.getByText(/an access log of nginx or Apache, 902 lines/).waitFor();

    await page.getByText('What a log leaves out').click();
    await page.getByLabel('Login routes').fill('POST /login');
    await replay(page, file);
    const withLogins = await countedBy(file, '--format', 'nginx', '--login', 'POST /login');
    await expect.poll(() => shownOutcomes(page), { timeout: 15_000 }).toEqual(outcomesIn(withLogins));
    expect(withLogins.outcomes).not.toEqual(plain.outcomes);

    expect(await page.locator('body').textContent()).not.toMatch(/203\.0\.113|198\.51\.100|alice/);
    expect(await barriers(page)).toEqual([]);
    await picture(page, 'replay-log-dark-desk');
    expect(faults).toEqual([]);
    await page.context().close();
  });

  it('of OpenSSH is recognised, dated by the file and decided as on the command line', async () => {
    const { page, faults } = await openConsole(suite.browser, suite.service.url);
    await visit(page, 'Replay');
    await page.getByLabel('Event file or log').setInputFiles(sshdFile);
    await page.getByText('What a log leaves out').click();
    await page.getByLabel(/^Year/).fill('2023');
    await page.getByRole('button', { name: 'Replay', exact: true }).click();
    const summary = await countedBy(sshdFile, '--format', 'sshd', '--year', '2023');
    expect(await shownOutcomes(page)).toEqual(outcomesIn(summary));
    expect(summary.outcomes.HARD_BLOCK).toBeGreaterThan(0);
    await page.getByText('1 of 63 lines not understood and not counted; the first is line 63.').waitFor();
    await page
      .getByText(/^2023-12-10 06:10/)
      .first()
      .waitFor();
    expect(faults).toEqual([]);
    await page.context().close();
  });

  it('is compared by two policies, and refused where nobody knows it', async () => {
    const { page, faults } = await openConsole(suite.browser, suite.service.url, { theme: 'light' });
    await visit(page, 'Replay');
    await page.getByLabel('Format').selectOption('sshd');
    await page.getByLabel('Event file or log').setInputFiles(sshdFile);
    await page.getByLabel('Compare two policies').check();
    const harder = 'policies: { login: { score: { hardFrom: 6 } } }';
    await page.getByLabel(/^Policy B/).fill(harder);
    await page.getByRole('button', { name: 'Compare', exact: true }).click();
    await page.getByRole('heading', { name: 'Compared' }).waitFor();
    const policyFile = join(folder, 'harder.yaml');
    writeFileSync(policyFile, harder);
    const { stdout } = await cli(['compare', '-', policyFile, sshdFile, '--format', 'sshd', '--json']);
    const { differences, events } = JSON.parse(stdout).comparison ?? JSON.parse(stdout);
    expect(differences).toBeGreaterThan(0);
    await page.getByText(new RegExp(`${differences} events? of ${events} treated differently`)).waitFor();
    await page.setViewportSize({ width: 360, height: 740 });
    expect(
      await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth'),
    ).toBeLessThanOrEqual(0);

    await page.getByLabel('Compare two policies').uncheck();
    await page.getByLabel('Format').selectOption('detect');
    await page.getByLabel('Event file or log').setInputFiles({
      name: 'poem.txt',
      mimeType: 'text/plain',
      buffer: Buffer.from('one\ntwo\n'),
    });
    await page.getByRole('button', { name: 'Replay', exact: true }).click();
    await page.getByRole('alert').getByText('The format of this file was not recognised.').waitFor();
    await page.getByLabel('Event file or log').setInputFiles({
      name: 'damaged.log.gz',
      mimeType: 'application/gzip',
      buffer: gzipSync(accessLog()).subarray(0, 200),
    });
    await page.getByRole('button', { name: 'Replay', exact: true }).click();
    await page.getByRole('alert').getByText('The gzip data is damaged').waitFor();
    expect(faults).toEqual([]);
    await page.context().close();
  });
});

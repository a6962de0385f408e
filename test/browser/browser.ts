import { existsSync, mkdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { AxeResults } from 'axe-core';
import { type Browser, chromium, type Page } from 'playwright-core';
import { tokens } from './console-service.ts';

/** Where the tests leave what they saw; not part of the repository. */
const pictures = fileURLToPath(new URL('../../reports/console/', import.meta.url));

/** Debian's Chromium, or null where there is none. */
export function chromiumPath(): string | null {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const paths = folders.flatMap((folder) => [join(folder, 'chromium'), join(folder, 'chromium-browser')]);
  return paths.find((path) => existsSync(path)) ?? null;
}

/** A browser without a window. The sandbox is left out because tests may run as root in a container. */
export function openBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: chromiumPath() ?? 'chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
  });
}

/** What has not happened by then does not happen, also on a busy machine; the fault names what was waited for. */
const LONGEST_WAIT_MS = 15_000;

export type Theme = 'dark' | 'light';

/** What a visitor looks with. */
export interface View {
  readonly theme?: Theme;
  readonly width?: number;
  readonly height?: number;
}

/** A page whose faults (script errors, refused by its own policy) are kept. */
export interface WatchedPage {
  readonly page: Page;
  readonly faults: readonly string[];
}

/** Opens the console in a fresh context. */
export async function openConsole(browser: Browser, url: string, view: View = {}): Promise<WatchedPage> {
  const { theme = 'dark', width = 1280, height = 860 } = view;
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: theme,
    reducedMotion: 'reduce',
    deviceScaleFactor: 1,
  });
  context.setDefaultTimeout(LONGEST_WAIT_MS);
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => {
    // A 401 on the first look is how the page learns that a token is asked for.
    if (message.type() === 'error' && !/status of (401|404)/.test(message.text()))
      faults.push(message.text());
  });
  await page.goto(url);
  return { page, faults };
}

/** Types a token at the door. */
export async function signIn(page: Page, token: string = tokens.operate): Promise<void> {
  await page.getByLabel('Token').fill(token);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Live', level: 1 }).waitFor();
}

export async function visit(page: Page, name: string): Promise<void> {
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name }).click();
  await page.getByRole('heading', { name, level: 1 }).waitFor();
}

/** Takes a picture of the whole page, in a window as tall as it: what is fixed to the window stays in its place. */
export async function picture(page: Page, name: string): Promise<void> {
  mkdirSync(pictures, { recursive: true });
  const size = page.viewportSize() ?? { width: 1280, height: 860 };
  await page.evaluate('scrollTo(0, 0)');
  const height = await page.evaluate<number>('document.documentElement.scrollHeight');
  await page.setViewportSize({ ...size, height: Math.max(size.height, height) });
  await page.screenshot({ path: join(pictures, `${name}.png`) });
  await page.setViewportSize(size);
}

const axePath = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

/** What axe finds that keeps somebody out, one line each. */
export async function barriers(page: Page): Promise<string[]> {
  // Through the debugger, because the page's own policy lets no foreign script in.
  if (!(await page.evaluate<boolean>("'axe' in globalThis"))) {
    await page.evaluate(await readFile(axePath, 'utf8'));
  }
  const { violations } = await page.evaluate<AxeResults>(
    "axe.run(document, { resultTypes: ['violations'] })",
  );
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`));
}

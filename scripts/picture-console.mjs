// `node scripts/picture-console.mjs [DIST]`: makes docs/img/console.png anew, from the built console of a service that is
// attacked for two minutes. DIST: a build other than the repository's own. Needs Chromium.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { buildConsole } from './build-console.mjs';
import { root, say, setUp } from './setup.mjs';

const port = 18_470;
const url = `http://127.0.0.1:${port}`;
const folder = mkdtempSync(join(tmpdir(), 'portcullis-picture-'));

const given = process.argv[2];
const dist = given ?? join(root, 'dist');
if (given === undefined && !(setUp() && (await buildConsole()))) process.exit(1);
const config = join(folder, 'portcullis.json');
writeFileSync(
  config,
  JSON.stringify({
    environment: 'prod',
    store: 'memory',
    listen: { port, grpcPort: null },
    telemetry: { logLevel: 'silent' },
  }),
);
const service = spawn(process.execPath, [join(dist, 'cli', 'main.js'), 'serve', '--config', config], {
  cwd: folder,
  stdio: 'ignore',
});
try {
  await untilServed();
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu'],
  });
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, colorScheme: 'dark' });
  await page.goto(url);
  await page.getByRole('status').getByText('Live', { exact: true }).waitFor();
  await traffic();
  await page.waitForTimeout(1_000);
  const target = join(root, 'docs', 'img', 'console.png');
  mkdirSync(join(root, 'docs', 'img'), { recursive: true });
  await page.screenshot({ path: target });
  await browser.close();
  say(`made ${target.slice(root.length + 1)}`);
} finally {
  service.kill('SIGTERM');
  rmSync(folder, { recursive: true, force: true });
}

async function untilServed() {
  for (let turn = 0; turn < 100; turn += 1) {
    const response = await fetch(`${url}/healthz`).catch(() => null);
    if (response?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new TypeError('the service did not start');
}

function ask(op, body) {
  return fetch(`${url}/v1/${op}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

/** Two minutes of a morning: people who sign in, some who mistype, and from the middle on a spray and a brute force. */
async function traffic() {
  const seconds = 100;
  for (let second = 0; second < seconds; second += 1) {
    const wave = 6 + Math.round(4 * Math.sin(second / 9));
    for (let person = 0; person < wave; person += 1) {
      const who = {
        account: `person-${(second * 7 + person) % 400}`,
        ip: `198.51.100.${(second * 3 + person) % 250}`,
        device: { id: `d-${(second * 7 + person) % 400}`, confidence: 'MEDIUM' },
      };
      await ask('check', who);
      await ask(person % 9 === 8 ? 'fail' : 'succeed', who);
    }
    if (second > 45 && second < 85) {
      for (let guess = 0; guess < 5; guess += 1) {
        await ask('fail', { account: `victim-${guess % 3}`, ip: `203.0.113.${second % 6}` });
        await ask('fail', { account: `target-${second * 5 + guess}`, ip: '192.0.2.66', ua: 'curl/8' });
      }
    }
    await new Promise((resolve) => setTimeout(resolve, 900));
  }
}

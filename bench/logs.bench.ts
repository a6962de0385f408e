import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AccessLog } from '../src/abuse/log-formats/access-log.ts';
import { compare } from '../src/cli/compare/compare.ts';
import { openReplayStore } from '../src/cli/engine-options.ts';
import { defaultLoginFails } from '../src/cli/replay/log-options.ts';
import { decideImmediately } from '../src/cli/replay/replay.ts';
import { replayLog } from '../src/cli/replay/replay-log.ts';
import { invariant } from '../src/core/fault.ts';
import type { Engine } from '../src/guard/engine.ts';
import { Random } from '../src/testing/random.ts';
import { medianOf, type Report } from './runner.ts';
import { silentIo } from './silent-io.ts';

/**
 * Access logs through `replay` and `compare`, in lines per second of CPU: nobody else does the same work, and what other
 * processes take does not count. The log is that of an ordinary site, 5,000 addresses and 60 % page files, with a few
 * scrapers and scanners in it. The limits and scenarios of the two policies differ, so that nothing is decided once for both.
 */

const LINES = 100_000;
const ADDRESSES = 5_000;
const ROUNDS = 3;
const GAP_MS = 20;
const START = Date.UTC(2025, 5, 1);

const numbers = new Random('logs');
const random = (): number => numbers.next() / 2 ** 32;
const below = (count: number): number => Math.floor(random() * count);
const pageFiles = ['js', 'css', 'png', 'woff2', 'svg', 'jpg'];
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

function timeText(t: number): string {
  const [date = '', clock = ''] = new Date(t).toISOString().split('T');
  const [year, month, day] = date.split('-');
  return `${day}/${months[Number(month) - 1]}/${year}:${clock.slice(0, 8)} +0000`;
}

function visit(): readonly [who: string, request: string, status: number, agent: string] {
  const kind = random();
  if (kind < 0.05)
    return [`203.0.113.${below(3)}`, `GET /catalog/${below(1e9)}`, 200, 'python-requests/2.31'];
  if (kind < 0.1) return [`198.51.100.${below(9)}`, `GET /wp-${below(1e6)}.php`, 404, 'curl/8.5'];
  // Some come more often than others.
  const index = Math.floor(ADDRESSES * random() * random());
  const address = `${20 + (index % 60)}.${index >> 8}.${index & 255}.7`;
  return [address, requestOf(), random() < 0.02 ? 404 : 200, browser(100 + (index % 40))];
}

function requestOf(): string {
  const kind = random();
  if (kind < 0.6) return `GET /static/${below(300)}.${pageFiles[below(pageFiles.length)]}`;
  if (kind < 0.85) return `GET /articles/${below(8_000)}`;
  if (kind < 0.95) return `GET /list?page=${below(40)}`;
  return `POST /api/items/${below(9_999)}`;
}

const browser = (version: number): string =>
  `Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${version}.0.0.0 Safari/537.36`;

function logLines(): string[] {
  return Array.from({ length: LINES }, (_, index) => {
    const [address, request, status, agent] = visit();
    return `${address} - - [${timeText(START + GAP_MS * index)}] "${request} HTTP/1.1" ${status} ${below(9e4)} "-" "${agent}"`;
  });
}

/** Lines per second of CPU time, that of the collector's threads included. */
async function rateOf(run: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await run();
  const { user, system } = process.cpuUsage(before);
  return LINES / ((user + system) / 1e6);
}

function parse(lines: readonly string[]): number {
  const log = new AccessLog();
  let entries = 0;
  const count = (): void => {
    entries += 1;
  };
  for (const line of lines) log.read(line, count);
  return entries;
}

const flags = { format: 'nginx', json: true, loginFails: defaultLoginFails } as const;

/** What is told goes nowhere. */
async function replayed(file: string): Promise<void> {
  const { store, setTime } = openReplayStore();
  const decide = (engine: Engine) => decideImmediately(engine, store.immediate, setTime);
  const options = { ...flags, file, quiet: true, summary: true };
  const code = await replayLog(options, { decide, store, setTime }, silentIo());
  invariant(code === 0, `the replay ended with ${code}`);
}

async function compared(a: string, b: string, file: string): Promise<void> {
  const code = await compare({ a, b }, file, { ...flags, skipBad: false }, silentIo());
  invariant(code <= 1, `the comparison ended with ${code}`);
}

export async function run(report: Report): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-logs-'));
  const file = join(folder, 'access.log');
  const other = join(folder, 'other.yaml');
  const lines = logLines();
  writeFileSync(file, `${lines.join('\n')}\n`);
  writeFileSync(other, 'limits: { signedIn: { ratePerSecond: 8 } }\nscenarios: { shadow: [path-scan] }\n');
  const measure = async (what: string, work: () => unknown): Promise<void> => {
    const ours = await medianOf(ROUNDS, () => rateOf(work));
    report({ metric: `${what} (lines/s of CPU)`, ours, peer: null, peerValue: null });
  };
  try {
    await measure('parse nginx lines', () => parse(lines));
    await measure('replay', () => replayed(file));
    await measure('compare, same policies', () => compared('-', '-', file));
    await measure('compare, other limits and scenarios', () => compared('-', other, file));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

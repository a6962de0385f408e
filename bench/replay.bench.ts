import { createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { openEngine, openReplayStore } from '../src/cli/engine-options.ts';
import { decideImmediately, eventSource, Replay } from '../src/cli/replay/replay.ts';
import { invariant } from '../src/core/fault.ts';
import { Random } from '../src/testing/random.ts';
import { Traffic } from '../test/engine/traffic.ts';
import { medianOf, type Report } from './runner.ts';
import { linesOfDays, peopleOfTown } from './sample-days.ts';
import { silentIo } from './silent-io.ts';

/**
 * Events through `replay`, every decision written as a line, in events per second of CPU. The sample day has people and those
 * who attack them in it, and was made to show what the engine does, not how fast; it is told of a town, of a city and of a
 * region. The rest takes apart what it costs. Sign-ins are a check and its end, one in seven a failure; failures alone are what
 * an attack leaves. Each account has an address and a device of its own, or it comes with those of another each time; and which
 * comes next is drawn: the more there are, the less of what is known of them is still in the cache of the core.
 */
const EVENTS = 500_000;
const EVENTS_OF_A_COURSE = 5_000;
const ROUNDS = 3;
const START = Date.UTC(2025, 5, 1);
const accountCounts = [100, 1_000, 10_000];
/** As many people, and so many days of theirs that there is more than a million events. */
const regions = [
  { towns: 1, days: 700 },
  { towns: 25, days: 28 },
  { towns: 250, days: 4 },
] as const;
const ua =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36';

interface Kind {
  /** What becomes of one attempt: the operations it leaves in the file. */
  readonly draw: (random: Random) => readonly string[];
  /** Whether addresses and devices are drawn anew each time, out of as many as there are accounts. */
  readonly isMixed: boolean;
}

const kinds: Readonly<Record<string, Kind>> = {
  'sign-ins': {
    draw: (random) => ['check', random.next() % 7 === 0 ? 'fail' : 'succeed'],
    isMixed: false,
  },
  failures: { draw: () => ['fail'], isMixed: false },
  'failures from changing places': { draw: () => ['fail'], isMixed: true },
};

function* eventLines({ draw, isMixed }: Kind, accounts: number): Generator<string> {
  const random = new Random('replay');
  let t = START;
  for (let written = 0; written < EVENTS; ) {
    const who = random.next() % accounts;
    const from = isMixed ? random.next() % accounts : who;
    const ip = `10.${(from >> 16) & 255}.${(from >> 8) & 255}.${from & 255}`;
    const device = { id: `device-${isMixed ? random.next() % accounts : who}`, confidence: 'MEDIUM' };
    for (const op of draw(random)) {
      t += 100;
      written += 1;
      yield `${JSON.stringify({ t, op, action: 'auth.login', account: `account-${who}`, ip, ua, device })}\n`;
    }
  }
}

/**
 * What random traffic shows that the engine is tested with, one course after the other: all rules, both families of addresses,
 * logins, codes and calls of an API, blocked mostly.
 */
function* linesOfAllRules(): Generator<string> {
  let began = START;
  for (let seed = 0; seed < EVENTS / EVENTS_OF_A_COURSE; seed += 1) {
    const traffic = new Traffic(seed);
    let first: number | undefined;
    let last = began;
    for (let written = 0; written < EVENTS_OF_A_COURSE; written += 1) {
      const event = traffic.next();
      first ??= event.t;
      const t = Math.max(began, began + event.t - first);
      last = Math.max(last, t);
      yield `${JSON.stringify({ ...event, t })}\n`;
    }
    began = last;
  }
}

/** Events per second of CPU time, that of the collector's threads included. What is told goes nowhere. */
async function rateOf(file: string): Promise<number> {
  globalThis.gc?.();
  const { store, setTime } = openReplayStore();
  const engine = await openEngine();
  const decide = decideImmediately(engine, store.immediate, setTime);
  const options = { file, summary: false, json: false, quiet: false, skipBad: false };
  const before = process.cpuUsage();
  const replay = new Replay(options, eventSource(decide), silentIo());
  const code = await replay.run();
  const { user, system } = process.cpuUsage(before);
  invariant(code === 0, `the replay ended with ${code}`);
  return replay.summary.events / ((user + system) / 1e6);
}

async function measure(report: Report, file: string, what: string): Promise<void> {
  const ours = await medianOf(ROUNDS, () => rateOf(file));
  report({ metric: `${what} (events/s of CPU)`, ours, peer: null, peerValue: null });
}

export async function run(report: Report): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-replay-'));
  const file = join(folder, 'events.jsonl');
  try {
    for (const { towns, days } of regions) {
      await pipeline(Readable.from(linesOfDays(towns, days, START)), createWriteStream(file));
      await measure(report, file, `sample days of ${(towns * peopleOfTown).toLocaleString('en')} people`);
    }
    for (const [name, kind] of Object.entries(kinds)) {
      for (const accounts of accountCounts) {
        await pipeline(Readable.from(eventLines(kind, accounts)), createWriteStream(file));
        await measure(report, file, `${name} of ${accounts.toLocaleString('en')} accounts`);
      }
    }
    await pipeline(Readable.from(linesOfAllRules()), createWriteStream(file));
    await measure(report, file, 'random events of all rules');
  } finally {
    rmSync(folder, { recursive: true });
  }
}

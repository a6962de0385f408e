import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { allow } from '../../core/decision.ts';
import type { Token } from '../../core/subject.ts';
import type { DecidedCall } from '../../guard/witness.ts';
import { DecisionLog, type DecisionLogSettings } from './decision-log.ts';
import { LogFile } from './log-file.ts';
import { decisionLogLine } from './log-line.ts';
import { PendingLines } from './pending-lines.ts';

const root = mkdtempSync(join(tmpdir(), 'portcullis-decision-log-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let folder = root;
beforeEach(() => {
  folder = mkdtempSync(join(root, 'log-'));
});

const tokenOf = (letter: string): Token => ({ hash: letter.repeat(22), was: null });
const call = (t: number): DecidedCall => ({
  t,
  op: 'fail',
  action: 'auth.login',
  cost: 1,
  subject: {
    account: tokenOf('a'),
    network: tokenOf('n'),
    agent: tokenOf('g'),
    otherAgent: tokenOf('o'),
    device: null,
    macros: null,
  },
  decision: allow(),
});
const lineBytes = decisionLogLine(call(1000)).length;

/** A log, and what it has told. */
function open(settings: Partial<DecisionLogSettings> = {}) {
  const file = join(folder, 'decisions.jsonl');
  const told = { written: 0, dropped: 0, failed: [] as unknown[], first: 0, recovered: [] as number[] };
  const log = new DecisionLog(
    { file, maxBytes: 1 << 20, bufferBytes: 1 << 20, flushMs: 60_000, ...settings },
    {
      written: (lines) => {
        told.written += lines;
      },
      dropped: (lines) => {
        told.dropped += lines;
      },
      failed: (cause, isFirst) => {
        told.failed.push(cause);
        told.first += isFirst ? 1 : 0;
      },
      recovered: (dropped) => void told.recovered.push(dropped),
    },
  );
  return { log, file, told };
}

const timesIn = (file: string): number[] =>
  readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).t);
const upTo = (count: number): number[] => Array.from({ length: count }, (_, t) => 1000 + t);

describe('a decision log', () => {
  it('has everything in its file once it is closed, in order, for its owner alone', async () => {
    const { log, file, told } = open();
    for (const t of upTo(500)) log.add(call(t));
    await log.close();
    expect(timesIn(file)).toEqual(upTo(500));
    expect(told).toEqual({ written: 500, dropped: 0, failed: [], first: 0, recovered: [] });
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('goes on in a file that is there, narrows its mode, and ends a line that was cut off', async () => {
    const { log, file } = open();
    writeFileSync(file, `${decisionLogLine(call(1))}{"v":"portcullis.decision/1","t":2,"op`, { mode: 0o644 });
    log.add(call(3));
    await log.close();
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
    expect(lines.map((line) => line.slice(0, 34))).toEqual([
      '{"v":"portcullis.decision/1","t":1',
      '{"v":"portcullis.decision/1","t":2',
      '{"v":"portcullis.decision/1","t":3',
    ]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('becomes FILE.1 before it grows above its bound; one older file is kept', async () => {
    const { log, file, told } = open({ maxBytes: 100 * 1024 });
    const times = upTo(3000);
    for (const t of times) log.add(call(t));
    await log.close();
    expect(statSync(file).size).toBeLessThanOrEqual(100 * 1024);
    expect(statSync(`${file}.1`).size).toBeLessThanOrEqual(100 * 1024);
    expect(existsSync(`${file}.2`)).toBe(false);
    const kept = [...timesIn(`${file}.1`), ...timesIn(file)];
    expect(kept).toEqual(times.slice(-kept.length));
    expect([told.written, told.dropped]).toEqual([3000, 0]);
  });

  it('drops what has no room, counts it and says where', async () => {
    const { log, file, told } = open({ bufferBytes: 10 * lineBytes });
    for (const t of upTo(25)) log.add(call(t));
    expect(told.dropped).toBe(15);
    await log.close();
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
    expect(lines).toHaveLength(11);
    expect(JSON.parse(lines[10] ?? '')).toEqual({ v: 'portcullis.decision/1', t: 1024, dropped: 15 });
    log.add(call(2000));
    expect(told.dropped).toBe(16);
  });

  it('tells of a place that cannot be written, keeps what it has and writes it later', async () => {
    const { log, file, told } = open();
    mkdirSync(file);
    log.add(call(1));
    log.start();
    await expect.poll(() => told.failed.length).toBe(1);
    expect(told.failed[0]).toMatchObject({ code: 'EISDIR' });
    rmSync(file, { recursive: true });
    log.add(call(2));
    await log.close();
    expect(timesIn(file)).toEqual([1, 2]);
    expect([told.dropped, told.first, told.recovered]).toEqual([0, 1, [0]]);
  });

  it('tells of a folder that cannot be made', async () => {
    const { log, told } = open({ file: '/proc/nowhere/decisions.jsonl' });
    log.add(call(1));
    log.start();
    await expect.poll(() => told.failed.length).toBe(1);
    expect(told.failed[0]).toMatchObject({ code: 'ENOENT' });
    await log.close();
    expect(told.dropped).toBe(1);
  });

  it('counts what is left when it must end without a disk', async () => {
    const { log, file, told } = open();
    mkdirSync(file);
    for (const t of upTo(5)) log.add(call(t));
    await log.close();
    expect([told.written, told.dropped]).toEqual([0, 5]);
  });

  it.each([
    ['another file', (file: string) => writeFileSync(file, 'secret: text of somebody\n')],
    ['a link', (file: string) => symlinkSync(join(folder, 'elsewhere'), file)],
  ])('writes nothing to %s in its place', async (_, put) => {
    const { log, file, told } = open();
    put(file);
    const before = existsSync(file) ? readFileSync(file, 'utf8') : null;
    log.add(call(1));
    await log.close();
    expect(existsSync(file) ? readFileSync(file, 'utf8') : null).toBe(before);
    expect([told.written, told.dropped, told.first]).toEqual([0, 1, 1]);
  });
});

describe('the file of a decision log', () => {
  const chunkOf = (t: number) => {
    const pending = new PendingLines(1 << 20);
    pending.add(decisionLogLine(call(t)));
    const chunk = pending.first();
    return chunk ?? expect.unreachable();
  };

  it('is made anew when it was moved or deleted', async () => {
    const path = join(folder, 'decisions.jsonl');
    const file = new LogFile(path, 1 << 20);
    await file.open();
    await file.append(chunkOf(1));
    renameSync(path, `${path}.moved`);
    await file.open();
    await file.append(chunkOf(2));
    rmSync(path);
    await file.open();
    await file.append(chunkOf(3));
    await file.close();
    expect([timesIn(`${path}.moved`), timesIn(path)]).toEqual([[1], [3]]);
  });

  it('begins a new file with a whole line where another has half of it', async () => {
    const path = join(folder, 'decisions.jsonl');
    const file = new LogFile(path, 1 << 20);
    const pending = new PendingLines(1 << 20);
    for (const t of [1001, 1002, 1003]) pending.add(decisionLogLine(call(t)));
    const chunk = pending.first() ?? expect.unreachable();
    chunk.written = Math.floor(1.5 * lineBytes);
    await file.open();
    await file.append(chunk);
    await file.close();
    expect(timesIn(path)).toEqual([1002, 1003]);
  });
});

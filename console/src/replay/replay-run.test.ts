import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { parseEventLine } from '../../../src/cli/replay/event-line.ts';
import { defaultPolicies } from '../../../src/core/policy.ts';
import { Engine } from '../../../src/guard/engine.ts';
import { runImmediately } from '../../../src/guard/run.ts';
import { createIdentifier } from '../../../src/identity/identifier.ts';
import { createMemoryStore } from '../../../src/stores/memory/index.ts';
import { cli } from '../../../test/cli/cli-run.ts';
import { LineSplitter } from './line-splitter.ts';
import { ReplayRun, readPolicies } from './replay-run.ts';

const sampleDay = readFileSync(new URL('../../../examples/sample-day.jsonl', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line !== '');

/** What the engine itself makes of the file, with the keys of a service. */
function decidedByService(): Record<string, number> {
  let time = 0;
  const store = createMemoryStore({ clock: () => time, sweptBy: () => Number.NEGATIVE_INFINITY });
  const identifier = createIdentifier({ secret: 'a secret for tests only' });
  const engine = new Engine({ identifier, policies: defaultPolicies, environment: 'test' });
  const outcomes: Record<string, number> = {};
  for (const line of sampleDay) {
    const event = parseEventLine(line);
    time = event.t;
    const { operation } = engine.prepare(event.op, event, event.cost);
    const { outcome } = runImmediately(store.immediate, operation, event.t);
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
  }
  return outcomes;
}

const run = async (policyB: string | null, lines: readonly string[] = sampleDay) => {
  const replay = new ReplayRun(defaultPolicies, policyB === null ? null : readPolicies(policyB, 'policy B'));
  for (const [index, text] of lines.entries()) replay.add({ number: index + 1, text, isUtf8: true });
  return replay.finish();
};

describe('a replay in the page', () => {
  it('decides as the service does, though its keys are others', async () => {
    const { a, events } = await run(null);
    expect(events).toBe(sampleDay.length);
    expect(a.outcomes).toEqual(decidedByService());
  });

  it('finds no difference between a policy and itself, and some to a harder one', async () => {
    expect((await run('')).comparison?.differences).toBe(0);
    const { comparison } = await run('policies: { login: { score: { hardFrom: 6 } } }');
    expect(comparison?.differences).toBeGreaterThan(0);
    expect(comparison?.harder.b).toBeGreaterThan(comparison?.harder.a ?? 0);
  });

  it('names nobody in its result', async () => {
    const text = JSON.stringify(await run('policies: { login: { score: { hardFrom: 6 } } }'));
    const named = sampleDay.flatMap((line) => {
      const { ip, account } = JSON.parse(line);
      return [ip, account].filter(
        (name) => typeof name === 'string' && name.length > 4 && text.includes(name),
      );
    });
    expect(named).toEqual([]);
  });

  it('leaves bad lines out and names the first', async () => {
    const { events, badLines, firstBad } = await run(null, ['{"t":0,"op":"fail"', '{"t":0,"op":"fly"}', '']);
    expect({ events, badLines, line: firstBad?.line }).toEqual({ events: 0, badLines: 2, line: 1 });
  });

  it.each([
    ['account', ''],
    ['account', 5],
    ['account', 'a\0'],
    ['ip', 'nowhere'],
    ['ua', 5],
    ['device', 'd'],
    ['device', {}],
    ['device', { id: 'd', confidence: 'WEIRD' }],
  ])('leaves a line out whose %s is %j, also where that account is known', async (field, value) => {
    const good = { t: 0, op: 'fail', account: 'a', ip: '192.0.2.1' };
    const lines = [good, { ...good, [field]: value }].map((event) => JSON.stringify(event));
    const { events, badLines, firstBad } = await run(null, lines);
    expect({ events, badLines, line: firstBad?.line }).toEqual({ events: 1, badLines: 1, line: 2 });
  });

  it('refuses a policy that does not make sense, by its name', () => {
    expect(() => readPolicies('policies: { login: { scores: {} } }', 'policy B')).toThrow(
      /policy B: .*scores/,
    );
  });
});

describe('a replay in the page and one of the command line', () => {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-replay-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const extra = 'policies: { admin: { extends: login, actions: [auth.admin] } }';
  const event = (t: number, action = 'auth.login') =>
    JSON.stringify({ t, op: 'fail', action, account: `a${t % 3}`, ip: '192.0.2.1' });

  async function inPage(file: string, policyA: string, policyB: string | null) {
    const replay = new ReplayRun(
      readPolicies(policyA, 'policy A'),
      policyB === null ? null : readPolicies(policyB, 'policy B'),
    );
    const splitter = new LineSplitter();
    const bytes = new TextEncoder().encode(file);
    for (const line of [...splitter.push(bytes), ...splitter.finish()]) replay.add(line);
    return replay.finish();
  }

  const policyFile = (name: string, text: string): string => {
    const path = join(folder, name);
    writeFileSync(path, text === '' ? '{}' : text);
    return path;
  };

  const firstBadLine = async (args: readonly string[], file: string) =>
    /line (\d+): (.*?)\. Mend it/.exec((await cli(args, file)).stderr)?.slice(1) ?? null;

  const files: readonly (readonly [what: string, file: string])[] = [
    ['empty lines in the middle', `${event(1)}\n\n\r\n${event(2)}\n`],
    ['empty lines at the begin', `\n\n${event(1)}\n`],
    ['empty lines at the end', `${event(1)}\n${event(2)}\n\n\r\n\n`],
    ['empty lines before a bad one', `${event(1)}\n\n{"t":-1}\n\n${event(2)}`],
    ['nothing but empty lines', '\n\r\n\n'],
    ['a line that is too long behind an empty one', `${event(1)}\n\n${'x'.repeat(4 * 1024 * 1024 + 1)}\n`],
    ['an action that only A knows', `${event(1)}\n${event(2, 'auth.admin')}\n${event(3)}\n`],
  ];

  it.each(files)('count the same in a file with %s', async (_, file) => {
    const args = ['replay', '-', '--summary', '--json', '--quiet'];
    const path = policyFile('alone.yaml', extra);
    const { stdout } = await cli([...args, '--skip-bad', '--policy', path], file);
    const { summary } = JSON.parse(stdout);
    const { events, badLines, firstBad, a } = await inPage(file, extra, null);
    expect({ events, badLines, outcomes: a.outcomes }).toEqual({
      events: summary.events,
      badLines: summary.badLines,
      outcomes: summary.outcomes,
    });
    const told = await firstBadLine([...args, '--policy', path], file);
    expect(firstBad && [String(firstBad.line), firstBad.why]).toEqual(told);
  });

  it.each([
    ...files.map(([what, file]) => [what, file, extra, ''] as const),
    ['an action that only B knows', `${event(1)}\n${event(2, 'auth.admin')}\n`, '', extra] as const,
  ])('compare the same in a file with %s', async (_, file, policyA, policyB) => {
    const paths = [policyFile('a.yaml', policyA), policyFile('b.yaml', policyB)];
    const { stdout } = await cli(['compare', ...paths, '-', '--json', '--skip-bad'], file);
    const compared = JSON.parse(stdout);
    const { events, badLines, a, b, comparison } = await inPage(file, policyA, policyB);
    expect({ events, badLines }).toEqual({ events: compared.events, badLines: compared.badLines });
    expect(comparison?.outcomes).toEqual(compared.outcomes);
    const sumOf = (outcomes: Readonly<Record<string, number>> = {}) =>
      Object.values(outcomes).reduce((sum, count) => sum + count, 0);
    expect([sumOf(a.outcomes), sumOf(b?.outcomes)]).toEqual([events, events]);
  });
});

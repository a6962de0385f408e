import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseEventLine } from '../../../src/cli/replay/event-line.ts';
import { defaultPolicies } from '../../../src/core/policy.ts';
import { Engine } from '../../../src/guard/engine.ts';
import { runImmediately } from '../../../src/guard/run.ts';
import { createIdentifier } from '../../../src/identity/identifier.ts';
import { createMemoryStore } from '../../../src/stores/memory/index.ts';
import { ReplayRun, readPolicies } from './replay-run.ts';

const sampleDay = readFileSync(new URL('../../../examples/sample-day.jsonl', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line !== '');

/** What the engine itself makes of the file, with the keys of a service. */
function decidedByService(): Record<string, number> {
  let time = 0;
  const store = createMemoryStore({ clock: () => time, sweep: false });
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

  it('refuses a policy that does not make sense, by its name', () => {
    expect(() => readPolicies('policies: { login: { scores: {} } }', 'policy B')).toThrow(
      /policy B: .*scores/,
    );
  });
});

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { openEngine, openReplayStore } from '../../src/cli/engine-options.ts';
import { decisionLine } from '../../src/cli/replay/decision-line.ts';
import { parseEventLine } from '../../src/cli/replay/event-line.ts';
import { runImmediately } from '../../src/guard/run.ts';
import { edgeScripts } from './edge-scripts.ts';
import { Oracle, type OracleDecision } from './oracle/oracle.ts';
import type { TrafficEvent } from './oracle/request.ts';
import { Traffic } from './traffic.ts';
import { courses } from './traffic-scenes/courses.ts';

/** How many seeds are tried; `PORTCULLIS_TRAFFIC_SEEDS` asks for more. */
const seeds = Number(process.env.PORTCULLIS_TRAFFIC_SEEDS ?? 7 * courses.length);
const eventsPerSeed = 450;
const engine = await openEngine();

/** `policy scope rule` of every reason that was given. */
const spoken = new Set<string>();

/** The lines that replay prints for one stream of events. */
function replay(): (event: TrafficEvent) => string {
  const { store, setTime } = openReplayStore();
  return (event) => {
    setTime(event.t);
    const { op, cost, ...request } = parseEventLine(JSON.stringify(event));
    const { operation } = engine.prepare(op, request, cost);
    return decisionLine(event.t, runImmediately(store.immediate, operation, event.t));
  };
}

function noteReasons({ action }: TrafficEvent, { reasons }: OracleDecision): void {
  for (const { scope, rule } of reasons) spoken.add(`${action} ${scope} ${rule}`);
}

/** The first event of a seed on which the two disagree. */
function firstDifference(seed: number): unknown {
  const traffic = new Traffic(seed);
  const oracle = new Oracle();
  const decide = replay();
  for (let index = 0; index < eventsPerSeed; index += 1) {
    const event = traffic.next();
    const expected = oracle.decide(event);
    const got = decide(event);
    if (got !== JSON.stringify(expected)) {
      return { seed, index, event, oracle: expected, engine: JSON.parse(got) };
    }
    noteReasons(event, expected);
    traffic.heard(expected);
  }
  return undefined;
}

describe('the engine and an oracle written from the contract alone', () => {
  it.each(courses.map(({ name }, course) => ({ name, course })))('agree on traffic: $name', ({ course }) => {
    for (let seed = course; seed < seeds; seed += courses.length) {
      expect(firstDifference(seed)).toBeUndefined();
    }
  });

  it.each(edgeScripts)('agree to the millisecond: $name', ({ tell }) => {
    for (const offsetMs of [-1, 0, 1]) {
      const oracle = new Oracle();
      const decide = replay();
      const events = tell(offsetMs);
      const expected = events.map((event) => oracle.decide(event));
      expect(events.map((event) => JSON.parse(decide(event)))).toEqual(expected);
    }
  });

  it('were asked about every rule on every key it can speak on', () => {
    expect(everyRule.filter((rule) => !spoken.has(rule))).toEqual([]);
  });
});

/**
 * What the contract allows and its numbers leave room for. `auth.otp K5 rotation` is not among them: four devices in
 * ten minutes are twenty points on the account, which is blocked before the fourth.
 */
const everyRule = [
  ...['blocked', 'score', 'budget', 'equilibrium', 'rotation.repeat', 'flood'].map((rule) => `K4 ${rule}`),
  ...['blocked', 'score', 'rotation', 'flood'].map((rule) => `K5 ${rule}`),
  ...['blocked', 'score', 'dilution', 'churn'].map((rule) => `K2 ${rule}`),
  ...['blocked', 'score', 'spray', 'prefix'].map((rule) => `K1 ${rule}`),
  ...['D blocked', 'D dilution', 'P48 blocked', 'P48 prefix', 'P40 blocked', 'P40 prefix'],
]
  .map((rule) => `auth.login ${rule}`)
  .concat(
    ['blocked', 'score', 'budget', 'guard', 'equilibrium', 'flood'].map((rule) => `auth.otp K4 ${rule}`),
    ['blocked', 'score', 'flood'].map((rule) => `auth.otp K5 ${rule}`),
    ['blocked', 'score', 'dilution', 'churn'].map((rule) => `auth.otp K2 ${rule}`),
    ['blocked', 'dilution'].map((rule) => `auth.otp D ${rule}`),
    ['K3 blocked', 'K3 moderate', 'K2 blocked', 'K2 minor', 'K2 moderate'].map((rule) => `api.heavy ${rule}`),
    ['K1 blocked', 'K1 severe'].map((rule) => `api.heavy ${rule}`),
  );

const examples = new URL('../../../shared/spec/examples/', import.meta.url);

describe.runIf(existsSync(examples))('the oracle', () => {
  const topics = existsSync(examples)
    ? readdirSync(examples).filter((name) => name.endsWith('.events.jsonl'))
    : [];

  it.each(topics)('decides the worked examples of %s', (topic) => {
    const oracle = new Oracle();
    const decided = linesOf(topic).map((line) => oracle.decide(JSON.parse(line)));
    const expected = linesOf(topic.replace('.events.', '.decisions.')).map((line) => JSON.parse(line));
    expect(decided).toEqual(expected);
  });
});

function linesOf(name: string): string[] {
  return readFileSync(new URL(name, examples), 'utf8').trim().split('\n');
}

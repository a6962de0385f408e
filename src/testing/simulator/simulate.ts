import { MINUTE_MS } from '../../core/duration.ts';
import { guarantees as allGuarantees } from './guarantees/all.ts';
import type { Guarantee, Watcher } from './guarantees/guarantee.ts';
import { makeScenario } from './make-scenario.ts';
import type { OperationTrace } from './operation-trace.ts';
import type { Scenario } from './scenario.ts';
import { TraceHash } from './trace-hash.ts';
import { type Tampering, World, type WorldWatch } from './world.ts';

/** A guarantee that did not hold. */
export interface Violation {
  readonly guarantee: string;
  readonly what: string;
  /** Milliseconds from the begin of the world. */
  readonly atMs: number;
}

export interface Simulation {
  readonly scenario: Scenario;
  /** Null when every guarantee held at every step. */
  readonly violation: Violation | null;
  /** The same for every run of the same scenario. */
  readonly traceHash: string;
  readonly steps: number;
  /** How often what was seen: modes, rules, outcomes, trips. Says whether a run tested anything. */
  readonly seen: ReadonlyMap<string, number>;
}

export interface SimulationOptions {
  readonly tampering?: Tampering;
  /** Default: all of them. */
  readonly guarantees?: readonly Guarantee[];
}

/** How long a world that is well again is given to become NORMAL: a shut policy needs 10 min, its probes 2. */
const CALM_MS = 15 * MINUTE_MS;

/** Runs the world of a seed. */
export function simulateSeed(seed: number, options: SimulationOptions = {}): Promise<Simulation> {
  return simulate(makeScenario(seed), options);
}

/** Runs a world until it ends or a guarantee does not hold. */
export async function simulate(scenario: Scenario, options: SimulationOptions = {}): Promise<Simulation> {
  const hash = new TraceHash();
  const seen = new Map<string, number>();
  let violation: Violation | null = null;
  const violate = (guarantee: string, what: string) => {
    violation ??= { guarantee, what, atMs: world.timeline.now };
  };
  const watchers: Watcher[] = [];
  const world = new World(scenario, watchOf(watchers, hash, seen, violate), options.tampering);
  const around = {
    read: (text: string) => world.server.read(text),
    nodeNow: (node: number) => world.nodeNow(node),
    recordMs: world.server.recordMs,
    hasPauses: scenario.troubles.some(({ kind }) => kind === 'pause'),
  };
  for (const { name, watch } of options.guarantees ?? allGuarantees) {
    watchers.push(watch(around, (what) => violate(name, what)));
  }
  const endMs = Math.max(scenario.durationMs, ...scenario.troubles.map(({ atMs, forMs }) => atMs + forMs));
  await world.runUntil(endMs + CALM_MS, () => violation !== null);
  if (violation === null) for (const watcher of watchers) watcher.ended?.();
  return { scenario, violation, traceHash: hash.text, steps: world.timeline.steps, seen };
}

function watchOf(
  watchers: readonly Watcher[],
  hash: TraceHash,
  seen: Map<string, number>,
  violate: (guarantee: string, what: string) => void,
): WorldWatch {
  const see = (what: string) => seen.set(what, (seen.get(what) ?? 0) + 1);
  return {
    sent: (node, kind, operation) => {
      for (const watcher of watchers) watcher.sent?.(node, kind, operation);
    },
    viewed: (operation) => {
      for (const watcher of watchers) watcher.viewed?.(operation);
    },
    committed: (operation, changes) => {
      for (const watcher of watchers) watcher.committed?.(operation, changes);
    },
    decided: (operation) => {
      hash.add(traceLine(operation));
      see(`${operation.op} ${operation.decision?.outcome} ${operation.decision?.mode}`);
      for (const { rule, outcome } of operation.decision?.reasons ?? []) see(`rule ${rule} ${outcome}`);
      for (const watcher of watchers) watcher.decided?.(operation);
    },
    told: (node, telling) => {
      if (telling.name === 'breaker') see(`breaker ${telling.event.what}`);
      if (telling.name === 'critical') see('critical');
      for (const watcher of watchers) watcher.told?.(node, telling);
    },
    ended: () => {},
    threw: ({ op }, cause) => violate('nothing-throws', `${op} threw ${String(cause)}`),
  };
}

function traceLine({ id, node, op, decision, endedAt }: OperationTrace): string {
  if (decision === null) return '';
  const { outcome, level, until, rule, scope, mode, reasons } = decision;
  return `${id} ${node} ${op} ${outcome} ${level} ${until} ${rule} ${scope} ${mode} ${reasons.length} ${endedAt}\n`;
}

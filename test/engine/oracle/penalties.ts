import { hour, minute, type Penalty, second } from './records.ts';

/** Contract section 10: durations, memory, escalation, and what a group's rules called for. */

export type Outcome = 'ALLOW' | 'SOFT_BLOCK' | 'HARD_BLOCK';
export type Scope = 'K4' | 'K5' | 'K3' | 'D' | 'K2' | 'K1' | 'P48' | 'P40';

export interface Reason {
  readonly rule: string;
  readonly scope: Scope;
  readonly outcome: Outcome;
  readonly level: number;
  readonly until: number;
}

const durationsMs = [0, 15 * second, minute, 5 * minute, 30 * minute, 6 * hour, 24 * hour];
const dwellsMs = [0, 10 * minute, 30 * minute, hour, 3 * hour, 12 * hour, 24 * hour];

export function durationMs(level: number): number {
  return durationsMs[level] ?? Number.NaN;
}

export function hardRuns(penalty: Penalty, now: number): boolean {
  return now < penalty.hardUntil;
}

export function softRuns(penalty: Penalty, now: number): boolean {
  return now < penalty.softUntil;
}

function rememberedLevel(penalty: Penalty, now: number): number {
  let level = penalty.memory;
  let fallsAt = penalty.hardUntil + (dwellsMs[level] ?? 0);
  while (level > 0 && now >= fallsAt) {
    level -= 1;
    fallsAt += dwellsMs[level] ?? 0;
  }
  return level;
}

export function escalate(penalty: Penalty, now: number, lowest: number, highest: number): number {
  const remembered = rememberedLevel(penalty, now);
  return Math.min(highest, remembered < lowest ? lowest : remembered + 1);
}

export function setHard(penalty: Penalty, now: number, level: number): void {
  const remembered = rememberedLevel(penalty, now);
  if (penalty.hardFrom !== undefined && penalty.hardFrom > now - 6 * hour) {
    penalty.scoreAt = now + 10 * minute;
  }
  penalty.hardFrom = now;
  penalty.hardLevel = level;
  penalty.hardUntil = now + durationMs(level);
  penalty.memory = Math.max(level, remembered);
}

function setSoft(penalty: Penalty, now: number, level: number): void {
  penalty.softLevel = softRuns(penalty, now) ? Math.max(penalty.softLevel, level) : level;
  penalty.softUntil = Math.max(penalty.softUntil, now + durationMs(level));
}

interface Call {
  readonly penalty: Penalty;
  readonly now: number;
  readonly rule: string;
  /** Undefined for a key that is not one of the request's: it is blocked without a reason. */
  readonly scope: Scope | undefined;
  readonly level: number;
}

/** Collects what the rules of one operation call for and stores it when all have run. */
export class Calls {
  readonly hards: Call[] = [];
  readonly softs: Call[] = [];

  /** A key whose block is running is not blocked again: no reason, no change. */
  hard(call: Call): void {
    if (!hardRuns(call.penalty, call.now)) this.hards.push(call);
  }

  soft(call: Call): void {
    this.softs.push(call);
  }

  hasHard(...scopes: readonly Scope[]): boolean {
    return this.hards.some((call) => call.scope !== undefined && scopes.includes(call.scope));
  }

  settle(): Reason[] {
    const softReasons = this.settleSofts();
    const penalties = new Set(this.hards.map((call) => call.penalty));
    for (const penalty of penalties) {
      const calls = this.hards.filter((call) => call.penalty === penalty);
      setHard(penalty, calls[0]?.now ?? 0, Math.max(...calls.map((call) => call.level)));
    }
    return [...softReasons, ...this.hards.flatMap(hardReason)];
  }

  private settleSofts(): Reason[] {
    for (const call of this.softs) setSoft(call.penalty, call.now, call.level);
    return this.softs.flatMap(({ scope, rule, penalty }) =>
      scope === undefined
        ? []
        : [
            {
              rule,
              scope,
              outcome: 'SOFT_BLOCK' as const,
              level: penalty.softLevel,
              until: penalty.softUntil,
            },
          ],
    );
  }
}

function hardReason({ scope, rule, level, now }: Call): Reason[] {
  if (scope === undefined) return [];
  return [{ rule, scope, outcome: 'HARD_BLOCK', level, until: now + durationMs(level) }];
}

/** Contract section 5: the decay before a delta, on the key that is raised. */
export function raise(penalty: Penalty, now: number, delta: number, intervalMs: number): void {
  const slowedMs = rememberedLevel(penalty, now) >= 2 ? intervalMs * 2 : intervalMs;
  const steps = Math.max(0, Math.floor((now - penalty.scoreAt) / slowedMs));
  penalty.score = Math.max(0, penalty.score - steps);
  penalty.scoreAt += steps * slowedMs;
  if (penalty.score === 0) penalty.scoreAt = Math.max(penalty.scoreAt, now);
  penalty.score += delta;
}

import type { Key, Records } from '../core/records.ts';
import { isHardBlocked } from '../core/standing.ts';
import { type CompiledScenario, concerns } from './compiled-scenario.ts';
import type { Facts } from './facts.ts';
import type { SignKey } from './scenario.ts';
import { goodStanding, type ScenarioStanding } from './scenario-standing.ts';
import { degradationBy, readSubject, type SubjectRecord } from './subject-record.ts';

/** One key that a call stands under. */
export interface Standpoint {
  readonly kind: SignKey;
  readonly key: Key<SubjectRecord>;
}

/** Looks at what the keys of a call have come to. A scenario that does not concern the call takes no part. */
export function standingLook(
  records: Records,
  standpoints: readonly Standpoint[],
  scenarios: readonly CompiledScenario[],
  facts: Facts,
  t: number,
): ScenarioStanding {
  let standing = goodStanding;
  for (const { kind, key } of standpoints) {
    const record = readSubject(records, key, t);
    if (record === undefined) continue;
    const now = Math.max(t, record.at);
    for (const scenario of scenarios) {
      if (!isAbout(scenario, kind, facts)) continue;
      standing = worse(standing, record, scenario, now);
    }
  }
  return standing;
}

function isAbout({ signs }: CompiledScenario, kind: SignKey, facts: Facts): boolean {
  return signs.some((sign) => sign.key === kind && concerns(sign, facts));
}

function worse(
  standing: ScenarioStanding,
  record: SubjectRecord,
  { plan, refillScale, delayMs }: CompiledScenario,
  now: number,
): ScenarioStanding {
  const degrades = now < degradationBy(record, plan.id);
  const blocks = record.blockedBy === plan.id && isHardBlocked(record.standing, now);
  if (!degrades && !blocks) return standing;
  return {
    refillScale: degrades ? Math.min(standing.refillScale, refillScale) : standing.refillScale,
    delayMs: degrades ? Math.max(standing.delayMs, delayMs) : standing.delayMs,
    refusedForMs: blocks
      ? Math.max(standing.refusedForMs, record.standing.hardUntil - now)
      : standing.refusedForMs,
  };
}

import type { Reason, Rule, Scope } from './decision.ts';
import { durationOf, escalate } from './ladder.ts';
import { noReasons } from './operation.ts';
import type { LadderPolicy, Policy } from './policy.ts';
import type { Draft } from './records.ts';
import { blockHard, blockSoft, type Holder, isHardBlocked, ownStanding, remembered } from './standing.ts';

/** A key that rules may speak on: the draft that holds its standing, its scope, the time inside its record. */
export interface Judged {
  readonly scope: Scope;
  readonly holder: Draft<Holder>;
  readonly now: number;
  /** False for another device's or prefix's key, which is blocked without a reason. */
  readonly own: boolean;
}

interface Verdict {
  readonly rule: Rule;
  readonly key: Judged;
  readonly level: number;
}

const isAdvisory = (scope: Scope): boolean => scope === 'K1' || scope === 'P48' || scope === 'P40';

/**
 * What the rules of one operation say, and how it becomes blocks (engine contract §10). Rules speak first; blocks
 * are set once all have spoken, so that each rule sees the keys as they were.
 */
export class Ruling {
  readonly #ladder: LadderPolicy;
  readonly #inShadow: readonly Rule[];
  #hard: readonly Verdict[] = nothing;
  #soft: readonly Verdict[] = nothing;
  /** What rules in shadow have said: told as reasons, never set. */
  #shadowed: readonly Reason[] = noReasons;

  constructor({ ladder, shadow = noRules }: Pick<Policy, 'ladder' | 'shadow'>) {
    this.#ladder = ladder;
    this.#inShadow = shadow;
  }

  /** HARD at exactly this level. A key that is blocked already is not blocked again. */
  hard(rule: Rule, key: Judged, level: number): void {
    if (isHardBlocked(key.holder.standing, key.now)) return;
    if (this.#inShadow.includes(rule)) this.#tell(rule, key, 'HARD_BLOCK', level);
    else this.#hard = [...this.#hard, { rule, key, level }];
  }

  /** HARD at `base`, or one above what the key remembers. */
  escalate(rule: Rule, key: Judged, base: number): void {
    const { maxLevel, maxAdvisoryLevel } = this.#ladder;
    const max = isAdvisory(key.scope) ? Math.min(maxLevel, maxAdvisoryLevel) : maxLevel;
    this.hard(rule, key, escalate(base, remembered(key.holder.standing, key.now, this.#ladder), max));
  }

  soft(rule: Rule, key: Judged, level: number): void {
    if (this.#inShadow.includes(rule)) this.#tell(rule, key, 'SOFT_BLOCK', level);
    else this.#soft = [...this.#soft, { rule, key, level }];
  }

  /** Whether a HARD on one of the request's own keys (of this scope, if given) has been spoken. */
  hasHard(scope?: Scope): boolean {
    if (this.#hard === nothing) return false;
    return this.#hard.some(({ key }) => key.own && (scope === undefined || key.scope === scope));
  }

  /** Whether a SOFT that is stored on this scope has been spoken. */
  hasSoft(scope: Scope): boolean {
    if (this.#soft === nothing) return false;
    return this.#soft.some(({ key }) => key.own && key.scope === scope);
  }

  /** Sets the blocks on the drafts and gives the reasons on the request's own keys. */
  settle(): readonly Reason[] {
    if (this.#hard === nothing && this.#soft === nothing) return this.#shadowed;
    this.#setHardBlocks();
    for (const { key, level } of this.#soft) {
      blockSoft(ownStanding(key.holder), level, key.now, this.#ladder);
    }
    const reasons: Reason[] = [];
    for (const verdict of this.#hard) if (verdict.key.own) reasons.push(this.#hardReason(verdict));
    for (const verdict of this.#soft) if (verdict.key.own) reasons.push(softReason(verdict));
    return this.#shadowed.length === 0 ? reasons : reasons.concat(this.#shadowed);
  }

  #tell(rule: Rule, { scope, now, own }: Judged, outcome: Reason['outcome'], level: number): void {
    if (!own) return;
    const until = now + durationOf(level, this.#ladder);
    this.#shadowed = [...this.#shadowed, { rule, scope, outcome, level, until }];
  }

  /** Per key the highest level wins, and it is set once: setting it again would pause the decay of its score. */
  #setHardBlocks(): void {
    this.#hard.forEach((verdict, place) => {
      const { key, level } = verdict;
      const isOutdone = this.#hard.some(
        (other, otherPlace) =>
          other.key.holder === key.holder &&
          (other.level > level || (other.level === level && otherPlace < place)),
      );
      if (!isOutdone) blockHard(ownStanding(key.holder), level, key.now, this.#ladder);
    });
  }

  #hardReason({ rule, key, level }: Verdict): Reason {
    const until = key.now + durationOf(level, this.#ladder);
    return { rule, scope: key.scope, outcome: 'HARD_BLOCK', level, until };
  }
}

/** A SOFT reason shows what is stored, which may be an earlier, longer or higher SOFT. */
function softReason({ rule, key }: Verdict): Reason {
  const { softLevel, softUntil } = key.holder.standing;
  return { rule, scope: key.scope, outcome: 'SOFT_BLOCK', level: softLevel, until: softUntil };
}

const noRules: readonly Rule[] = [];

/** Most operations say nothing: their lists are not made. */
const nothing: readonly Verdict[] = [];

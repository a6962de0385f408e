import type { Reason, Rule, Scope } from './decision.ts';
import { durationOf, escalate } from './ladder.ts';
import type { LadderPolicy } from './policy.ts';
import { blockHard, blockSoft, isHardBlocked, remembered, type Standing } from './standing.ts';

interface Verdict {
  readonly rule: Rule;
  readonly scope: Scope;
  readonly standing: Standing;
  readonly now: number;
  readonly level: number;
  /** Whether the key is one of this request's; other keys are blocked without a reason. */
  readonly own: boolean;
}

/** A key that rules may speak on: its standing (a draft), its scope, the time inside its record. */
export interface Judged {
  readonly scope: Scope;
  readonly standing: Standing;
  readonly now: number;
  /** False for another device's or prefix's key. */
  readonly own: boolean;
}

const advisory: ReadonlySet<Scope> = new Set<Scope>(['K1', 'P48', 'P40']);

/**
 * What the rules of one operation say, and how it becomes blocks (engine contract §10). Rules speak first; blocks
 * are set once all have spoken, so that each rule sees the keys as they were.
 */
export class Ruling {
  readonly #ladder: LadderPolicy;
  readonly #hard: Verdict[] = [];
  readonly #soft: Verdict[] = [];

  constructor(ladder: LadderPolicy) {
    this.#ladder = ladder;
  }

  /** HARD at exactly this level. A key that is blocked already is not blocked again. */
  hard(rule: Rule, key: Judged, level: number): void {
    if (isHardBlocked(key.standing, key.now)) return;
    this.#hard.push({ rule, level, ...key });
  }

  /** HARD at `base`, or one above what the key remembers. */
  escalate(rule: Rule, key: Judged, base: number): void {
    const { maxLevel, maxAdvisoryLevel } = this.#ladder;
    const max = advisory.has(key.scope) ? Math.min(maxLevel, maxAdvisoryLevel) : maxLevel;
    this.hard(rule, key, escalate(base, remembered(key.standing, key.now, this.#ladder), max));
  }

  soft(rule: Rule, key: Judged, level: number): void {
    this.#soft.push({ rule, level, ...key });
  }

  /** Whether a HARD on one of the request's own keys (of this scope, if given) has been spoken. */
  hasHard(scope?: Scope): boolean {
    return this.#hard.some((verdict) => verdict.own && (scope === undefined || verdict.scope === scope));
  }

  /** Whether a SOFT that is stored on this scope has been spoken. */
  hasSoft(scope: Scope): boolean {
    return this.#soft.some((verdict) => verdict.own && verdict.scope === scope);
  }

  /** Sets the blocks on the drafts and gives the reasons on the request's own keys. */
  settle(): Reason[] {
    if (this.#hard.length === 0 && this.#soft.length === 0) return [];
    this.#setHardBlocks();
    for (const { standing, level, now } of this.#soft) blockSoft(standing, level, now, this.#ladder);
    return [...this.#hard.filter(({ own }) => own).map((v) => this.#hardReason(v)), ...this.#softReasons()];
  }

  /** Per key the highest level wins. */
  #setHardBlocks(): void {
    const highest = new Map<Standing, Verdict>();
    for (const verdict of this.#hard) {
      const other = highest.get(verdict.standing);
      if (other === undefined || verdict.level > other.level) highest.set(verdict.standing, verdict);
    }
    for (const { standing, level, now } of highest.values()) blockHard(standing, level, now, this.#ladder);
  }

  #hardReason({ rule, scope, level, now }: Verdict): Reason {
    return { rule, scope, outcome: 'HARD_BLOCK', level, until: now + durationOf(level, this.#ladder) };
  }

  /** A SOFT reason shows what is stored, which may be an earlier, longer or higher SOFT. */
  #softReasons(): Reason[] {
    return this.#soft
      .filter(({ own }) => own)
      .map(({ rule, scope, standing }) => ({
        rule,
        scope,
        outcome: 'SOFT_BLOCK',
        level: standing.softLevel,
        until: standing.softUntil,
      }));
  }
}

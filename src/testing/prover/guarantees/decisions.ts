import { rules, scopes } from '../../../core/decision.ts';
import type { Operated, ProofEngine } from '../proof-engine.ts';
import { changedBlock } from './blocks.ts';
import { failure, type Guarantee, matrix } from './guarantee.ts';

/** What every decision has to be. */

export const deterministicAndAtomic: Guarantee = {
  id: 'deterministic-and-atomic',
  concerns: 'every policy',
  says: 'The same operation on the same records gives the same decision and records; check writes nothing; a running block stays as it is.',
  promised: [
    matrix('Deterministic and atomic behavior'),
    failure('Behavior remains deterministic and auditable'),
  ],
  breach: (operated, { engine }) => {
    if (operated.op === 'check' && operated.before !== operated.after) return 'check has written';
    return (
      changedBlock(operated) ?? (isSampled(engine) ? difference(operated, engine.again(operated)) : null)
    );
  },
};

/** Running everything twice would halve what can be searched; now and then shows a lack of purity as well. */
const isSampled = ({ operations }: ProofEngine): boolean => operations % 32 === 0;

function difference(first: Operated, again: Pick<Operated, 'decision' | 'after'>): string | null {
  if (JSON.stringify(first.decision) !== JSON.stringify(again.decision))
    return 'the decision differs when run again';
  return JSON.stringify([...first.after]) === JSON.stringify([...again.after])
    ? null
    : 'the records differ when run again';
}

export const auditable: Guarantee = {
  id: 'auditable',
  concerns: 'every policy',
  says: 'Every denial names its reasons, in order, and outcome, level, end, rule and scope follow from them.',
  promised: [matrix('Fully testable and auditable'), failure('Behavior remains deterministic and auditable')],
  breach: ({ decision, t }) => {
    const { outcome, level, until, retryAfterMs, rule, scope, reasons } = decision;
    if ((outcome === 'ALLOW') !== (reasons.length === 0)) return `${outcome} with ${reasons.length} reasons`;
    const winning = reasons.filter((reason) => reason.outcome === outcome);
    if (level !== Math.max(0, ...winning.map((reason) => reason.level))) return 'the level is no reason’s';
    if (until !== Math.max(0, ...winning.map((reason) => reason.until))) return 'the end is no reason’s';
    if (retryAfterMs !== Math.max(0, until - t)) return 'retryAfterMs does not fit the end';
    if (outcome === 'ALLOW') return rule === null && scope === null ? null : 'ALLOW names a rule';
    if (!winning.some((reason) => reason.rule === rule && reason.scope === scope))
      return 'rule and scope are no reason’s';
    const places = reasons.map(
      (reason) => scopes.indexOf(reason.scope) * rules.length + rules.indexOf(reason.rule),
    );
    return places.every((place, index) => index === 0 || place >= (places[index - 1] ?? 0))
      ? null
      : 'the reasons are out of order';
  },
};

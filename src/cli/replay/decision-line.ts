import type { ReplayDecision, ReplayReason } from './replay-decision.ts';

/**
 * A decision as replay prints it: one JSON object, fields in the order of the surface contract. Put together by hand,
 * which is several times as fast as serialising it: every text in a decision is one of ours and needs no escaping.
 */
export function decisionLine(t: number, decision: ReplayDecision): string {
  const { outcome, level, until, retryAfterMs, rule, scope, deferred, mode, reasons, shadow } = decision;
  if (outcome === 'ALLOW' && mode === 'NORMAL' && shadow === undefined) return `{"t":${t}${allowed}`;
  const named = rule === null ? '"rule":null,"scope":null' : `"rule":"${rule}","scope":"${scope}"`;
  const ends = `"level":${level},"until":${until},"retryAfterMs":${retryAfterMs}`;
  return `{"t":${t},"outcome":"${outcome}",${ends},${named},"deferred":${deferred},"mode":"${mode}","reasons":[${reasonTexts(reasons)}]${shadow === undefined ? '' : `,"shadow":[${reasonTexts(shadow)}]`}}`;
}

function reasonTexts(reasons: readonly ReplayReason[]): string {
  let text = '';
  for (const { rule, scope, outcome, level, until } of reasons) {
    const comma = text === '' ? '' : ',';
    text += `${comma}{"rule":"${rule}","scope":"${scope}","outcome":"${outcome}","level":${level},"until":${until}}`;
  }
  return text;
}

/** Most lines of a real day are this one. */
const allowed =
  ',"outcome":"ALLOW","level":0,"until":0,"retryAfterMs":0,"rule":null,"scope":null,"deferred":false,"mode":"NORMAL","reasons":[]}';

import type { Decision } from '../../core/decision.ts';

/** A decision as replay prints it: one JSON object, fields in the order of the surface contract. */
export function decisionLine(t: number, decision: Decision): string {
  const { outcome, level, until, retryAfterMs, rule, scope, deferred, mode, reasons } = decision;
  if (outcome === 'ALLOW' && mode === 'NORMAL') return `{"t":${t}${allowed}`;
  return JSON.stringify({ t, outcome, level, until, retryAfterMs, rule, scope, deferred, mode, reasons });
}

/** Most lines of a real day are this one. */
const allowed =
  ',"outcome":"ALLOW","level":0,"until":0,"retryAfterMs":0,"rule":null,"scope":null,"deferred":false,"mode":"NORMAL","reasons":[]}';

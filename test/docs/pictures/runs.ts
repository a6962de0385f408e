import { createGuard, type Decision } from '../../../src/index.ts';

/** One failure of a played run. */
export interface Moment {
  /** Milliseconds since the first failure. */
  readonly at: number;
  readonly decision: Decision;
  /** The account's score after it. */
  readonly score: number;
}

const request = {
  action: 'auth.login',
  account: 'somebody',
  ip: '192.0.2.1',
  device: { id: 'a device never seen', confidence: 'MEDIUM' },
} as const;
/** The run starts somewhere: 0 would mean "never" in a record. */
const startMs = 1_000_000_000;

/** Plays failures of one new device on one account against the default policy; `next` says when the next one comes. */
export async function playFailures(
  untilMs: number,
  next: (moment: Moment) => number,
): Promise<readonly Moment[]> {
  const guard = createGuard({ secret: 'a secret for pictures' });
  const moments: Moment[] = [];
  for (let at = 0; at <= untilMs; ) {
    const decision = await guard.fail(request, { at: startMs + at });
    const { keys } = await guard.explain(request, { at: startMs + at });
    const score = keys.find(({ scope }) => scope === 'K4')?.score ?? 0;
    const moment = { at, decision, score };
    moments.push(moment);
    at = next(moment);
  }
  await guard.close();
  return moments;
}

import type { RequestEntry } from '../../abuse/log-formats/log-entry.ts';
import { ladder } from '../../limits/client-record.ts';
import type { Limiter } from '../../limits/limiter.ts';
import type { Verdict } from '../../limits/verdict.ts';
import type { ReplayReason } from './replay-decision.ts';

const MOST_BLOCKS = 65_536;
const UNAUTHORIZED = 401;

/**
 * Asks the limiter about requests of a log, at the log's own time. A refusal for an empty bucket is a SOFT block until
 * it would pass; a block is a HARD one, at the level of its length.
 */
export class RequestDecider {
  readonly #limiter: Limiter;
  /** The levels of blocks that were seen to begin, by address and end: a verdict on a running one does not tell its level. */
  readonly #levels = new Map<string, number>();

  constructor(limiter: Limiter) {
    this.#limiter = limiter;
  }

  /** What speaks against the request; null for nothing. */
  async decide(entry: RequestEntry): Promise<ReplayReason | null> {
    const { method, path, ip, ua, status, t } = entry;
    // A server logs a name that it has not let in as well.
    const user = status === UNAUTHORIZED ? null : entry.user;
    const verdict = await this.#limiter.take({ method: method.toUpperCase(), path, ip, ua, user });
    return verdict.rule === null ? null : this.#reasonOf(verdict, ip, t);
  }

  #reasonOf({ rule, caller, retryAfterMs }: Verdict, ip: string, t: number): ReplayReason {
    const scope = caller === 'user' ? 'K4' : 'K2';
    const until = t + retryAfterMs;
    if (rule === 'limit') return { rule, scope, outcome: 'SOFT_BLOCK', level: 1, until };
    const key = `${ip} ${until}`;
    const level =
      rule === 'blocked' ? (this.#levels.get(key) ?? levelOf(retryAfterMs)) : levelOf(retryAfterMs);
    if (rule !== 'blocked') this.#remember(key, level);
    return { rule: rule ?? 'blocked', scope, outcome: 'HARD_BLOCK', level, until };
  }

  #remember(key: string, level: number): void {
    if (this.#levels.size >= MOST_BLOCKS) this.#levels.clear();
    this.#levels.set(key, level);
  }
}

/** The lowest level whose blocks last that long. */
function levelOf(durationMs: number): number {
  const index = ladder.durationsMs.findIndex((levelMs) => levelMs >= durationMs);
  return index < 0 ? ladder.durationsMs.length : index + 1;
}

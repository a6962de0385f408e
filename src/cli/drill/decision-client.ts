import type { Decision } from '../../core/decision.ts';
import { Fault } from '../../core/fault.ts';
import type { GuardRequest } from '../../guard/signals.ts';
import { serviceUrl } from '../service-url.ts';

/** Longer than a service takes that waits for its store. */
const ANSWER_MS = 30_000;

/** Asks a running service for decisions. */
export class DecisionClient {
  readonly #base: URL;
  readonly #headers: Readonly<Record<string, string>>;

  /** @throws Fault `INPUT_INVALID` when `url` is not that of an HTTP service. */
  constructor(url: string, token?: string) {
    this.#base = serviceUrl(url);
    this.#headers = {
      'content-type': 'application/json',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    };
  }

  /** @throws Fault `INPUT_INVALID` when the service is not there, or does not let us ask. */
  async ask(op: 'check' | 'fail' | 'succeed', request: GuardRequest): Promise<Decision> {
    const answer = await this.#post(`v1/${op}`, JSON.stringify(request));
    if (answer.status === 200) return this.#decisionIn(answer);
    await answer.body?.cancel();
    const hint = answer.status === 401 || answer.status === 403 ? ': give a token with the role decide' : '';
    throw new Fault('INPUT_INVALID', `the service answered ${answer.status} to a ${op}${hint}`);
  }

  async #decisionIn(answer: Response): Promise<Decision> {
    const body: unknown = await answer.json().catch(() => null);
    if (typeof body === 'object' && body !== null && 'outcome' in body && 'reasons' in body)
      return body as Decision;
    throw new Fault('INPUT_INVALID', `${this.#base.origin} does not answer as a Portcullis service does`);
  }

  async #post(path: string, body: string): Promise<Response> {
    try {
      return await fetch(new URL(path, this.#base), {
        method: 'POST',
        headers: this.#headers,
        body,
        signal: AbortSignal.timeout(ANSWER_MS),
      });
    } catch (cause) {
      throw new Fault(
        'INPUT_INVALID',
        `no service answers at ${this.#base.origin}: start one with portcullis serve`,
        { cause },
      );
    }
  }
}

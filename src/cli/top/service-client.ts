import { Fault } from '../../core/fault.ts';
import { serviceUrl } from '../service-url.ts';
import {
  type ActiveBlocks,
  type Fields,
  fieldsOf,
  readBlocks,
  readStatus,
  type ServiceStatus,
} from './service-status.ts';
import { SseReader } from './sse-reader.ts';

const ANSWER_MS = 5_000;

/** Asks a running service. Faults say what to do: `TARGET_UNREACHABLE`, `TARGET_TIMEOUT`, `INPUT_INVALID` when it refuses. */
export class ServiceClient {
  readonly url: string;
  readonly #base: URL;
  readonly #headers: Readonly<Record<string, string>>;
  #lastId: string | null = null;

  /** @throws Fault `INPUT_INVALID` when the URL is none of HTTP */
  constructor(url: string, token: string | undefined) {
    this.#base = serviceUrl(url);
    this.url = this.#base.origin;
    this.#headers = token === undefined ? {} : { Authorization: `Bearer ${token}` };
  }

  async status(): Promise<ServiceStatus> {
    return readStatus(await this.#json('v1/status'));
  }

  async blocks(): Promise<ActiveBlocks> {
    return readBlocks(await this.#json('v1/blocks?limit=1000'));
  }

  /** Events as they come, until the service ends the stream; a later call goes on after the last one. */
  async *events(signal: AbortSignal): AsyncGenerator<Fields> {
    const resume = this.#lastId === null ? {} : { 'Last-Event-ID': this.#lastId };
    const answer = await this.#get('v1/events', signal, { Accept: 'text/event-stream', ...resume });
    const reader = new SseReader();
    for await (const chunk of this.#chunks(answer, signal)) {
      for (const { id, data } of reader.push(chunk)) {
        if (id !== null) this.#lastId = id;
        yield fieldsOf(parsed(data));
      }
    }
  }

  async *#chunks(answer: Response, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    try {
      yield* answer.body ?? [];
    } catch (cause) {
      if (signal.aborted) throw cause;
      throw new Fault('TARGET_UNREACHABLE', `the connection to ${this.url} broke`, { cause });
    }
  }

  async #json(path: string): Promise<unknown> {
    const answer = await this.#get(path, AbortSignal.timeout(ANSWER_MS), {});
    return answer.json().catch((cause: unknown) => {
      throw new Fault('INPUT_INVALID', `${this.url} does not answer as a Portcullis service does`, { cause });
    });
  }

  async #get(
    path: string,
    signal: AbortSignal,
    headers: Readonly<Record<string, string>>,
  ): Promise<Response> {
    const answer = await this.#fetch(path, signal, headers);
    if (answer.ok) return answer;
    await answer.body?.cancel();
    throw new Fault('INPUT_INVALID', `${this.url} answers ${answer.status}${hintOf(answer.status)}`);
  }

  async #fetch(
    path: string,
    signal: AbortSignal,
    headers: Readonly<Record<string, string>>,
  ): Promise<Response> {
    try {
      return await fetch(new URL(path, this.#base), { signal, headers: { ...this.#headers, ...headers } });
    } catch (cause) {
      if (signal.aborted && !isTimeout(cause)) throw cause;
      throw isTimeout(cause)
        ? new Fault('TARGET_TIMEOUT', `${this.url} did not answer within ${ANSWER_MS / 1_000} s`, { cause })
        : new Fault(
            'TARGET_UNREACHABLE',
            `no service answers at ${this.url}: start one with "portcullis serve", or name it with --url`,
            { cause },
          );
    }
  }
}

const isTimeout = (cause: unknown): boolean => cause instanceof Error && cause.name === 'TimeoutError';

function hintOf(status: number): string {
  if (status === 401 || status === 403) return ': it wants a token with the role observe, see --token';
  return status === 404 ? ': is it a Portcullis service?' : '';
}

/** An event that cannot be read is shown as one without fields. */
function parsed(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch (cause) {
    if (cause instanceof SyntaxError) return { type: 'unreadable' };
    throw cause;
  }
}

import type { Clock } from '../../../src/svc-client/clock.ts';
import {
  type Attempt,
  acceptPassport,
  type BodyEnd,
  type Checkpoint,
  type Endpoint,
  type Outcome,
  problemOf,
  RECEIPT_HEADER,
  runInJourney,
  type SvcBody,
  type Transport,
} from '../../../src/svc-client/index.ts';

/** What a simulated service answers. */
export interface SimAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** How the body ends and how long after the head, in milliseconds; without it, whole and at once. */
  readonly end?: { readonly how: BodyEnd; readonly afterMs: number };
}

export interface SimRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * What becomes of a request: the host answers, does not take the connection, or takes it and breaks it off; or the caller has no
 * connection free.
 */
export type SimReply = SimAnswer | 'refused' | 'broken' | 'crowded';
export type SimHandler = (request: SimRequest) => Promise<SimReply>;

/** A text as a response body. */
export function simBody(text: string): SvcBody {
  const bytes = new TextEncoder().encode(text);
  return {
    text: async () => text,
    json: async () => JSON.parse(text),
    arrayBuffer: async () => bytes.buffer.slice(0),
    dump: async () => null,
    async *[Symbol.asyncIterator]() {
      yield bytes;
    },
  };
}

const refused: Outcome = { kind: 'unreachable', sent: false, cause: 'refused' };
const broken: Outcome = { kind: 'unreachable', sent: true, cause: 'broken' };
const crowded: Outcome = { kind: 'timeout', sent: false, isCrowded: true };

interface Host {
  handler: SimHandler;
  up: boolean;
}

/** Services by origin, with a latency between them, on virtual time. Origins without a service refuse connections. */
export class SimulatedNetwork implements Transport {
  readonly #clock: Clock;
  readonly #latencyMs: number;
  readonly #hosts = new Map<string, Host>();
  readonly #arrivals = new Map<string, number>();
  readonly #open: string[] = [];

  constructor(clock: Clock, latencyMs = 1) {
    this.#clock = clock;
    this.#latencyMs = latencyMs;
  }

  host(origin: string, handler: SimHandler): void {
    this.#hosts.set(origin, { handler, up: true });
  }

  /** Takes a host off the network, or back. */
  setUp(origin: string, up: boolean): void {
    const host = this.#hosts.get(origin);
    if (host !== undefined) host.up = up;
  }

  /** Requests that have reached the origin. */
  arrivals(origin: string): number {
    return this.#arrivals.get(origin) ?? 0;
  }

  open(origin: string): Endpoint {
    this.#open.push(origin);
    const close = async () => {
      this.#open.splice(this.#open.indexOf(origin), 1);
    };
    return { send: (attempt) => this.#send(origin, attempt), close };
  }

  /** Origins that somebody holds connections to. */
  get connected(): readonly string[] {
    return this.#open;
  }

  #send(origin: string, attempt: Attempt): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      const cancel = this.#clock.after(attempt.timeoutMs, () => resolve({ kind: 'timeout' }));
      const leave = () => resolve({ kind: 'aborted', reason: attempt.signal?.reason });
      if (attempt.signal?.aborted) leave();
      attempt.signal?.addEventListener('abort', leave);
      this.#clock.after(this.#latencyMs, () => {
        this.#arrive(origin, attempt).then((outcome) => {
          cancel();
          resolve(outcome);
        }, reject);
      });
    });
  }

  async #arrive(origin: string, attempt: Attempt): Promise<Outcome> {
    const host = this.#hosts.get(origin);
    if (host?.up !== true) return refused;
    this.#arrivals.set(origin, this.arrivals(origin) + 1);
    const { method, path, headers } = attempt;
    const answer = await host.handler({ method, path, headers: { ...headers } });
    if (answer === 'refused') return refused;
    if (answer === 'broken') return broken;
    if (answer === 'crowded') return crowded;
    await new Promise<void>((resolve) => this.#clock.after(this.#latencyMs, resolve));
    const { end } = answer;
    if (end === undefined) attempt.bodyEnded('complete');
    else this.#clock.after(end.afterMs, () => attempt.bodyEnded(end.how));
    const body = simBody(answer.body ?? '');
    const response = { status: answer.status, headers: { ...answer.headers }, body };
    return { kind: 'response', response, receipt: answer.headers?.[RECEIPT_HEADER] ?? null };
  }
}

/** Puts a handler behind a checkpoint, as the wrapper for node:http does. */
export function behindCheckpoint(checkpoint: Checkpoint, handler: SimHandler): SimHandler {
  return async (request) => {
    const admission = acceptPassport(request.headers, checkpoint);
    if (!admission.admitted) {
      const { status, headers, body } = problemOf(admission.denial, admission.requestId);
      return { status, headers: { ...headers, [RECEIPT_HEADER]: admission.receipt }, body };
    }
    const answer = await runInJourney(admission.journey, () => handler(request));
    const receipt = admission.receipt();
    if (receipt === null || typeof answer === 'string') return answer;
    return { ...answer, headers: { ...answer.headers, [RECEIPT_HEADER]: receipt } };
  };
}

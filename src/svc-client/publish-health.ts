import { Fault } from '../core/fault.ts';
import { assertPart } from '../core/options.ts';
import { harmless } from '../listeners/listener-warnings.ts';
import type { SvcClient } from './client.ts';
import { type Clock, systemClock } from './clock.ts';
import { healthReport } from './health-report.ts';
import { hasCredentials, OptionReader } from './option-reader.ts';

/** Where and how often a client's health is reported. */
export interface PublishHealthOptions {
  /** Of the decision service: `http://127.0.0.1:8470`. What stands behind its host is kept as a prefix. */
  readonly url: string | URL;
  /** A token of the role `decide`. Default: none, for a service on this machine that asks for none. */
  readonly token?: string | undefined;
  /** Who reports, as operators know it: a letter, then letters, digits, `.`, `_` or `-`, 64 in all. One per process. */
  readonly name: string;
  /** In milliseconds, from 1 000 to 300 000. Default 10 000. */
  readonly everyMs?: number | undefined;
  /** Told of each report that did not arrive: `TARGET_UNREACHABLE`. Default: nobody. */
  readonly onFault?: ((fault: Fault) => void) | undefined;
}

/** What it stands on, for tests. */
export interface PublishHealthRuntime {
  /** Default: the clock and the timers of this process. */
  readonly clock?: Clock;
  /** From 0 to 1. Default `Math.random`. */
  readonly random?: () => number;
  /** Default: the one of this process. */
  readonly fetch?: typeof fetch;
}

/** A publication that goes on until it is stopped. */
export interface HealthPublication {
  /** Ends it. Resolves when nothing is under way any more; never rejects. */
  stop(): Promise<void>;
}

const ROUTE = 'v1/targets';
/** A service that is slower than this has not taken the report. */
const PATIENCE_MS = 5_000;
const MAX_PAUSE_MS = 300_000;
/** A breaker that opens and a loop are told at once, but not more often than this. */
const LEAST_PAUSE_MS = 1_000;

/**
 * Reports the targets of a client to a decision service, whose console shows them: at once, every `everyMs`, when a
 * breaker opens or closes, and when a loop was refused. A service that does not take a report is asked again after growing
 * pauses, at most five minutes. Nothing of that reaches the application: no throw, no rejection, and no timer that keeps the
 * process up.
 *
 * @throws Fault `CONFIG_INVALID` when there is no client, or an option is not what it must be; every problem is named.
 */
export function publishHealth(
  client: Pick<SvcClient, 'health' | 'on'>,
  options: PublishHealthOptions,
  runtime: PublishHealthRuntime = {},
): HealthPublication {
  assertPart('client', client, ['health', 'on'], 'what createSvcClient gives');
  return new Publication(client, readOptions(options), runtime);
}

interface PublishSettings {
  readonly url: URL;
  readonly token: string | null;
  readonly name: string;
  readonly everyMs: number;
  readonly onFault: (fault: Fault) => void;
}

class Publication implements HealthPublication {
  readonly #client: Pick<SvcClient, 'health' | 'on'>;
  readonly #settings: PublishSettings;
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #fetch: typeof fetch;
  readonly #deafen: () => void;
  #cancel: () => void = () => {};
  /** When the next report is planned for, by the clock. */
  #dueAt = Number.POSITIVE_INFINITY;
  #underWay: Promise<void> | null = null;
  #breakOff: () => void = () => {};
  #hasEnded = false;
  #failures = 0;
  /** A breaker has changed, or a loop was refused, since the report that is under way was written. */
  #isStale = false;

  constructor(
    client: Pick<SvcClient, 'health' | 'on'>,
    settings: PublishSettings,
    runtime: PublishHealthRuntime,
  ) {
    this.#client = client;
    this.#settings = settings;
    this.#clock = runtime.clock ?? systemClock;
    this.#random = runtime.random ?? Math.random;
    this.#fetch = runtime.fetch ?? fetch;
    const endings = [
      client.on('target-breaker', () => this.#hasten()),
      client.on('global-breaker', () => this.#hasten()),
      client.on('alert', () => this.#hasten()),
    ];
    this.#deafen = () => {
      for (const end of endings) end();
    };
    this.#report();
  }

  async stop(): Promise<void> {
    this.#deafen();
    this.#cancel();
    this.#hasEnded = true;
    this.#breakOff();
    await this.#underWay;
  }

  /**
   * While the service does not take reports, a change is no reason to ask it more often. A report is only ever brought
   * forward: put off by every change, it would not come while they follow each other.
   */
  #hasten(): void {
    if (this.#underWay !== null) this.#isStale = true;
    else if (this.#failures === 0 && this.#clock.now() + LEAST_PAUSE_MS < this.#dueAt)
      this.#plan(LEAST_PAUSE_MS);
  }

  #report(): void {
    this.#isStale = false;
    this.#underWay = this.#send().then((fault) => {
      this.#underWay = null;
      if (this.#hasEnded) return;
      this.#failures = fault === null ? 0 : this.#failures + 1;
      if (fault !== null) this.#settings.onFault(fault);
      // Whoever is told may have stopped it.
      if (!this.#hasEnded) this.#plan(this.#isStale && fault === null ? LEAST_PAUSE_MS : this.#pauseMs());
    });
    // Looking at the client's health may tell of a breaker, and plan a report beside this one.
    this.#cancel();
  }

  #plan(delayMs: number): void {
    this.#cancel();
    this.#dueAt = this.#clock.now() + delayMs;
    this.#cancel = this.#clock.after(delayMs, () => this.#report(), { keepsAlive: false });
  }

  /** Twice as long after each failure; then with jitter, so that a service that comes back is not met by all at once. */
  #pauseMs(): number {
    const { everyMs } = this.#settings;
    if (this.#failures === 0) return everyMs;
    const longestMs = Math.min(MAX_PAUSE_MS, everyMs * 2 ** Math.min(this.#failures, 10));
    return longestMs * (0.5 + this.#random() / 2);
  }

  /** Why the report did not arrive, or null. */
  async #send(): Promise<Fault | null> {
    const { url, token, name, everyMs } = this.#settings;
    // A controller for each report, and a timer that holds it: Node 20 lets the timeout within an `AbortSignal.any` be collected,
    // and a signal for all reports would gather a little of each.
    const report = new AbortController();
    this.#breakOff = () => report.abort();
    const late = new DOMException(`No answer within ${PATIENCE_MS} ms`, 'TimeoutError');
    const cancel = this.#clock.after(PATIENCE_MS, () => report.abort(late), { keepsAlive: false });
    try {
      const response = await this.#fetch(url, {
        method: 'POST',
        // A redirect would take the token to somebody else.
        redirect: 'error',
        headers: {
          'content-type': 'application/json',
          ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        },
        body: JSON.stringify(healthReport(name, everyMs, this.#client.health())),
        signal: report.signal,
      });
      await response.body?.cancel();
      return response.ok ? null : notTaken(`it answered ${response.status}`);
    } catch (cause) {
      return notTaken('it could not be reached', cause);
    } finally {
      cancel();
    }
  }
}

function notTaken(why: string, cause?: unknown): Fault {
  return new Fault('TARGET_UNREACHABLE', `the decision service did not take the report of targets: ${why}`, {
    cause,
  });
}

const fields = ['url', 'token', 'name', 'everyMs', 'onFault'];
const reporterName = /^[A-Za-z][A-Za-z0-9._-]{0,63}$/;

function readOptions(options: PublishHealthOptions): PublishSettings {
  const reader = new OptionReader();
  const { url, token, name, everyMs, onFault } = reader.section('', options, fields);
  const route = routeOf(url);
  if (route === null) reader.problem('url', url, 'an http or https URL without credentials');
  const isNamed = typeof name === 'string' && reporterName.test(name);
  if (!isNamed) reader.problem('name', name, 'a letter, then at most 63 letters, digits, ".", "_" or "-"');
  const isToken = token === undefined || (typeof token === 'string' && /^[\x21-\x7e]+$/.test(token));
  if (!isToken) reader.problem('token', token, 'a text without spaces');
  if (onFault !== undefined && typeof onFault !== 'function') {
    reader.problem('onFault', onFault, 'a function');
  }
  const pace = reader.number('everyMs', everyMs, { min: 1_000, max: MAX_PAUSE_MS, default: 10_000 });
  reader.finish();
  return {
    url: route ?? new URL('http://service.invalid'),
    token: isToken ? (token ?? null) : null,
    name: isNamed ? name : '',
    everyMs: pace,
    onFault: options.onFault === undefined ? () => {} : harmless('publishHealth', options.onFault),
  };
}

/** The route below whatever prefix the URL has. */
function routeOf(url: unknown): URL | null {
  const text = url instanceof URL ? url.href : url;
  if (typeof text !== 'string' || !URL.canParse(text)) return null;
  const base = new URL(text);
  if (hasCredentials(base) || (base.protocol !== 'http:' && base.protocol !== 'https:')) return null;
  if (!base.pathname.endsWith('/')) base.pathname += '/';
  return new URL(ROUTE, base);
}

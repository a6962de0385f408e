import {
  type RequestEvent,
  runScenarios,
  type ScenarioFinding,
  type ScenarioRun,
  type WatchOptions,
} from '../../src/abuse/index.ts';
import { openLogFormat } from '../../src/abuse/log-formats/log-format.ts';
import { createMemoryStore, type MemoryStore } from '../../src/stores/memory/index.ts';

export const secret = 'sixteen bytes or more';
/** 2023-11-14T22:13:20Z */
export const start = 1_700_000_000_000;

export const agents = {
  chrome:
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/119.0.0.0 Safari/537.36',
  firefox: 'Mozilla/5.0 (X11; Ubuntu; Linux x86_64; rv:120.0) Gecko/20100101 Firefox/120.0',
  safari:
    'Mozilla/5.0 (iPhone; CPU iPhone OS 17_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.1 Mobile/15E148 Safari/604.1',
  googlebot: 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
  bingbot:
    'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm) Chrome/116.0.1938.76 Safari/537.36',
  nikto: 'Mozilla/5.00 (Nikto/2.5.0) (Evasions:None) (Test:map_codes)',
  python: 'python-requests/2.31.0',
  curl: 'curl/8.4.0',
} as const;

/** Names of headers in the order in which they are sent. */
export const headerOrders = {
  chrome: [
    'Host',
    'Connection',
    'sec-ch-ua',
    'sec-ch-ua-mobile',
    'sec-ch-ua-platform',
    'Upgrade-Insecure-Requests',
    'User-Agent',
    'Accept',
    'Sec-Fetch-Site',
    'Sec-Fetch-Mode',
    'Sec-Fetch-Dest',
    'Accept-Encoding',
    'Accept-Language',
  ],
  python: ['Host', 'User-Agent', 'Accept-Encoding', 'Accept', 'Connection'],
  go: ['Host', 'User-Agent', 'Accept-Encoding'],
  googlebot: ['Host', 'Connection', 'Accept', 'From', 'User-Agent', 'Accept-Encoding', 'If-Modified-Since'],
} as const;

const months = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');
const two = (value: number) => String(value).padStart(2, '0');

/** A line as nginx and Apache write it in their `combined` format. */
function combinedLine(at: number, { ip, method, path, status, ua }: RequestEvent): string {
  const date = new Date(at);
  const day = `${two(date.getUTCDate())}/${months[date.getUTCMonth()]}/${date.getUTCFullYear()}`;
  const time = `${two(date.getUTCHours())}:${two(date.getUTCMinutes())}:${two(date.getUTCSeconds())}`;
  return `${ip} - - [${day}:${time} +0000] "${method} ${path} HTTP/1.1" ${status} 1543 "-" "${ua ?? '-'}"`;
}

/** An event and when it happened. */
export type Timed = readonly [at: number, event: RequestEvent];

/** What became of some traffic. */
export interface Course {
  readonly findings: readonly (ScenarioFinding & { readonly at: number; readonly index: number })[];
  readonly run: ScenarioRun;
  readonly store: MemoryStore;
  /** `path-scan degraded`, each once, in the order in which they came first. */
  readonly told: readonly string[];
}

/** Runs traffic in its own time. */
export function judge(traffic: Iterable<Timed>, options: Partial<WatchOptions> = {}): Course {
  let now = start;
  const store = createMemoryStore({ clock: () => now });
  const run = runScenarios(store.immediate, { secret, ...options });
  const findings: Course['findings'][number][] = [];
  let index = 0;
  for (const [at, event] of traffic) {
    now = at;
    for (const finding of run.observe(event, at)) findings.push({ ...finding, at, index });
    index += 1;
  }
  const told = [...new Set(findings.map(({ scenario, what }) => `${scenario} ${what}`))];
  return { findings, run, store, told };
}

/** The same, through the lines of a log: what a log does not tell is not seen. */
export function judgeLog(traffic: Iterable<Timed>, options: Partial<WatchOptions> = {}): Course {
  return judge(throughLog(traffic), options);
}

function* throughLog(traffic: Iterable<Timed>): Generator<Timed> {
  const format = openLogFormat('nginx', { writtenAt: start });
  const read: Timed[] = [];
  for (const [at, event] of traffic) {
    format.read(combinedLine(at, event), (entry) => {
      if (entry.kind === 'request') read.push([entry.t, entry]);
    });
    yield* read.splice(0);
  }
}

/** A generator of numbers from 0 to 1 that is the same for the same seed. */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state >>>= 0;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state / 2 ** 32;
  };
}

/** Merges traffic of several sources by time. */
export function merged(...sources: readonly (readonly Timed[])[]): Timed[] {
  return sources.flat().sort(([a], [b]) => a - b);
}

/** So many events, one every `everyMs`. */
export function series(
  count: number,
  everyMs: number,
  eventOf: (index: number) => Partial<RequestEvent>,
  from = start,
): Timed[] {
  return Array.from({ length: count }, (_, index) => [
    from + index * everyMs,
    { method: 'GET', path: '/', status: 200, ip: '203.0.113.7', ua: agents.chrome, ...eventOf(index) },
  ]);
}

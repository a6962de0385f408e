import { reconnectWaitMs } from './backoff.ts';
import { readFeedLine } from './feed-line.ts';
import type { FromFeed, ToFeed } from './feed-messages.ts';
import { Silence } from './silence.ts';
import { SseParser } from './sse-parser.ts';
import { Tally } from './tally.ts';

/**
 * Reads the live feed away from the page's own thread: however fast it runs, the page gets four small batches a second.
 */

const BATCH_EVERY_MS = 250;
/** The service says that it is alive every 15 s; two of these may be lost. */
const LONGEST_SILENCE_MS = 40_000;

const tally = new Tally();
const say = (message: FromFeed) => postMessage(message);
let lastId: string | null = null;
let attempt = 0;
/** Nothing can have been missed before the first connection. */
let isFirst = true;

async function connect({ url, token }: ToFeed, silence: Silence): Promise<'again' | 'refused'> {
  // A connection that was lost is being restored, however often that is tried: each change would be read out.
  if (attempt === 0) say({ kind: 'link', link: 'connecting', status: 0 });
  const headers: Record<string, string> = { accept: 'text/event-stream' };
  if (token !== null) headers.authorization = `Bearer ${token}`;
  if (lastId !== null) headers['last-event-id'] = lastId;
  // Who comes first gets what the service still has, so that a page opened in the middle of an attack shows it.
  isFirst = lastId === null;
  const { signal } = silence;
  const response = await fetch(isFirst ? `${url}?since=0` : url, { headers, cache: 'no-store', signal });
  if (response.status === 401 || response.status === 403) {
    say({ kind: 'link', link: 'refused', status: response.status });
    return 'refused';
  }
  if (!response.ok || response.body === null) return 'again';
  attempt = 0;
  say({ kind: 'link', link: 'open', status: response.status });
  await readStream(response.body, silence);
  return 'again';
}

async function readStream(body: ReadableStream<Uint8Array>, silence: Silence): Promise<void> {
  const parser = new SseParser();
  const decoder = new TextDecoder();
  const reader = body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    silence.broken();
    for (const { id, data } of parser.push(decoder.decode(value, { stream: true }))) {
      lastId = id ?? lastId;
      const line = readFeedLine(data);
      if (line !== null && !(isFirst && line.type === 'gap')) tally.add(line);
    }
  }
}

async function follow(options: ToFeed): Promise<void> {
  for (;;) {
    const silence = new Silence(LONGEST_SILENCE_MS);
    const end = await connect(options, silence).catch(() => 'again' as const);
    silence.over();
    attempt += 1;
    const waitMs = reconnectWaitMs(attempt, Math.random());
    // A token may be taken again: nodes get new ones one after the other. Who has lost theirs for good is asked for another, which ends this.
    if (end !== 'refused') say({ kind: 'link', link: 'waiting', status: 0, waitMs });
    await new Promise((resolve) => setTimeout(resolve, waitMs));
  }
}

addEventListener('message', (event: MessageEvent<ToFeed>) => {
  setInterval(() => say({ kind: 'batch', batch: tally.take() }), BATCH_EVERY_MS);
  void follow(event.data);
});

import { Fault } from '../../../src/core/fault.ts';
import { LineSplitter } from './line-splitter.ts';
import type { FromReplay, ToReplay } from './replay-messages.ts';
import { ReplayRun, readPolicies } from './replay-run.ts';

/** Replays a file away from the page's own thread. Ended from outside: a cancelled worker is terminated. */

const PROGRESS_EVERY_MS = 100;

const say = (message: FromReplay) => postMessage(message);

async function replay({ file, policyA, policyB }: ToReplay): Promise<void> {
  const startedAt = performance.now();
  const run = new ReplayRun(
    readPolicies(policyA, 'policy A'),
    policyB === null ? null : readPolicies(policyB, 'policy B'),
  );
  const splitter = new LineSplitter();
  let saidAt = startedAt;
  let bytes = 0;
  const counted = file.stream().pipeThrough(
    new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      transform(chunk, controller) {
        bytes += chunk.length;
        controller.enqueue(chunk);
      },
    }),
  );
  const isPacked = /\.gz$/i.test(file.name);
  const reader = (isPacked ? counted.pipeThrough(new DecompressionStream('gzip')) : counted).getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    for (const line of splitter.push(value)) run.add(line);
    if (performance.now() - saidAt < PROGRESS_EVERY_MS) continue;
    saidAt = performance.now();
    say({ kind: 'progress', bytes, events: run.events });
  }
  for (const line of splitter.finish()) run.add(line);
  say({ kind: 'done', result: run.result(), durationMs: performance.now() - startedAt });
}

addEventListener('message', (event: MessageEvent<ToReplay>) => {
  replay(event.data).catch((cause: unknown) => {
    const isOurs = cause instanceof Fault;
    say({ kind: 'refused', why: isOurs ? cause.message : `The file cannot be replayed: ${String(cause)}` });
  });
});

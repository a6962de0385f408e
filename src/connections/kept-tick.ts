import { executionAsyncResource } from 'node:async_hooks';

/** Other runtimes have no such queue, and what they answer to the question for its entries is made up. */
const isNode = process.versions.bun === undefined && process.versions.deno === undefined;

const kept: object[] = [];

/**
 * Keeps one entry of Node's queue of ticks for good. Every request makes several, by a literal whose hidden class V8 knows only
 * while an object of it lives. A full collection that comes while a server has nothing to do finds none, and the next entry gets
 * another class. After a few of them V8 takes the literal for one of ever changing classes and puts each entry together in
 * its slowest way, for as long as the process lives. See decision 0015.
 */
export function keepTick(): void {
  if (!isNode || kept.length > 0) return;
  process.nextTick(() => {
    if (kept.length === 0) kept.push(executionAsyncResource());
  });
}

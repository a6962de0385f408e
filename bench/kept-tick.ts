import { executionAsyncResource } from 'node:async_hooks';

/**
 * Loaded by a server of a bench before anything else: keeps one entry of Node's queue of ticks for good. Every request
 * makes several, by a literal of which V8 knows the shape only while an object of that shape lives. Where a full collection
 * meets none, the literal is slow from then on, and with it the whole server by a fifth; without this, each process draws
 * its luck, whatever its limiter is.
 */
const kept: object[] = [];
process.nextTick(() => kept.push(executionAsyncResource()));

import { executionAsyncResource } from 'node:async_hooks';

/**
 * Loaded by a server of a bench before anything else: keeps one entry of Node's queue of ticks for good, as `keepTick` does
 * (`src/connections/kept-tick.ts`, which says why). Without this each process draws its luck, whatever it answers with.
 */
const kept: object[] = [];
process.nextTick(() => kept.push(executionAsyncResource()));

import cluster from 'node:cluster';
import { PortcullisStore } from '../../src/adapters/express-rate-limit/index.ts';
import { createGuard } from '../../src/index.ts';
import { createLimiter } from '../../src/limits/index.ts';
import { createMemoryStore } from '../../src/stores/memory/index.ts';

/** Puts guards, limiters and stores over memory together in a worker of node:cluster, and tells the codes of the warnings. */
const secret = 'sixteen bytes or more';
const makers = [
  () => createGuard({ secret }),
  () => createGuard({ secret, store: createMemoryStore() }),
  () => createLimiter({ secret, store: createMemoryStore() }),
  () => new PortcullisStore({ secret, store: createMemoryStore() }),
];

function warningsOf(make: () => unknown): Promise<string[]> {
  const codes: string[] = [];
  const note = (warning: Error & { readonly code?: string }) => codes.push(String(warning.code));
  process.on('warning', note);
  make();
  return new Promise((resolve) => {
    // Node tells of a warning after what has led to it.
    setImmediate(() => {
      process.off('warning', note);
      resolve(codes);
    });
  });
}

if (cluster.isPrimary) {
  cluster.fork().on('message', (message) => {
    process.send?.(message);
    cluster.disconnect(() => process.exit());
  });
} else {
  const found: string[][] = [];
  for (const make of makers) found.push(await warningsOf(make));
  process.send?.(found);
}

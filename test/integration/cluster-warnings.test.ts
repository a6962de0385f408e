import { once } from 'node:events';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type CompiledWorker, compileWorker } from '../servers/compiled-worker.ts';

let worker: CompiledWorker;
beforeAll(() => {
  worker = compileWorker(new URL('./cluster-worker.ts', import.meta.url));
});
afterAll(() => worker.remove());

it('whatever counts in the memory of one of several processes warns of it', async () => {
  const [codes] = await once(worker.start([]), 'message');
  const code = 'PORTCULLIS_MEMORY_STORE_IN_CLUSTER';
  expect(codes).toEqual([[code], [code], [code], [code]]);
});

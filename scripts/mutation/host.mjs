// A process that holds one vitest and runs tests against mutants. The parent ends it when a mutant never comes back.
import { join } from 'node:path';
import { BroadcastChannel } from 'node:worker_threads';
import { createVitest } from 'vitest/node';
import { root } from '../setup.mjs';

let vitest;
let specifications;

/** Keeps the order it is given. */
class GivenOrder {
  sort(files) {
    return files;
  }

  shard(files) {
    return files;
  }
}

async function start({ codes, include, isolate, bail }) {
  const codeOf = new Map(codes);
  const instrumented = {
    name: 'portcullis:mutants',
    enforce: 'pre',
    transform: (_, id) => codeOf.get(id.split('?')[0]) ?? null,
  };
  const options = {
    config: false,
    root,
    include,
    watch: false,
    pool: 'threads',
    isolate,
    maxWorkers: 1,
    bail,
    reporters: [{}],
    setupFiles: [join(root, 'scripts', 'mutation', 'worker-setup.mjs')],
    sequence: { sequencer: GivenOrder },
    testTimeout: 120_000,
    hookTimeout: 0,
  };
  vitest = await createVitest('test', options, { plugins: [instrumented], logLevel: 'silent' });
  const found = await vitest.globTestSpecifications();
  specifications = new Map(found.map((item) => [item.moduleId, item]).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Runs the named test files, all of them where `files` is null, in one of the modes of the worker's setup. */
async function run({ files, ...order }) {
  vitest.provide('mutation', order);
  const chosen =
    files === null ? [...specifications.values()] : files.map((file) => specifications.get(file));
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications(chosen, true);
  const failures = testModules.flatMap((module) => failuresOf(module));
  if (unhandledErrors.length > 0) failures.push(String(unhandledErrors[0]?.message ?? unhandledErrors[0]));
  return { failures, tests: order.mode === 'count' ? testModules.flatMap(testsOf) : [] };
}

function failuresOf(module) {
  const failed = [...module.children.allTests('failed')].map((test) => `${module.moduleId} ${test.fullName}`);
  const broken = module.errors().map((error) => `${module.moduleId} ${error.message}`);
  return [...broken, ...failed];
}

function testsOf(module) {
  return [...module.children.allTests('passed')].map((test) => ({
    file: module.moduleId,
    ms: test.diagnostic()?.duration ?? 0,
    loaded: test.meta().loaded ?? [],
    hits: test.meta().hits ?? [],
  }));
}

process.on('message', async ({ kind, ...rest }) => {
  const channel = rest.channel === undefined ? null : new BroadcastChannel(rest.channel);
  if (channel !== null) channel.onmessage = ({ data }) => process.send(data);
  try {
    if (kind === 'start') await start(rest);
    process.send({ kind: 'answer', result: kind === 'run' ? await run(rest) : null });
  } catch (error) {
    process.send({ kind: 'answer', error: error.stack });
  } finally {
    channel?.close();
  }
});
process.on('disconnect', () => process.exit());

// A process that holds one vitest and runs tests against one mutant after another. The parent ends it when a mutant
// never comes back.
import { join } from 'node:path';
import { createVitest } from 'vitest/node';
import { root } from '../setup.mjs';

let vitest;
let specifications;

/** Keeps the order it is given: the tests nearest to the mutant come first. */
class GivenOrder {
  sort(files) {
    return files;
  }

  shard(files) {
    return files;
  }
}

async function start({ codes, include, isolate }) {
  const codeOf = new Map(codes);
  const instrumented = {
    name: 'portcullis:mutants',
    enforce: 'pre',
    transform: (_, id) => codeOf.get(id.split('?')[0]) ?? null,
  };
  vitest = await createVitest(
    'test',
    {
      config: false,
      root,
      include,
      watch: false,
      pool: 'threads',
      isolate,
      maxWorkers: 1,
      bail: 1,
      reporters: [{}],
      setupFiles: [join(root, 'scripts', 'mutation', 'worker-setup.mjs')],
      sequence: { sequencer: GivenOrder },
      testTimeout: 120_000,
    },
    { plugins: [instrumented], logLevel: 'silent' },
  );
  specifications = new Map((await vitest.globTestSpecifications()).map((item) => [item.moduleId, item]));
}

/** Runs the named test files, all of them by default, and within them the tests of `names`. */
async function run({ active, hitLimit, files, names }) {
  vitest.provide('mutation', { active, hitLimit });
  if (names === null) vitest.resetGlobalTestNamePattern();
  else vitest.setGlobalTestNamePattern(new RegExp(`^(?:${names.map(escaped).join('|')})$`));
  const chosen =
    files === null ? [...specifications.values()] : files.map((file) => specifications.get(file));
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications(chosen, true);
  const failures = testModules.flatMap((module) => failuresOf(module));
  if (unhandledErrors.length > 0) failures.push(String(unhandledErrors[0]?.message ?? unhandledErrors[0]));
  return { failures, tests: active === null ? testModules.flatMap(testsOf) : [] };
}

function failuresOf(module) {
  const failed = [...module.children.allTests('failed')].map(
    (test) => `${test.module.moduleId} ${test.fullName}`,
  );
  const broken = module.errors().map((error) => `${module.moduleId} ${error.message}`);
  return [...broken, ...failed];
}

function testsOf(module) {
  return [...module.children.allTests('passed')].map((test) => ({
    file: module.moduleId,
    name: nameOf(test),
    ms: test.diagnostic()?.duration ?? 0,
    loaded: test.meta().loaded ?? {},
    hits: test.meta().hits ?? {},
  }));
}

/** As vitest's name pattern sees it: the names of the suites and the test, with spaces between. */
function nameOf(test) {
  const names = [test.name];
  for (let parent = test.parent; parent.type === 'suite'; parent = parent.parent) names.unshift(parent.name);
  return names.join(' ');
}

function escaped(text) {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

process.on('message', async ({ kind, ...rest }) => {
  try {
    if (kind === 'start') await start(rest);
    process.send({ kind, result: kind === 'run' ? await run(rest) : null });
  } catch (error) {
    process.send({ kind, error: error.stack });
  }
});
process.on('disconnect', () => process.exit());

// `npm run mutate [-- --file TEXT] [--line N] [--list] [--jobs N]`: changes the core in many small ways, one at a time, and
// asks whether a test notices. Prints what survived and a score per file; exits with 1 below the score that we ask for.
import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { install, root, say } from './setup.mjs';

const lowestScore = 90;
const folder = 'src/core';
const include = ['src/core/**/*.test.ts', 'test/engine/**/*.test.ts'];
// The texts of the catalogue are documents; a tidy test holds them.
const ignored = (mutant) => mutant.path === 'src/core/fault.ts' && mutant.kind === 'string';

install();
const { values: options } = parseArgs({
  options: {
    file: { type: 'string', multiple: true },
    line: { type: 'string' },
    list: { type: 'boolean', default: false },
    jobs: { type: 'string', default: String(availableParallelism()) },
  },
});
const { instrument } = await import('./mutation/instrument.mjs');
const { runOrders, runWithoutMutant } = await import('./mutation/pool.mjs');
const { plan } = await import('./mutation/plan.mjs');
const { scoreOf, toLine, toReport } = await import('./mutation/report.mjs');

const { mutants, codes } = findMutants();
if (options.list) {
  for (const mutant of mutants) console.log(`${mutant.kind.padEnd(10)}  ${toLine(mutant)}`);
  console.log(`${mutants.length} mutants`);
} else {
  process.exitCode = await tryAll();
}

function findMutants() {
  const mutants = [];
  const codes = [];
  const paths = readdirSync(join(root, folder), { recursive: true })
    .map((path) => `${folder}/${path}`)
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
    .sort();
  let firstId = 1;
  for (const path of paths) {
    const found = instrument(path, readFileSync(join(root, path), 'utf8'), firstId);
    firstId += found.mutants.length;
    mutants.push(...found.mutants.filter((mutant) => !ignored(mutant) && isAskedFor(mutant)));
    codes.push([join(root, path), found.code]);
  }
  return { mutants, codes };
}

function isAskedFor({ path, line }) {
  const byFile = options.file === undefined || options.file.some((text) => path.includes(text));
  return byFile && (options.line === undefined || line === Number(options.line));
}

async function tryAll() {
  const settings = { codes, include };
  say(`${mutants.length} mutants; running the tests once without any`);
  const { failures, tests } = await runWithoutMutant(settings);
  if (failures.length > 0) {
    console.error(`The tests fail without any mutant:\n${failures.join('\n')}`);
    return 1;
  }
  const near = (file, mutant) => file === join(root, mutant.path).replace(/\.ts$/, '.test.ts');
  const { orders, uncovered } = plan(mutants, tests, near);
  say(`${tests.length} tests come by ${orders.length} of them`);
  const byId = new Map(mutants.map((mutant) => [mutant.id, mutant]));
  for (const mutant of uncovered) Object.assign(mutant, { state: 'survived', covered: false });
  let done = 0;
  await runOrders(orders, settings, Number(options.jobs), (order, result) => {
    const survived = result !== null && result.failures.length === 0;
    const state = result === null ? 'timeout' : survived ? 'survived' : 'killed';
    Object.assign(byId.get(order.active), { state, covered: true });
    done += 1;
    if (process.stderr.isTTY) process.stderr.write(`\r${done} of ${orders.length}`);
    else if (done % 250 === 0) say(`${done} of ${orders.length}`);
  });
  if (process.stderr.isTTY) process.stderr.write('\r');
  const timeouts = mutants.filter((mutant) => mutant.state === 'timeout').length;
  for (const line of toReport(mutants)) console.log(line);
  if (timeouts > 0) console.log(`${timeouts} of the killed never came back and were ended`);
  const score = scoreOf(mutants);
  if (score < lowestScore) console.log(`The score is ${score.toFixed(1)} %; ${lowestScore} % is asked for.`);
  return score < lowestScore ? 1 : 0;
}

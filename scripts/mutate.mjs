// `npm run mutate [-- --file TEXT] [--line N] [--every N] [--list] [--jobs N]`: changes the core in many small ways, one at a
// time, and asks whether a test notices. Prints what survived and a score per file; exits with 1 below the score that we ask
// for. All of them take a quarter of an hour on two cores; `--every 8` tries one in eight, spread over all files.
import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { install, root, say } from './setup.mjs';

const lowestScore = 90;
const folder = 'src/core';
// The prover asks every engine the same questions again, which takes it far longer than all other tests together.
const include = ['src/core/**/*.test.ts', 'test/engine/!(prove*).test.ts'];
// The texts of the catalogue are documents; a tidy test holds them.
const ignored = (mutant) => mutant.path === 'src/core/fault.ts' && mutant.kind === 'string';

install();
const { values: options } = parseArgs({
  options: {
    file: { type: 'string', multiple: true },
    line: { type: 'string' },
    every: { type: 'string', default: '1' },
    list: { type: 'boolean', default: false },
    jobs: { type: 'string', default: String(availableParallelism()) },
  },
});
const { instrument } = await import('./mutation/instrument.mjs');
const { runAlone, runTogether, runWithoutMutant } = await import('./mutation/hosts.mjs');
const { deal, plan, quickestFirst } = await import('./mutation/plan.mjs');
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

function isAskedFor({ id, path, line }) {
  if (id % Number(options.every) !== 0) return false;
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
  const { alone, together, uncovered } = plan(mutants, tests, near);
  say(
    `${tests.length} tests come by ${alone.length + together.length} of them; ${alone.length} need a run of their own`,
  );
  const verdict = verdicts(alone.length + together.length);
  for (const id of uncovered) verdict(id, 'survived', false);
  const jobs = Math.max(1, Number(options.jobs));
  const files = quickestFirst(tests);
  const work = deal(together, jobs).map((ids) => runTogether(ids, files, settings, verdict));
  const unrepeatable = new Set((await Promise.all(work)).flat());
  await Promise.all(deal(alone, jobs).map((orders) => runAlone(orders, settings, verdict)));
  for (const test of unrepeatable) say(`passes once but not twice, so it noticed nothing: ${test}`);
  return toExitCode();
}

/** Notes what became of each mutant, and says now and then how far the run is. */
function verdicts(all) {
  const byId = new Map(mutants.map((mutant) => [mutant.id, mutant]));
  let done = 0;
  return (id, state, covered = true) => {
    Object.assign(byId.get(id), { state, covered });
    done += covered ? 1 : 0;
    if (process.stderr.isTTY) process.stderr.write(`\r${done} of ${all} `);
    else if (covered && done % 250 === 0) say(`${done} of ${all}`);
  };
}

function toExitCode() {
  if (process.stderr.isTTY) process.stderr.write('\r');
  for (const line of toReport(mutants)) console.log(line);
  const timeouts = mutants.filter((mutant) => mutant.state === 'timeout').length;
  if (timeouts > 0) console.log(`${timeouts} of the killed never came back and were ended`);
  const score = scoreOf(mutants);
  if (score < lowestScore) console.log(`The score is ${score.toFixed(1)} %; ${lowestScore} % is asked for.`);
  return score < lowestScore ? 1 : 0;
}

// `npm run simulate -- [--seeds N] [--from N]`: runs simulated worlds, one seed after the other, until one breaks a
// guarantee; shrinks that one and prints the command that runs it again. `npm run simulate -- --seed N […]` runs one.
import { performance } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import { setUp } from './setup.mjs';

if (!setUp()) process.exit(1);
const { cutScenario, guarantees, makeScenario, readCut, readNumber, reproCommand, searchSeeds, simulate } =
  await import('../dist/testing/index.js');

try {
  process.exitCode = await main();
} catch (error) {
  if (error.code !== 'INPUT_INVALID' && !String(error.code).startsWith('ERR_PARSE_ARGS')) throw error;
  console.error(`portcullis: ${error.message}`);
  process.exitCode = 2;
}

async function main() {
  const option = { type: 'string' };
  const { values } = parseArgs({
    options: {
      seed: option,
      seeds: option,
      from: option,
      'without-actors': option,
      'without-troubles': option,
      nodes: option,
      moves: option,
      list: { type: 'boolean' },
    },
  });
  if (values.list) return list();
  return values.seed === undefined
    ? search(values)
    : runOne(readNumber('seed', values.seed), readCut(values));
}

function list() {
  for (const { name, says } of guarantees) console.log(`${name}\n  ${says}`);
  return 0;
}

async function search({ seeds = '1000', from = '1' }) {
  const startedAt = performance.now();
  const rate = (count) => Math.round(count / ((performance.now() - startedAt) / 1_000));
  let shownAt = startedAt;
  const { failing, ...done } = await searchSeeds({
    from: readNumber('from', from),
    count: readNumber('seeds', seeds),
    onProgress: (count) => {
      if (!process.stderr.isTTY || performance.now() - shownAt < 500) return;
      shownAt = performance.now();
      process.stderr.write(`\r${count} seeds, ${rate(count)}/s\u001b[K`);
    },
  });
  if (process.stderr.isTTY) process.stderr.write('\r\u001b[K');
  console.log(`${done.seeds} seeds, ${rate(done.seeds)}/s, ${rate(done.steps)} steps/s`);
  if (failing === null) return 0;
  tell(failing.violation, reproCommand(failing.seed, failing.cut));
  return 1;
}

async function runOne(seed, cut) {
  const scenario = cutScenario(makeScenario(seed), cut);
  for (const [index, { role, action, moves }] of scenario.actors.entries()) {
    if (moves > 0) console.log(`actor ${index}: ${role}, ${action}, ${moves} moves`);
  }
  for (const { atMs, forMs, kind } of scenario.troubles) {
    console.log(`trouble: ${kind} at ${seconds(atMs)} for ${seconds(forMs)}`);
  }
  const { violation, steps, traceHash } = await simulate(scenario);
  console.log(`${scenario.nodes.length} nodes, ${steps} steps, trace ${traceHash}`);
  if (violation === null) return 0;
  tell(violation, reproCommand(seed, cut));
  return 1;
}

function tell({ guarantee, what, atMs }, command) {
  console.log(`BROKEN  ${guarantee}: ${what}, at ${seconds(atMs)}\n${command}`);
}

function seconds(ms) {
  return `${(ms / 1_000).toFixed(3)} s`;
}

// `npm run check`: what must hold before each commit. Runs every step, also after one has failed, and sums up.
import { performance } from 'node:perf_hooks';
import { install, run } from './setup.mjs';

install();
const colours = process.stdout.isTTY ? [] : ['--colors=off'];
const steps = [
  ['format and lint', 'biome', ['ci', '--error-on-warnings', ...colours, '.']],
  ['types', 'tsc', ['--noEmit', '-p', '.']],
  ['types of the console', 'tsc', ['--noEmit', '-p', 'console']],
  ['nothing unused', 'knip', ['--no-progress']],
  ['tidy and unit tests', 'vitest', ['run', '--project', 'unit', '--reporter=dot']],
];

const results = steps.map(([name, tool, args]) => {
  const startedMs = performance.now();
  const passed = run(tool, args) === 0;
  return { name, passed, seconds: (performance.now() - startedMs) / 1000 };
});

console.log();
for (const { name, passed, seconds } of results) {
  console.log(`${passed ? 'ok    ' : 'FAILED'}  ${name.padEnd(20)} ${seconds.toFixed(1).padStart(6)} s`);
}
process.exitCode = results.every((result) => result.passed) ? 0 : 1;

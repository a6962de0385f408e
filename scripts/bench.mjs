// `npm run bench -- NAME [--json]`: runs bench/NAME.bench.ts; without a NAME, lists them. `npm run bench -- all [--page]`
// runs all of them; `--page` writes docs/operating/benchmarks.md from what they have measured. Node 20 reads no
// TypeScript, and a bundler's module wrappers would be measured too, so the benches are compiled, without a check of
// types: that is what `npm run check` is for.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { pageOf } from './bench-page.mjs';
import { benchPrograms, missingServers } from './servers.mjs';
import { cache, copyAssets, install, root, run } from './setup.mjs';

install();
const out = join(cache, 'bench');
const ending = '.bench.ts';
const names = readdirSync(join(root, 'bench'))
  .filter((file) => file.endsWith(ending))
  .map((file) => file.slice(0, -ending.length))
  .sort();
const args = process.argv.slice(2);
const [name] = args.filter((arg) => !arg.startsWith('-'));
/** Benches that start nothing but Node. */
const inProcess = new Set(['concurrency', 'engine', 'grpc', 'logs', 'replay', 'svc-client']);
const format = args.includes('--json') ? ['--json'] : [];

if (name === undefined) {
  console.log(
    names.length === 0 ? 'There is no bench yet.' : `npm run bench -- NAME, one of:\n${names.join('\n')}`,
  );
} else if (name === 'all') {
  process.exitCode = hasPrograms() ? measureAll() : 2;
} else if (!names.includes(name)) {
  console.error(`There is no bench "${name}"; there are: ${names.join(', ') || 'none'}.`);
  process.exitCode = 2;
} else {
  process.exitCode = inProcess.has(name) || hasPrograms() ? measure(name) : 2;
}

/** Says what to install where something is missing and could not be installed. */
function hasPrograms() {
  const missing = missingServers(benchPrograms, 'the benches');
  if (missing.length === 0) return true;
  const packages = missing.map((program) => program.package).join(' ');
  console.error(`The benches need programs that are not here: apt-get install ${packages}`);
  return false;
}

function measure(name) {
  const failed = compile();
  return failed ? 1 : (start(name, format, 'inherit').status ?? 1);
}

/** All benches, one after the other: nothing else should run meanwhile. */
function measureAll() {
  if (compile()) return 1;
  const lines = [];
  for (const name of names) {
    console.error(`portcullis: bench ${name}`);
    const { status, stdout } = start(name, ['--json'], 'pipe');
    if (status !== 0) return status ?? 1;
    process.stdout.write(stdout);
    lines.push(
      ...stdout
        .toString()
        .split('\n')
        .filter((line) => line.startsWith('{')),
    );
  }
  if (!args.includes('--page')) return 0;
  const page = pageOf(
    lines.map((line) => JSON.parse(line)),
    machine(),
  );
  writeFileSync(join(root, 'docs', 'operating', 'benchmarks.md'), page);
  return 0;
}

function machine() {
  const [{ model }] = cpus();
  const redis = /v=([\d.]+)/.exec(spawnSync('redis-server', ['--version']).stdout?.toString() ?? '')?.[1];
  const server = redis === undefined ? '' : `, Redis ${redis}`;
  return `${cpus().length} cores (${model.trim()}), Node ${process.versions.node}${server}`;
}

function compile() {
  rmSync(out, { recursive: true, force: true });
  if (run('tsc', ['-p', join('bench', 'tsconfig.json'), '--noCheck', '--outDir', out]) !== 0) return true;
  copyAssets(join(root, 'src'), join(out, 'src'));
  // Below node_modules the package.json of the repository, which says that .js is ESM, does not reach.
  mkdirSync(out, { recursive: true });
  writeFileSync(join(out, 'package.json'), '{"type":"module"}\n');
  return false;
}

function start(name, flags, stdout) {
  const bench = join(out, 'bench', `${name}.bench.js`);
  const main = join(out, 'bench', 'main.js');
  return spawnSync(process.execPath, ['--expose-gc', '--enable-source-maps', main, bench, name, ...flags], {
    cwd: root,
    stdio: ['inherit', stdout, 'inherit'],
    maxBuffer: 16 * 1024 * 1024,
  });
}

// `npm run bench -- NAME [--json]`: runs bench/NAME.bench.ts; without a NAME, lists them. Node 20 reads no
// TypeScript, and a bundler's module wrappers would be measured too, so the benches are compiled, without a check of
// types: that is what `npm run check` is for.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cache, copyAssets, install, root, run } from './setup.mjs';

install();
const ending = '.bench.ts';
const names = readdirSync(join(root, 'bench'))
  .filter((file) => file.endsWith(ending))
  .map((file) => file.slice(0, -ending.length))
  .sort();
const args = process.argv.slice(2);
const [name] = args.filter((arg) => !arg.startsWith('-'));
const format = args.includes('--json') ? ['--json'] : [];

if (name === undefined) {
  console.log(
    names.length === 0 ? 'There is no bench yet.' : `npm run bench -- NAME, one of:\n${names.join('\n')}`,
  );
} else if (!names.includes(name)) {
  console.error(`There is no bench "${name}"; there are: ${names.join(', ') || 'none'}.`);
  process.exitCode = 2;
} else {
  process.exitCode = measure(name);
}

function measure(name) {
  const out = join(cache, 'bench');
  rmSync(out, { recursive: true, force: true });
  if (run('tsc', ['-p', join('bench', 'tsconfig.json'), '--noCheck', '--outDir', out]) !== 0) return 1;
  copyAssets(join(root, 'src'), join(out, 'src'));
  // Below node_modules the package.json of the repository, which says that .js is ESM, does not reach.
  mkdirSync(out, { recursive: true });
  writeFileSync(join(out, 'package.json'), '{"type":"module"}\n');
  const bench = join(out, 'bench', `${name}.bench.js`);
  const command = [
    '--expose-gc',
    '--enable-source-maps',
    join(out, 'bench', 'main.js'),
    bench,
    name,
    ...format,
  ];
  return spawnSync(process.execPath, command, { cwd: root, stdio: 'inherit' }).status ?? 1;
}

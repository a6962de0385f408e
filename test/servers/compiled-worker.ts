import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compilerPath } from './installed-package.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
/** What the compiler leaves behind and stores read at run time. */
const redis = join('src', 'stores', 'redis');
const scripts = readdirSync(join(root, redis)).filter((name) => name.endsWith('.lua'));
const assets = [
  join('src', 'stores', 'postgres', 'migrations'),
  ...scripts.map((script) => join(redis, script)),
];

/** What a process may not exceed. */
export interface WorkerLimits {
  /** The size of any file it writes, in KiB: beyond it a write fails as on a full disk. */
  readonly fileKib: number;
}

/** Where a process writes its stdout. Default: where this one does. */
type WorkerStdout = 'inherit' | 'pipe' | number;

/** A TypeScript file that tests run in processes of its own, compiled together with all it imports. */
export interface CompiledWorker {
  start(args: readonly string[], limits?: WorkerLimits, stdout?: WorkerStdout): ChildProcess;
  /** Ends what still runs and removes what was compiled. */
  remove(): void;
}

/** Compiles from the sources, so that a worker never runs what an earlier build has left in `dist`. */
export function compileWorker(file: URL): CompiledWorker {
  const source = fileURLToPath(file);
  const cache = join(root, 'node_modules', '.cache', 'portcullis');
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, 'worker-'));
  const compilerOptions = { noEmit: false, noCheck: true, rootDir: root, outDir: folder };
  const project = join(folder, 'tsconfig.json');
  writeFileSync(
    project,
    JSON.stringify({ extends: join(root, 'tsconfig.json'), compilerOptions, files: [source], include: [] }),
  );
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  execFileSync(process.execPath, [compilerPath(), '-p', project], { cwd: root, stdio: 'inherit' });
  for (const asset of assets) cpSync(join(root, asset), join(folder, asset), { recursive: true });
  const program = join(folder, relative(root, source)).replace(/\.ts$/, '.js');
  const children = new Set<ChildProcess>();
  return {
    start: (args, limits, stdout) => {
      const child = start([process.execPath, program, ...args], limits, stdout);
      children.add(child);
      child.once('exit', () => children.delete(child));
      return child;
    },
    remove: () => {
      for (const child of children) child.kill('SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** lmdb writes its errors to stderr by itself; where they are provoked they are not shown. */
function start(
  command: readonly string[],
  limits?: WorkerLimits,
  stdout: WorkerStdout = 'inherit',
): ChildProcess {
  const limited = limits === undefined ? 'exec "$@"' : `ulimit -f ${limits.fileKib}; exec "$@"`;
  return spawn('bash', ['-c', limited, 'worker', ...command], {
    stdio: ['ignore', stdout, limits === undefined ? 'inherit' : 'ignore', 'ipc'],
  });
}

// `npm start`: builds what is needed and serves on http://127.0.0.1:8470 with the embedded store. Arguments go to
// `portcullis serve`; with the name of another command in front, that one is run: `npm start -- replay FILE`.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { exitCodeOf } from './exit-code.mjs';
import { root, say, setUp } from './setup.mjs';

if (!setUp()) process.exit(1);
await buildConsole();

const args = process.argv.slice(2);
const isCommand = args.length > 0 && !args[0].startsWith('-');
const cli = join(root, 'dist', 'cli', 'main.js');
const child = spawn(process.execPath, [cli, ...(isCommand ? [] : ['serve']), ...args], {
  cwd: root,
  stdio: 'inherit',
});
// A terminal sends its signals to all of us; whoever else does, sends them to this process alone. What the child gets
// twice by that it takes as one.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => child.kill(signal));
// npm runs this in a shell, which passes no signal on: when the shell has gone, somebody wants us to end.
const shell = process.ppid;
setInterval(() => {
  if (process.ppid !== shell) child.kill('SIGTERM');
}, 500).unref();
child.on('exit', (code, signal) => process.exit(exitCodeOf(code, signal)));

/** The service decides without its console too, so a console that cannot be built is told and left out. */
async function buildConsole() {
  const builder = join(root, 'scripts', 'build-console.mjs');
  if (!existsSync(builder)) return;
  const { buildConsole: build } = await import('./build-console.mjs');
  if (!(await build())) say('the console could not be built; the service starts without it');
}

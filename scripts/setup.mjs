// What every other script needs before it can do its own work: a Node that is new enough, the installed
// dependencies and a current build. Only Node's own modules and ours are imported, because on a fresh clone there is
// nothing else yet.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { takeTurn } from './turn.mjs';

/** The folder of the repository, whatever the folder the command was started in. */
export const root = join(dirname(fileURLToPath(import.meta.url)), '..');

/** Where scripts keep what they may lose at any time; it goes away with every fresh install. */
export const cache = join(root, 'node_modules', '.cache', 'portcullis');

const oldestNode = [20, 19];
const assets = /\.(lua|sql|json|proto)$/;
const tests = /\.test\.ts$/;

/** Exits with 2 and says why when this Node is too old to run the project. */
export function requireNode(version = process.versions.node) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [oldestMajor, oldestMinor] = oldestNode;
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return;
  console.error(
    `Portcullis needs Node ${oldestNode.join('.')} or newer; this is ${version}. Install a newer Node.`,
  );
  process.exit(2);
}

/** Installs what the lock file says, unless it is there. */
export function install() {
  requireNode();
  if (whyInstall() !== null) inTurn(installNow);
}

/** Somebody else may have done it while we were waiting. */
function installNow() {
  const reason = whyInstall();
  if (reason === null) return;
  say(`installing dependencies (${reason})`);
  const command = ['ci', '--no-audit', '--no-fund', '--loglevel=error'];
  const result = spawnSync('npm', command, { cwd: root, stdio: ['ignore', 2, 2] });
  const missing = result.status === 0 ? whyInstall() : `npm ci ended with ${result.status}`;
  if (missing === null) return;
  console.error(
    `The dependencies could not be installed: ${missing}. Try it by hand: npm ${command.join(' ')}`,
  );
  process.exit(2);
}

/** Why an install is needed, or null. Compares contents: a checkout changes times, not needs. */
function whyInstall() {
  const installedFile = join(root, 'node_modules', '.package-lock.json');
  if (!existsSync(installedFile)) return 'node_modules is missing';
  const wanted = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages;
  const installed = JSON.parse(readFileSync(installedFile, 'utf8')).packages;
  for (const [path, entry] of Object.entries(wanted)) {
    if (path === '' || entry.link) continue;
    const found = installed[path];
    if (found === undefined && !entry.optional) return `${path} is missing`;
    if (found !== undefined && found.version !== entry.version) return `${path} is ${found.version}`;
  }
  return null;
}

/** Installs, then builds `dist` unless it already is what the sources make. Returns whether it stands. */
export function setUp() {
  install();
  const hash = hashOfSources();
  return isCurrent(hash) || inTurn(() => isCurrent(hash) || build(hash));
}

const stamp = join(cache, 'dist.sha256');

function isCurrent(hash) {
  return existsSync(join(root, 'dist')) && existsSync(stamp) && readFileSync(stamp, 'utf8') === hash;
}

function build(hash) {
  say('building dist');
  if (!compile('tsconfig.build.json', 'dist')) return false;
  mkdirSync(cache, { recursive: true });
  writeFileSync(stamp, hash);
  return true;
}

/** Does what changes files that other scripts make too, while none of them does. The work may be a promise; it must not ask for a turn itself. */
export function inTurn(work) {
  const end = takeTurn(join(root, '.portcullis-building'), say);
  let result;
  try {
    result = work();
  } finally {
    if (!(result instanceof Promise)) end();
  }
  return result instanceof Promise ? result.finally(end) : result;
}

/**
 * Compiles into a folder beside the target and swaps it in, so that a failed build leaves the last good one
 * and files of deleted sources do not linger.
 */
function compile(project, target) {
  const fresh = join(root, 'node_modules', `.portcullis-build-${process.pid}`);
  rmSync(fresh, { recursive: true, force: true });
  if (run('tsc', ['-p', project, '--outDir', fresh, '--noEmitOnError']) !== 0) {
    rmSync(fresh, { recursive: true, force: true });
    return false;
  }
  copyAssets(join(root, 'src'), fresh);
  inlineTexts(fresh);
  // The console has a build of its own, which knows by itself whether it is current.
  const page = join(root, target, 'console');
  if (existsSync(page)) renameSync(page, join(fresh, 'console'));
  rmSync(join(root, target), { recursive: true, force: true });
  renameSync(fresh, join(root, target));
  return true;
}

/** Copies what the compiler leaves behind (`*.lua`, `*.sql`, `*.json`, `*.proto`) from one tree into another. */
export function copyAssets(from, to) {
  for (const path of filesUnder(from)) {
    if (assets.test(path)) cpSync(join(from, path), join(to, path));
  }
}

/** How a module reads a script that runs inside of a store. */
const readsText = /\breadFileSync\(new URL\('(\.\/[^']+\.(?:lua|sql))', import\.meta\.url\), 'utf8'\)/g;

/** Writes the texts that modules read into the modules themselves: a bundler takes those along, and not the files beside them. */
function inlineTexts(folder) {
  for (const path of filesUnder(folder).filter((name) => name.endsWith('.js'))) {
    const file = join(folder, path);
    const code = readFileSync(file, 'utf8');
    const whole = code.replace(readsText, (_, name) =>
      JSON.stringify(readFileSync(join(dirname(file), name), 'utf8')),
    );
    if (whole !== code) writeFileSync(file, withoutReader(whole));
  }
}

/** What nothing in a module uses any more, bundlers of strangers would warn of. */
function withoutReader(code) {
  const rest = code.replace(/^import \{ readFileSync \} from 'node:fs';\n/m, '');
  return rest.includes('readFileSync(') ? code : rest;
}

/** Runs a tool out of node_modules with its output on ours; returns its exit code. */
export function run(tool, args, env = process.env) {
  const result = spawnSync(process.execPath, [toolPath(tool), ...args], { cwd: root, stdio: 'inherit', env });
  if (result.error) console.error(`${tool} could not be started: ${result.error.message}`);
  return result.status ?? 1;
}

function toolPath(tool) {
  const [name, bin] = { tsc: ['typescript', 'tsc'], biome: ['@biomejs/biome', 'biome'] }[tool] ?? [
    tool,
    tool,
  ];
  const folder = join(root, 'node_modules', name);
  const { bin: bins } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return join(folder, typeof bins === 'string' ? bins : bins[bin]);
}

function hashOfSources() {
  const hash = createHash('sha256');
  const inputs = filesUnder(join(root, 'src')).filter((path) => !tests.test(path));
  const paths = [...inputs.map((path) => join('src', path)), 'tsconfig.json', 'tsconfig.build.json'];
  for (const path of paths)
    hash
      .update(`${path}\0`)
      .update(readFileSync(join(root, path)))
      .update('\0');
  return hash.digest('hex');
}

function filesUnder(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();
}

/** One line about what a script does, on stderr, so that stdout stays what the command is for. */
export function say(line) {
  console.error(`portcullis: ${line}`);
}

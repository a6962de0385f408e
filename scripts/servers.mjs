// The servers that tests and benches start for themselves. One place says which program each needs and which Debian
// package brings it.
import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { say } from './setup.mjs';

/** `name` is what tests find in PORTCULLIS_MISSING. */
export const servers = [
  { name: 'redis', binary: 'redis-server', package: 'redis-server' },
  { name: 'postgres', binary: 'postgres', package: 'postgresql' },
  { name: 'nginx', binary: 'nginx', package: 'nginx' },
  { name: 'haproxy', binary: 'haproxy', package: 'haproxy' },
  { name: 'caddy', binary: 'caddy', package: 'caddy' },
  { name: 'chromium', binary: 'chromium', package: 'chromium' },
];

/** What presses the servers of a bench. */
const load = { name: 'wrk', binary: 'wrk', package: 'wrk' };

/** The programs that benches start. */
export const benchPrograms = [...servers.filter(({ name }) => /^(redis|postgres|nginx)$/.test(name)), load];

/** Those whose program is not on this machine, after trying to install them where we may. */
export function missingServers(wanted = servers, purpose = 'the tests') {
  const missing = absent(wanted);
  if (missing.length === 0 || process.getuid?.() !== 0 || !onPath('apt-get')) return missing;
  const packages = missing.map((server) => server.package);
  say(`installing ${packages.join(', ')} for ${purpose}`);
  const quiet = { stdio: ['ignore', 2, 2], env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } };
  if (spawnSync('apt-get', ['update'], quiet).status === 0) {
    spawnSync('apt-get', ['install', '-y', '--no-install-recommends', ...packages], quiet);
  }
  return absent(wanted);
}

function absent(wanted) {
  return wanted.filter((server) => !onPath(server.binary));
}

/** Debian keeps PostgreSQL's programs off the PATH, in one folder per version, and daemons off everybody's but root's. */
function onPath(binary) {
  const versions = '/usr/lib/postgresql';
  const debian = existsSync(versions)
    ? readdirSync(versions).map((version) => join(versions, version, 'bin'))
    : [];
  const folders = [...(process.env.PATH ?? '').split(delimiter).filter(Boolean), '/usr/sbin', ...debian];
  return folders.some((folder) => executable(join(folder, binary)));
}

function executable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

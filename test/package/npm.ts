import { realpathSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { type Ended, mustRun, run } from './workshop.ts';

/** The registry did not answer, so that nothing can be said about the package. */
export class RegistryAway extends Error {}

/** How npm says that it could not get through, or that it was told not to try. */
const away =
  /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|ENOTCACHED|ERR_SOCKET_TIMEOUT)\b/;

/** The program that runs npm, so that any Node can run the same one. */
async function npmProgram(): Promise<string> {
  const { npm_execpath: given } = process.env;
  if (given?.endsWith('npm-cli.js')) return given;
  const globally = (await mustRun('npm', ['root', '--global'], { cwd: '/' })).trim();
  return realpathSync(join(globally, 'npm', 'bin', 'npm-cli.js'));
}

const program = npmProgram();

/**
 * Runs npm by the given Node, in a folder. What is in npm's own cache is not asked for again.
 *
 * @throws RegistryAway when npm could not reach the registry.
 */
export async function npm(node: string, args: readonly string[], cwd: string): Promise<Ended> {
  const path = `${dirname(realpathSync(node))}${delimiter}${process.env.PATH ?? ''}`;
  const options = [
    '--no-audit',
    '--no-fund',
    '--prefer-offline',
    '--fetch-retries=1',
    '--fetch-retry-mintimeout=500',
  ];
  const ended = await run(node, [await program, ...args, ...options], {
    cwd,
    env: { ...withoutProject(process.env), PATH: path },
  });
  if (ended.code !== 0 && away.test(ended.stderr)) throw new RegistryAway(ended.stderr.trim());
  return ended;
}

/** What an npm that runs us says of its own project would be taken for ours by the one that we run. */
function withoutProject(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const foreign =
    /^npm_(config_(local_prefix|workspaces?|include_workspace_root|ignore_scripts)$|lifecycle_|package_)/i;
  return Object.fromEntries(Object.entries(env).filter(([name]) => !foreign.test(name)));
}

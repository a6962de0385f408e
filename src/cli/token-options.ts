import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { Fault, shapeOf } from '../core/fault.ts';

/** What {@link withToken} reads. */
export interface TokenFlags {
  readonly token?: string;
  readonly tokenFile?: string;
}

/** Adds the options that hand over a token of a service. */
export function withToken(command: Command, role: string): Command {
  return command
    .option('--token <token>', `a token with the role ${role}; other users of this machine can see it`)
    .option('--token-file <file>', 'a file that holds the token');
}

/**
 * The token that the options name, if any. Rejects with the system's own error when its file cannot be read, and with
 * `INPUT_INVALID` for what no header can carry, or where both name one.
 */
export async function tokenOf({ token, tokenFile }: TokenFlags): Promise<string | undefined> {
  if (token !== undefined && tokenFile !== undefined)
    throw new Fault('INPUT_INVALID', '--token and --token-file both name a token: leave one of them out');
  if (tokenFile !== undefined)
    return checkedToken('the file of --token-file', (await readFile(tokenFile, 'utf8')).trim());
  return token === undefined ? undefined : checkedToken('--token', token);
}

function checkedToken(where: string, token: string): string {
  if (/^[!-~]+$/.test(token)) return token;
  throw new Fault('INPUT_INVALID', `${where} must hold a token without spaces, got ${shapeOf(token)}`);
}

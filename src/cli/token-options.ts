import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';

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

/** The token that the options name, if any. Rejects with the system's own error when its file cannot be read. */
export async function tokenOf({ token, tokenFile }: TokenFlags): Promise<string | undefined> {
  return tokenFile === undefined ? token : (await readFile(tokenFile, 'utf8')).trim();
}

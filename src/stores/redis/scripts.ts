import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** A script that runs inside Redis: its text, and the hash that names it there. */
export interface Script {
  readonly text: string;
  readonly sha: string;
}

function scriptOf(text: string): Script {
  return { text, sha: createHash('sha1').update(text).digest('hex') };
}

/** Where its first key stands in a command that {@link callOf} begins. */
export const firstKeyAt = 3;

/** The command that runs a script by its hash, up to the first of so many keys. */
export function callOf(script: Script, keys: number): string[] {
  return ['EVALSHA', script.sha, String(keys)];
}

// Each file is named in full, for the build to put its text in the place of the call: a bundle has no files beside it.
export const commitScript = scriptOf(readFileSync(new URL('./commit.lua', import.meta.url), 'utf8'));
export const clockScript = scriptOf(readFileSync(new URL('./clock.lua', import.meta.url), 'utf8'));
export const countScript = scriptOf(readFileSync(new URL('./count.lua', import.meta.url), 'utf8'));
export const fingerprintScript = scriptOf(
  readFileSync(new URL('./fingerprint.lua', import.meta.url), 'utf8'),
);
export const takeBackScript = scriptOf(readFileSync(new URL('./take-back.lua', import.meta.url), 'utf8'));
export const setAsideScript = scriptOf(readFileSync(new URL('./set-aside.lua', import.meta.url), 'utf8'));

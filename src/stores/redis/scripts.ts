import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** A script that runs inside Redis: its text, and the hash that names it there. */
export interface Script {
  readonly text: string;
  readonly sha: string;
}

function load(file: string): Script {
  const text = readFileSync(new URL(file, import.meta.url), 'utf8');
  return { text, sha: createHash('sha1').update(text).digest('hex') };
}

/** Where its first key stands in a command that {@link callOf} begins. */
export const firstKeyAt = 3;

/** The command that runs a script by its hash, up to the first of so many keys. */
export function callOf(script: Script, keys: number): string[] {
  return ['EVALSHA', script.sha, String(keys)];
}

export const commitScript = load('./commit.lua');
export const clockScript = load('./clock.lua');
export const countScript = load('./count.lua');
export const fingerprintScript = load('./fingerprint.lua');
export const takeBackScript = load('./take-back.lua');
export const setAsideScript = load('./set-aside.lua');

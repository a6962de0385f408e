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

export const commitScript = load('./commit.lua');
export const clockScript = load('./clock.lua');
export const countScript = load('./count.lua');
export const fingerprintScript = load('./fingerprint.lua');
export const takeBackScript = load('./take-back.lua');
export const setAsideScript = load('./set-aside.lua');

import { readFileSync } from 'node:fs';

/** The version of the package. */
export function packageVersion(): string {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  return String(version);
}

import { existsSync, readFileSync } from 'node:fs';

const limitsFile = '/proc/self/limits';

/** How many files this process may have open; null where the system does not say, or sets no bound. */
export function mostOpenFiles(): number | null {
  return existsSync(limitsFile) ? openFilesIn(readFileSync(limitsFile, 'utf8')) : null;
}

/** @param limits as Linux tells them, a line for each */
export function openFilesIn(limits: string): number | null {
  const [, most] = /^Max open files\s+(\d+)\s/m.exec(limits) ?? [];
  return most === undefined ? null : Number(most);
}

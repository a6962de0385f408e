import { type LogFormatName, logFormatNames } from '../../../src/abuse/log-formats/log-entry.ts';
import { openLogFormat } from '../../../src/abuse/log-formats/log-format.ts';

/** What a line that tells of an attempt or a request says for a format, beside one that is merely well formed. */
const TOLD_WEIGHT = 4;

/** Every program writes JSON objects and dates; only what names itself is taken for a log of Kratos, also inside an object of Docker's. */
const ofKratos = /service_name\\?"?[=:] ?\\?"?Ory Kratos/;

/**
 * The format that understands the first lines of a log best; null when none does. nginx and Apache write the same and are
 * told as nginx.
 */
export function detectLogFormat(lines: readonly string[], writtenAt: number): LogFormatName | null {
  let best: { readonly name: LogFormatName; readonly weight: number } | null = null;
  for (const name of logFormatNames) {
    const weight = weightOf(name, lines, writtenAt);
    if (weight > (best?.weight ?? 0)) best = { name, weight };
  }
  return best?.name ?? null;
}

function weightOf(name: LogFormatName, lines: readonly string[], writtenAt: number): number {
  const log = openLogFormat(name, { writtenAt });
  let weight = 0;
  for (const line of lines) {
    const kind = log.read(line, () => {});
    if (kind === 'read' || kind === 'nameless') weight += TOLD_WEIGHT;
    else if (kind === 'other' && mayBe(name, line)) weight += 1;
  }
  return weight;
}

/** Whether a line about something else is one of this format, and not of any program. */
function mayBe(name: LogFormatName, line: string): boolean {
  if (name === 'kratos') return ofKratos.test(line);
  return name === 'sshd';
}

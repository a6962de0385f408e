import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../core/duration.ts';
import type { AttackResult, OwnerFate } from './stage.ts';

/** One attack of a drill and what it came to. */
export interface DrilledAttack extends AttackResult {
  readonly name: string;
  readonly says: string;
  readonly policy: string;
  readonly durationMs: number;
}

/** The report for a person: a table, and what its columns mean. */
export function reportText(drilled: readonly DrilledAttack[], missing: readonly string[]): string {
  const rows = [
    ['attack', 'over', 'guesses', 'first block', 'trusted', 'known', 'new', 'store ops', 'records'],
    ...drilled.map(({ name, durationMs, guesses, firstBlockMs, owners, store }) => [
      name,
      inWords(durationMs),
      `${guesses}`,
      firstBlockMs === null ? 'never' : `after ${inWords(firstBlockMs)}`,
      fate(owners.trusted),
      fate(owners.known),
      fate(owners.new),
      `${store.operations}`,
      `${store.records}`,
    ]),
  ];
  return [
    ...table(rows),
    '',
    'guesses: those that would have got in, had they been right. trusted, known, new: how often the owner of the attacked',
    'account was refused with the right credentials, by the device shown, of how many sign-ins.',
    ...missing.map((name) => `left out: ${name}`),
    '',
  ].join('\n');
}

const fate = ({ refused, attempts }: OwnerFate): string => `${refused}/${attempts}`;

export function inWords(ms: number): string {
  if (ms >= HOUR_MS) return `${Math.round(ms / (HOUR_MS / 10)) / 10} h`;
  if (ms >= MINUTE_MS) return `${Math.round(ms / (MINUTE_MS / 10)) / 10} min`;
  return `${Math.round(ms / (SECOND_MS / 10)) / 10} s`;
}

/** Names to the left, numbers to the right. */
export function table(rows: readonly (readonly string[])[]): string[] {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  return rows.map((row) =>
    row
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd(),
  );
}

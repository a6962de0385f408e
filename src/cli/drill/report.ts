import { spanText } from '../../core/span-text.ts';
import { textTable } from '../text-table.ts';
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
      spanText(durationMs),
      `${guesses}`,
      firstBlockMs === null ? 'never' : `after ${spanText(firstBlockMs)}`,
      fate(owners.trusted),
      fate(owners.known),
      fate(owners.new),
      `${store.operations}`,
      `${store.records}`,
    ]),
  ];
  return [
    ...textTable(rows),
    '',
    'guesses: those that would have got in, had they been right. trusted, known, new: how often the owner of the attacked',
    'account was refused with the right credentials, by the device shown, of how many sign-ins.',
    ...missing.map((name) => `left out: ${name}`),
    '',
  ].join('\n');
}

const fate = ({ refused, attempts }: OwnerFate): string => `${refused}/${attempts}`;

import { spanText } from '../../core/span-text.ts';
import { counted } from '../counted.ts';
import { visible } from '../visible.ts';
import { leftOutTexts, takenText } from './logged-notes.ts';
import { ruleWords, scopeWords } from './rule-words.ts';
import type { BlockedAddress, FirstBlock, LogNotes, Summary } from './summary.ts';
import { clockText } from './time-text.ts';

/** One sentence for a person on lines that were skipped; null when none was. */
export const skippedNote = ({ badLines }: { readonly badLines: number }): string | null =>
  badLines === 0 ? null : badLines === 1 ? '1 bad line was skipped' : `${badLines} bad lines were skipped`;

/** What was replayed, and by what. */
export interface ReplayedFile {
  /** A path, or `-` for standard input. */
  readonly file: string;
  readonly policy?: string;
}

/** The summary for a person, whole enough to stand in a report: what was replayed, by what, of which time, and what came of it. */
export function summaryText(summary: Summary, replayed: ReplayedFile): string {
  const { events, backwards, outcomes, rules, scopes, firstBlocks, blockedAddresses, log, logged } = summary;
  const notes = [
    ...noteIn(skippedNote(summary)),
    ...(backwards > 0 ? [`time went backwards ${counted(backwards, 'time')}`] : []),
  ];
  return [
    '',
    titleOf(replayed),
    ...periodLines(summary),
    `${counted(events, 'event')}${log === null ? '' : ` in ${counted(log.lines, 'line')}`}${notes.length > 0 ? ` (${notes.join('; ')})` : ''}`,
    ...(log === null ? [] : logLines(log, events)),
    ...(logged === null ? [] : [...leftOutTexts(logged), takenText(logged)]),
    ...table('outcome', outcomes, { events }),
    ...table('rule', rules, { words: ruleWords }),
    ...table('scope', scopes, { words: scopeWords }),
    ...blockLines(firstBlocks),
    ...addressLines([...blockedAddresses.values()]),
    ...chart(summary),
    '',
  ].join('\n');
}

function titleOf({ file, policy }: ReplayedFile): string {
  const input = file === '-' ? 'standard input' : visible(file);
  return `replay of ${input} by ${policy === undefined ? 'the built-in policies' : visible(policy)}`;
}

/** From the first event to the last one, where time went forwards only. */
function periodLines({ period }: Summary): string[] {
  if (period === null) return [];
  const { from, to } = period;
  return [from === to ? clockText(from) : `${clockText(from)} to ${clockText(to)}, ${spanText(to - from)}`];
}

interface Beside {
  /** What the counts are shares of; an event may have several reasons, so theirs are shares of nothing. */
  readonly events?: number;
  /** What the names mean. */
  readonly words?: Readonly<Record<string, string>>;
}

function table(title: string, counts: ReadonlyMap<string, number>, { events, words }: Beside): string[] {
  if (counts.size === 0) return [];
  const rows = [...counts].sort(([, a], [, b]) => b - a);
  const beside = (name: string, n: number) => {
    if (events !== undefined) return share(n, events).padStart(8);
    return words?.[name] === undefined ? '' : `  ${words[name]}`;
  };
  return [
    '',
    `by ${title}`,
    ...rows.map(([name, n]) => `  ${name.padEnd(16)}${String(n).padStart(10)}${beside(name, n)}`),
  ];
}

const share = (n: number, events: number): string => `${((100 * n) / Math.max(1, events)).toFixed(1)} %`;

/** Identifiers come from the file that is replayed; they are escaped, so that none can write to the terminal. */
function blockLines(blocks: readonly FirstBlock[]): string[] {
  if (blocks.length === 0) return [];
  const who = ({ account, ip }: FirstBlock) =>
    `${account === null ? '' : `account ${visible(account)} `}from ${visible(ip)}`;
  return [
    '',
    'first hard blocks',
    ...blocks.map(
      (block) =>
        `  line ${block.line}, ${clockText(block.t)}: ${who(block)} by ${block.rule} on ${block.scope}`,
    ),
  ];
}

const SHOWN_ADDRESSES = 20;

function addressLines(addresses: readonly BlockedAddress[]): string[] {
  if (addresses.length === 0) return [];
  const further = addresses.length - SHOWN_ADDRESSES;
  return [
    '',
    'addresses blocked, by their first block',
    ...addresses.slice(0, SHOWN_ADDRESSES).map(({ line, t, ip, rule, scope, level, blocks }) => {
      const often = blocks === 1 ? '' : `, ${blocks} times`;
      return `  ${clockText(t)}: ${visible(ip)} by ${rule} on ${scope}, level ${level} (line ${line})${often}`;
    }),
    ...(further > 0 ? [`  and ${further} more`] : []),
  ];
}

/** What of a log was not decided. */
function logLines(log: LogNotes, events: number): string[] {
  const { lines, unknown } = log;
  return [
    ...noteIn(log.idleNote(events)),
    ...noteIn(log.namelessNote()),
    ...(unknown.count > 0
      ? [
          `${unknown.count} of ${counted(lines, 'line')} ${unknown.count === 1 ? 'was' : 'were'} not understood and not counted`,
        ]
      : []),
    ...unknown.first.map(({ line, text }) => `  line ${line} ${text}`),
  ];
}

const noteIn = (note: string | null): string[] => (note === null ? [] : [note]);

const HEIGHT = 6;

/** Events over time: `·` allowed, `o` softly blocked, `#` blocked, from the ground up in that order. */
function chart({ timeline }: Summary): string[] {
  const { start, binMs, bins } = timeline.toJSON();
  const tallest = Math.max(0, ...bins.map((bin) => bin.ALLOW + bin.SOFT_BLOCK + bin.HARD_BLOCK));
  if (tallest === 0) return [];
  const cell = (value: number) => Math.round((value * HEIGHT) / tallest);
  const columns = bins.map((bin) => {
    const hard = cell(bin.HARD_BLOCK) || (bin.HARD_BLOCK > 0 ? 1 : 0);
    const soft = cell(bin.SOFT_BLOCK) || (bin.SOFT_BLOCK > 0 ? 1 : 0);
    const allow = cell(bin.ALLOW) || (bin.ALLOW > 0 ? 1 : 0);
    return '#'.repeat(hard) + 'o'.repeat(soft) + '·'.repeat(allow);
  });
  const height = Math.max(...columns.map((column) => column.length));
  const rows = Array.from({ length: height }, (_, row) => {
    const level = height - 1 - row;
    return `  |${columns.map((column) => column[level] ?? ' ').join('')}`.trimEnd();
  });
  const span = `  +${'-'.repeat(bins.length)}  from ${clockText(start)}, ${spanText(binMs)} a column`;
  const title = `over time (# hard, o soft, · allowed), ${counted(tallest, 'event')} in the tallest column`;
  return ['', title, ...rows, span];
}

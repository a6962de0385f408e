import { visible } from '../visible.ts';
import { leftOutTexts, takenText } from './logged-notes.ts';
import type { BlockedAddress, FirstBlock, LogNotes, Summary } from './summary.ts';

/** One sentence for a person on lines that were skipped; null when none was. */
export const skippedNote = ({ badLines }: { readonly badLines: number }): string | null =>
  badLines === 0 ? null : badLines === 1 ? '1 bad line was skipped' : `${badLines} bad lines were skipped`;

/** The summary for a person. */
export function summaryText(summary: Summary): string {
  const { events, backwards, outcomes, rules, scopes, firstBlocks, blockedAddresses, log, logged } = summary;
  const notes = [
    ...noteIn(skippedNote(summary)),
    ...(backwards > 0 ? [`time went backwards ${backwards} times`] : []),
  ];
  return [
    '',
    `${events} events${log === null ? '' : ` in ${log.lines} lines`}${notes.length > 0 ? ` (${notes.join('; ')})` : ''}`,
    ...(log === null ? [] : logLines(log, events)),
    ...(logged === null ? [] : [...leftOutTexts(logged), takenText(logged)]),
    ...table('outcome', outcomes, events),
    ...table('rule', rules),
    ...table('scope', scopes),
    ...blockLines(firstBlocks),
    ...addressLines([...blockedAddresses.values()]),
    ...chart(summary),
    '',
  ].join('\n');
}

/** @param events what the counts are shares of; an event may have several reasons, so theirs are shares of nothing */
function table(title: string, counts: ReadonlyMap<string, number>, events?: number): string[] {
  if (counts.size === 0) return [];
  const rows = [...counts].sort(([, a], [, b]) => b - a);
  return [
    '',
    `by ${title}`,
    ...rows.map(
      ([name, n]) =>
        `  ${name.padEnd(16)}${String(n).padStart(10)}${events === undefined ? '' : share(n, events).padStart(8)}`,
    ),
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
    ...(unknown.count > 0 ? [`${unknown.count} of ${lines} lines were not understood and not counted`] : []),
    ...unknown.first.map(({ line, text }) => `  line ${line} ${text}`),
  ];
}

const noteIn = (note: string | null): string[] => (note === null ? [] : [note]);

/** A date where the time is one of our days, else the bare offset. */
export function clockText(t: number): string {
  const year2000 = 946_684_800_000;
  return t >= year2000 ? new Date(t).toISOString() : `t = ${t} ms`;
}

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
  const span = `  +${'-'.repeat(bins.length)}  ${clockText(start)}, ${binMs / 1_000} s a column`;
  return ['', 'over time (# hard, o soft, · allowed)', ...rows, span];
}

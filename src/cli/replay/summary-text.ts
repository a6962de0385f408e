import type { FirstBlock, Summary } from './summary.ts';

/** The summary for a person. */
export function summaryText(summary: Summary): string {
  const { events, badLines, backwards, outcomes, rules, scopes, firstBlocks } = summary;
  const notes = [
    ...(badLines > 0 ? [`${badLines} bad lines were skipped`] : []),
    ...(backwards > 0 ? [`time went backwards ${backwards} times`] : []),
  ];
  return [
    '',
    `${events} events${notes.length > 0 ? ` (${notes.join('; ')})` : ''}`,
    ...table('outcome', outcomes, events),
    ...table('rule', rules, events),
    ...table('scope', scopes, events),
    ...blockLines(firstBlocks),
    ...chart(summary),
    '',
  ].join('\n');
}

function table(title: string, counts: ReadonlyMap<string, number>, events: number): string[] {
  if (counts.size === 0) return [];
  const rows = [...counts].sort(([, a], [, b]) => b - a);
  return [
    '',
    `by ${title}`,
    ...rows.map(
      ([name, n]) => `  ${name.padEnd(16)}${String(n).padStart(10)}${share(n, events).padStart(8)}`,
    ),
  ];
}

const share = (n: number, events: number): string => `${((100 * n) / Math.max(1, events)).toFixed(1)} %`;

/** Identifiers come from the file that is replayed; they are escaped, so that none can write to the terminal. */
function blockLines(blocks: readonly FirstBlock[]): string[] {
  if (blocks.length === 0) return [];
  const who = ({ account, ip }: FirstBlock) =>
    `${account === null ? '' : `account ${JSON.stringify(account)} `}from ${JSON.stringify(ip)}`;
  return [
    '',
    'first hard blocks',
    ...blocks.map(
      (block) => `  line ${block.line}, ${clock(block.t)}: ${who(block)} by ${block.rule} on ${block.scope}`,
    ),
  ];
}

/** A date where the time is one of our days, else the bare offset. */
function clock(t: number): string {
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
  const span = `  +${'-'.repeat(bins.length)}  ${clock(start)}, ${binMs / 1_000} s a column`;
  return ['', 'over time (# hard, o soft, · allowed)', ...rows, span];
}

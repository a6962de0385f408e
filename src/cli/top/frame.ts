import type { Outcome } from '../../core/decision.ts';
import { harmlessWords } from './event-words.ts';
import type { LiveView, Rates } from './live-view.ts';

const outcomes: readonly Outcome[] = ['ALLOW', 'SOFT_BLOCK', 'HARD_BLOCK'];
const blocks = '▁▂▃▄▅▆▇█';
const TOP_NAMES = 6;
const WIDEST_CHART = 60;
const FEWEST_EVENTS = 3;

const invert = (text: string): string => `\u001b[7m${text}\u001b[27m`;
const bold = (text: string): string => `\u001b[1m${text}\u001b[22m`;

/** One line of the screen: its text, and how it is set off. */
interface Row {
  readonly text: string;
  readonly style?: (text: string) => string;
}

/** The screen as lines: never more than `rows`, none longer than `columns`. */
export function frameOf(view: LiveView, url: string, columns: number, rows: number): string[] {
  const first = [...banner(view, url), ...rateRows(view, columns), ...blockRows(view)];
  const names = nameRows(view);
  // On a low screen the newest events say more than the names that were counted.
  const head = first.length + names.length + FEWEST_EVENTS + 2 <= rows ? [...first, ...names] : first;
  const room = Math.max(0, rows - head.length - 2);
  const events = room === 0 ? [] : view.lines.slice(-room).map((text): Row => ({ text }));
  const all: Row[] = [...head, { text: '' }, { text: titleOf(view), style: bold }, ...events];
  return all.slice(0, rows).map(({ text, style }) => {
    const cut = cutTo(text, columns);
    return style === undefined ? cut : style(cut);
  });
}

function titleOf({ hidden }: LiveView): string {
  return hidden === 0 ? 'events (q quits)' : `events (${hidden} left out by the service; q quits)`;
}

/** A mode that is not normal, and a service that does not answer, cannot be overlooked. */
function banner({ status, trouble }: LiveView, url: string): Row[] {
  const about =
    status === null
      ? 'waiting for the service'
      : `${harmlessWords(status.version)}, ${harmlessWords(status.environment)}, store ${harmlessWords(status.store)}`;
  const rows: Row[] = [{ text: `portcullis ${about}, ${url}`, style: bold }];
  if (trouble !== null) rows.push({ text: ` ${harmlessWords(trouble)} `, style: invert });
  if (status === null) return rows;
  if (!status.storeAnswers) rows.push({ text: ' THE STORE DOES NOT ANSWER ', style: invert });
  if (status.draining) rows.push({ text: ' the service is draining ', style: invert });
  for (const { policy, mode } of status.modes) {
    if (mode !== 'NORMAL')
      rows.push({ text: ` ${harmlessWords(policy)}: ${harmlessWords(mode)} `, style: invert });
  }
  return rows;
}

function rateRows({ rate, rates }: LiveView, columns: number): Row[] {
  const width = Math.max(0, Math.min(WIDEST_CHART, columns - 30));
  return [
    { text: '' },
    { text: 'decisions/s', style: bold },
    ...outcomes.map((outcome) => ({
      text: `  ${outcome.padEnd(12)}${rateText(rate[outcome]).padStart(9)}  ${chartOf(rates, outcome, width)}`,
    })),
  ];
}

const rateText = (rate: number): string =>
  rate >= 100 ? Math.round(rate).toLocaleString('en') : rate.toFixed(1);

function chartOf(rates: readonly Rates[], outcome: Outcome, width: number): string {
  if (width === 0) return '';
  const values = rates.slice(-width).map((rate) => rate[outcome]);
  const most = Math.max(...values, 1e-9);
  return values
    .map((value) => (value === 0 ? ' ' : (blocks[Math.min(7, Math.floor((value / most) * 8))] ?? ' ')))
    .join('');
}

function blockRows({ blocks: active }: LiveView): Row[] {
  if (active === null) return [];
  const { hard, soft, scopes, more } = active;
  const by = [...scopes]
    .sort(([, a], [, b]) => b - a)
    .map(([scope, count]) => `${harmlessWords(scope)} ${count}`);
  const plus = more ? '+' : '';
  return [
    { text: '' },
    {
      text: `active blocks  ${hard}${plus} hard, ${soft}${plus} soft${by.length > 0 ? `  (${by.join(', ')})` : ''}`,
    },
  ];
}

/** Rules and scopes beside each other. */
function nameRows({ rules, scopes }: LiveView): Row[] {
  const left = topOf(rules);
  const right = topOf(scopes);
  if (left.length + right.length === 0) return [];
  const rows = Array.from({ length: Math.max(left.length, right.length) }, (_, at) => ({
    text: `  ${(left[at] ?? '').padEnd(36)}  ${right[at] ?? ''}`.trimEnd(),
  }));
  return [{ text: '' }, { text: `${'top rules'.padEnd(38)}  top scopes`, style: bold }, ...rows];
}

function topOf(counts: ReadonlyMap<string, number>): string[] {
  return [...counts]
    .sort(([, a], [, b]) => b - a)
    .slice(0, TOP_NAMES)
    .map(([name, count]) => `${harmlessWords(name).slice(0, 24).padEnd(24)}${String(count).padStart(10)}`);
}

/** Texts are clean and of characters that take one column. */
function cutTo(text: string, columns: number): string {
  const characters = [...text];
  return characters.length <= columns ? text : `${characters.slice(0, Math.max(0, columns - 1)).join('')}…`;
}

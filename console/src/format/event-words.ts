import { type FeedLine, numberOf, textOf } from '../feed/feed-line.ts';
import { count } from './number.ts';

type Tell = (line: FeedLine) => string;

const text = (line: FeedLine, field: string): string => textOf(line[field]) ?? '?';

const tellers: Readonly<Record<string, Tell>> = {
  mode: (line) => `${text(line, 'policy')} went from ${text(line, 'from')} to ${text(line, 'to')}`,
  breaker: (line) => `The breaker of ${text(line, 'policy')} has ${text(line, 'what')}`,
  critical: (line) => `${text(line, 'policy')} is shut: the store keeps failing`,
  audit: (line) => `${text(line, 'by')} ${text(line, 'what')} a block: ${text(line, 'why')}`,
  degradedEpoch: (line) =>
    `${text(line, 'policy')} decides on the store again; ${count(numberOf(line.admitted))} were let through meanwhile`,
  config: (line) => `Configuration: ${textOf(line.what) ?? textOf(line.message) ?? 'read anew'}`,
  corrupt: (line) => `A record of ${textOf(line.policy) ?? 'the operators'} could not be read`,
  gap: (line) =>
    numberOf(line.missed) > 0
      ? `${count(numberOf(line.missed))} events were missed while the feed was away`
      : 'Events were missed while the feed was away',
  dropped: () => 'This console was too slow for the feed and starts again',
  loop: (line) =>
    `A loop of calls was refused by ${text(line, 'reporter')}: request ${text(line, 'requestId')}`,
  pin: (line) => `Pin ${textOf(line.name) ?? ''} ${textOf(line.what) ?? ''}`.trim(),
};

/** A rare event in a sentence; one that the console does not know, by its name. */
export function eventWords(line: FeedLine): string {
  return tellers[line.type]?.(line) ?? line.type;
}

import { type FeedLine, isObject, numberOf, textOf } from '../feed/feed-line.ts';
import { isAboutPin } from './audit-words.ts';
import { count, counted } from './number.ts';
import { pinWords } from './pin-words.ts';

type Tell = (line: FeedLine) => string;

const text = (line: FeedLine, field: string): string => textOf(line[field]) ?? '?';

const tellers: Readonly<Record<string, Tell>> = {
  mode: (line) => `${text(line, 'policy')} went from ${text(line, 'from')} to ${text(line, 'to')}`,
  breaker: (line) => `The breaker of ${text(line, 'policy')} has ${text(line, 'what')}`,
  critical: (line) => `${text(line, 'policy')} is shut: the store keeps failing`,
  audit: tellAct,
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
  pin: tellPins,
};

/** The record of an act calls what it is about a block, also where it is a pin or a device. */
function tellAct(line: FeedLine): string {
  const what = text(line, 'what');
  const unpinned = what === 'removed' ? 'a device' : 'a block';
  const about = isAboutPin(what) ? pinWords(text(line, 'block')) : unpinned;
  const done =
    line.unsure === true ? `may have ${what} ${about}, or not, for the store failed` : `${what} ${about}`;
  return `${text(line, 'by')} ${done}: ${text(line, 'why')}`;
}

const NAMED_PINS = 3;

/** The feed tells of all pins that hold, whichever has come or gone. */
function tellPins({ pins }: FeedLine): string {
  const names = Array.isArray(pins) ? pins.filter(isObject).map(({ id }) => pinWords(textOf(id) ?? '?')) : [];
  if (names.length === 0) return 'No pin holds any more';
  const unnamed = names.length - NAMED_PINS;
  const named = names.slice(0, NAMED_PINS).concat(unnamed > 0 ? [`and ${count(unnamed)} more`] : []);
  return `${counted(names.length, 'pin')} ${names.length === 1 ? 'holds' : 'hold'} now: ${named.join('; ')}`;
}

/** A rare event in a sentence; one that the console does not know, by its name. */
export function eventWords(line: FeedLine): string {
  return tellers[line.type]?.(line) ?? line.type;
}

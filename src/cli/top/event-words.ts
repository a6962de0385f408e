import { visible } from '../visible.ts';
import { type Fields, fieldsOf, listIn, numberIn, textIn } from './service-status.ts';

/** One event of the feed in one line of words. Texts are the service's; they are cleaned all the same. */
export function eventWords(event: Fields): string {
  const type = textIn(event.type);
  const wordsFor = Object.hasOwn(wordsOf, type) ? wordsOf[type] : undefined;
  return harmlessWords(`${clockOf(numberIn(event.t))} ${type.padEnd(9)} ${(wordsFor ?? otherWords)(event)}`);
}

type Words = (event: Fields) => string;

const wordsOf: Readonly<Record<string, Words>> = {
  decision: ({ op, policy, decision }) => {
    const { outcome, level, rule, scope } = fieldsOf(decision);
    const why =
      rule === null || rule === undefined
        ? ''
        : ` by ${textIn(rule)} on ${textIn(scope)}, level ${numberIn(level)}`;
    return `${textIn(policy)} ${textIn(op)}: ${textIn(outcome)}${why}`;
  },
  block: ({ policy, reasons }) => `${textIn(policy)}: ${reasonWords(reasons)}`,
  mode: ({ policy, from, to }) => `${textIn(policy)}: ${textIn(from)} → ${textIn(to)}`,
  breaker: ({ policy, what }) => `${textIn(policy)}: breaker ${textIn(what)}`,
  critical: ({ policy, what }) => `${textIn(policy)}: ${textIn(what)}: nobody passes for a while`,
  limit: ({ what, rule, route, by, shadow }) =>
    `${textIn(what)} ${textIn(rule) || textIn(by)} ${textIn(route)}${shadow === true ? ' (shadow)' : ''}`.trimEnd(),
  audit: ({ what, by, why, unsure }) =>
    `${textIn(what)}${unsure === true ? ' or not, the store failed,' : ''} by ${textIn(by)}: ${textIn(why)}`,
  pin: ({ pins }) => {
    const names = listIn(pins).map(({ id }) => textIn(id));
    return names.length === 0 ? 'none holds any more' : `holding now: ${names.join(', ')}`;
  },
  sampled: ({ shown, hidden }) => {
    const left = Object.values(fieldsOf(hidden)).reduce((sum: number, count) => sum + numberIn(count), 0);
    return `${left} events of one second were left out, ${numberIn(shown)} shown`;
  },
};

function reasonWords(reasons: unknown): string {
  return listIn(reasons)
    .map(({ rule, scope, level }) => `${textIn(rule)} on ${textIn(scope)}, level ${numberIn(level)}`)
    .join('; ');
}

/** Plain fields of an event that has no words of its own. */
function otherWords(event: Fields): string {
  return Object.entries(event)
    .filter(([name, value]) => !['seq', 't', 'type', 'at'].includes(name) && typeof value !== 'object')
    .map(([name, value]) => `${name} ${String(value)}`)
    .join(', ');
}

/** Nothing that a terminal would act on. */
export function harmlessWords(text: string): string {
  return visible(text, 400)
    .replace(/^"|"…?$/g, '')
    .replaceAll('\\"', '"');
}

function clockOf(t: number): string {
  return t > 0 && t <= 8.64e15 ? new Date(t).toISOString().slice(11, 23) : '--:--:--.---';
}

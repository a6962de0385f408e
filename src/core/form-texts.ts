import type { Bucket } from './bucket.ts';
import type { Budget } from './budget.ts';
import type { AskedWindow } from './client-state.ts';
import { cleanStanding, type Standing } from './standing.ts';
import type { AccountDevice, BookEntry } from './state.ts';
import type { WatchedWindow } from './watch.ts';
import type { Window } from './window.ts';

/*
 * The parts of a record as text, each with its name and a comma in front, or nothing where it is as in a new record. `at` is
 * the time inside the record. All other times are told by how long they lie before it: most lie near, and a short number
 * is written in a fraction of the time.
 */

const numberText = (name: string, number: number): string => (number === 0 ? '' : `,"${name}":${number}`);

/** A time that is 0 where there is none. */
export const timeText = (name: string, time: number, at: number): string =>
  time === 0 ? '' : `,"${name}":${at - time}`;

/** A time that is null where there is none. */
export const momentText = (name: string, time: number | null, at: number): string =>
  time === null ? '' : `,"${name}":${at - time}`;

export function timesText(name: string, times: readonly number[], at: number): string {
  const { length } = times;
  if (length === 0) return '';
  let list = `${at - (times[0] as number)}`;
  for (let place = 1; place < length; place += 1) list += `,${at - (times[place] as number)}`;
  return `,"${name}":[${list}]`;
}

export function standingText(standing: Standing, at: number): string {
  if (standing === cleanStanding) return '';
  const { score, scoreAt, softLevel, softUntil, hardLevel, hardAt, hardUntil, memory } = standing;
  const soft = numberText('softLevel', softLevel) + timeText('softUntil', softUntil, at);
  const hard = numberText('hardLevel', hardLevel) + momentText('hardAt', hardAt, at);
  const rest = timeText('hardUntil', hardUntil, at) + numberText('memory', memory);
  return `,"standing":{"score":${score}${timeText('scoreAt', scoreAt, at)}${soft}${hard}${rest}}`;
}

export const bucketText = ({ tatMs, tatUnits }: Bucket, at: number): string =>
  tatMs === 0 && tatUnits === 0 ? '' : `,"bucket":[${at - tatMs},${tatUnits}]`;

/** The latest entry: since when, its cost, and the cost of all. Then those before it, times and costs by turns. */
export function askedText({ asked, askingAt, asking, askedTotal }: AskedWindow, at: number): string {
  const hasNone = askingAt === 0 && asking === 0 && askedTotal === 0;
  const latest = hasNone ? '' : `,"asking":[${at - askingAt},${asking},${askedTotal}]`;
  let list = '';
  for (let place = 0; place < asked.length; place += 2)
    list += `${list === '' ? '' : ','}${at - (asked[place] as number)},${asked[place + 1]}`;
  return list === '' ? latest : `${latest},"asked":[${list}]`;
}

/** Ids and times by turns. */
export function windowText(name: string, window: Window, at: number): string {
  let list = '';
  for (const { id, at: seenAt } of window) list += `${list === '' ? '' : ','}${idText(id)},${at - seenAt}`;
  return list === '' ? '' : `,"${name}":[${list}]`;
}

export function watchedText(
  name: string,
  { id, at: seenAt, others, watchUntil }: WatchedWindow,
  at: number,
): string {
  if (id === null) return momentText(`${name}WatchUntil`, watchUntil, at);
  let list = `${idText(id)},${at - seenAt}`;
  for (const other of others ?? []) list += `,${idText(other.id)},${at - other.at}`;
  return `,"${name}":[${list}]${momentText(`${name}WatchUntil`, watchUntil, at)}`;
}

export function budgetText(budget: Budget, at: number): string {
  const { failures, epochStart, cooldownUntil, softUntil, guarded } = budget;
  const times = timesText('failures', failures, at) + momentText('epochStart', epochStart, at);
  const ends = timeText('cooldownUntil', cooldownUntil, at) + timeText('softUntil', softUntil, at);
  const parts = times + ends;
  return parts === '' && !guarded ? '' : `,"budget":{"guarded":${guarded}${parts}}`;
}

export function devicesText(devices: readonly AccountDevice[], at: number): string {
  let list = '';
  for (const { id, standing, failures } of devices) {
    const parts = standingText(standing, at) + timesText('failures', failures, at);
    list += `${list === '' ? '' : ','}{"id":${idText(id)}${parts}}`;
  }
  return list === '' ? '' : `,"devices":[${list}]`;
}

export function bookText(devices: readonly BookEntry[], at: number): string {
  let list = '';
  for (const { id, was, bound, usedAt } of devices) {
    const ids = was === undefined ? idText(id) : `${idText(id)},"was":${idText(was)}`;
    list += `${list === '' ? '' : ','}{"id":${ids},"bound":${bound},"usedAt":${at - usedAt}}`;
  }
  return list === '' ? '' : `,"devices":[${list}]`;
}

const plain = /^[\w-]*$/;

/** Hashes are plain; what a host takes for one may not be. */
const idText = (id: string): string => (plain.test(id) ? `"${id}"` : JSON.stringify(id));

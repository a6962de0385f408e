import { type Bucket, fullBucket } from './bucket.ts';
import { type Budget, makeBudget } from './budget.ts';
import type { AskedWindow } from './client-state.ts';
import { Fault, shapeOf } from './fault.ts';
import type { Draft } from './records.ts';
import { cleanStanding, type Standing } from './standing.ts';
import type { AccountDevice, BookEntry } from './state.ts';
import { type WatchedWindow, watchedWindow } from './watch.ts';
import type { Window } from './window.ts';

/** What a text of a record says, by name. */
export type Fields = Readonly<Record<string, unknown>>;

/*
 * The parts of a record out of what its text says, each as it was written by `form-texts.ts`. They are read strictly: a
 * number that is none would decide something much later.
 */

function corrupt(name: string, value: unknown): Fault {
  return new Fault('RECORD_CORRUPT', `A stored record has ${shapeOf(value)} as its ${name}.`);
}

export function numberIn(name: string, value: unknown): number {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
  throw corrupt(name, value);
}

function fieldsIn(name: string, value: unknown): Fields {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields;
  throw corrupt(name, value);
}

function listIn(name: string, value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw corrupt(name, value);
}

function idIn(name: string, value: unknown): string {
  if (typeof value === 'string') return value;
  throw corrupt(name, value);
}

function flagIn(name: string, value: unknown): boolean {
  if (typeof value === 'boolean') return value;
  throw corrupt(name, value);
}

const countIn = (name: string, value: unknown): number => (value === undefined ? 0 : numberIn(name, value));

/** A time that is 0 where there is none. */
export const timeIn = (name: string, value: unknown, at: number): number =>
  value === undefined ? 0 : at - numberIn(name, value);

/** A time that is null where there is none. */
export const momentIn = (name: string, value: unknown, at: number): number | null =>
  value === undefined ? null : at - numberIn(name, value);

export const timesIn = (name: string, value: unknown, at: number): number[] =>
  value === undefined ? [] : listIn(name, value).map((item) => at - numberIn(name, item));

export function standingIn(value: unknown, at: number): Standing {
  if (value === undefined) return cleanStanding;
  const { score, scoreAt, softLevel, softUntil, hardLevel, hardAt, hardUntil, memory } = fieldsIn(
    'standing',
    value,
  );
  return {
    score: numberIn('score', score),
    scoreAt: timeIn('scoreAt', scoreAt, at),
    softLevel: countIn('softLevel', softLevel),
    softUntil: timeIn('softUntil', softUntil, at),
    hardLevel: countIn('hardLevel', hardLevel),
    hardAt: momentIn('hardAt', hardAt, at),
    hardUntil: timeIn('hardUntil', hardUntil, at),
    memory: countIn('memory', memory),
  };
}

export function bucketIn(value: unknown, at: number): Bucket {
  if (value === undefined) return fullBucket;
  const [tatMs, tatUnits] = listIn('bucket', value);
  return { tatMs: at - numberIn('bucket', tatMs), tatUnits: numberIn('bucket', tatUnits) };
}

export function askedIn(asking: unknown, asked: unknown, at: number): AskedWindow {
  const [since, cost, total] = asking === undefined ? [at, 0, 0] : listIn('asking', asking);
  const entries = asked === undefined ? [] : listIn('asked', asked);
  const before: number[] = [];
  for (let place = 0; place < entries.length; place += 2)
    before.push(at - numberIn('asked', entries[place]), numberIn('asked', entries[place + 1]));
  return {
    asked: before,
    askingAt: at - numberIn('asking', since),
    asking: numberIn('asking', cost),
    askedTotal: numberIn('asking', total),
  };
}

export function windowIn(name: string, value: unknown, at: number): Draft<Window> {
  if (value === undefined) return [];
  const list = listIn(name, value);
  const window: Draft<Window> = [];
  for (let place = 0; place < list.length; place += 2)
    window.push({ id: idIn(name, list[place]), at: at - numberIn(name, list[place + 1]) });
  return window;
}

export function watchedIn(name: string, value: unknown, watchUntil: unknown, at: number): WatchedWindow {
  return watchedWindow(windowIn(name, value, at), momentIn(name, watchUntil, at));
}

export function budgetIn(value: unknown, at: number): Budget {
  if (value === undefined) return makeBudget();
  const { failures, epochStart, cooldownUntil, softUntil, guarded } = fieldsIn('budget', value);
  return {
    failures: timesIn('budget', failures, at),
    epochStart: momentIn('budget', epochStart, at),
    cooldownUntil: timeIn('budget', cooldownUntil, at),
    softUntil: timeIn('budget', softUntil, at),
    guarded: flagIn('budget', guarded),
  };
}

export function devicesIn(value: unknown, at: number): AccountDevice[] {
  if (value === undefined) return [];
  return listIn('devices', value).map((item) => {
    const { id, standing, failures } = fieldsIn('devices', item);
    return {
      id: idIn('devices', id),
      standing: standingIn(standing, at),
      failures: timesIn('devices', failures, at),
    };
  });
}

/** Pins are kept as they are; here is what everybody who goes by them relies on. */
export const pinsIn = (value: unknown): readonly Fields[] =>
  listIn('pins', value).map((item) => {
    const pin = fieldsIn('pins', item);
    for (const name of ['id', 'kind', 'by', 'why']) idIn('pins', pin[name]);
    for (const name of ['from', 'until']) numberIn('pins', pin[name]);
    if (pin.kind === 'limit') assertPinnedLimit(pin);
    return pin;
  });

function assertPinnedLimit({ ratePerSecond, burst }: Fields): void {
  if (typeof ratePerSecond !== 'number') throw corrupt('pins', ratePerSecond);
  if (burst !== null && typeof burst !== 'number') throw corrupt('pins', burst);
}

/** What operators did, as it is kept. */
export const actsIn = (value: unknown): readonly Fields[] => listIn('acts', value).map(actIn);

/** What they were about to do; absent before such acts were kept. */
export const openActsIn = (value: unknown): readonly Fields[] =>
  value === undefined
    ? []
    : listIn('open', value).map((item) => {
        const open = fieldsIn('open', item);
        idIn('open', open.turn);
        actIn(open.act);
        return open;
      });

function actIn(value: unknown): Fields {
  const act = fieldsIn('acts', value);
  numberIn('acts', act.at);
  for (const name of ['what', 'block', 'by', 'why']) idIn('acts', act[name]);
  return act;
}

export function bookIn(value: unknown, at: number): BookEntry[] {
  if (value === undefined) return [];
  return listIn('devices', value).map((item) => {
    const { id, was, bound, usedAt } = fieldsIn('devices', item);
    return {
      id: idIn('devices', id),
      ...(was !== undefined && { was: idIn('devices', was) }),
      bound: flagIn('devices', bound),
      usedAt: at - numberIn('devices', usedAt),
    };
  });
}

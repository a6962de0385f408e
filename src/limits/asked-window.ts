import type { AskedWindow } from '../core/client-state.ts';
import { isWithin } from '../core/times.ts';
import { askedWindowMs } from './allowance.ts';

const none: readonly number[] = [];

/** A window in which nothing was asked for. */
export const nothingAsked: Readonly<AskedWindow> = { asked: none, askingAt: 0, asking: 0, askedTotal: 0 };

/** Costs that come this soon after each other share one entry of the window, so that a flood makes few entries. */
const sharedMs = 100;
/** The same while little was asked for, when nothing depends on the exact time: a twentieth of what is too much. */
const sharedWhileLittleMs = 1_000;
const littleShare = 1 / 20;
/** The same while it is far from too much: whoever asks for all that its limit allows is at a tenth of that. */
const sharedWhileFarMs = 250;
const farShare = 1 / 4;

/** Adds the cost, and says whether that makes more than `most` within the window. */
export function noteAsked(window: AskedWindow, milli: number, now: number, most: number): boolean {
  if (noteAskedShort(window, milli, now, most)) return false;
  addAsked(window, milli, now, !isLatestShared(window, now, most) && milli > 0);
  return window.askedTotal > most;
}

/**
 * Adds the cost where that changes no more than the latest entry and is not too much; else nothing, and false. Entries that
 * have left the window make the total too high at worst: while that is not too much, they need not be sought.
 */
export function noteAskedShort(window: AskedWindow, milli: number, now: number, most: number): boolean {
  if (window.askedTotal + milli > most || !isLatestShared(window, now, most)) return false;
  window.asking += milli;
  window.askedTotal += milli;
  return true;
}

function isLatestShared({ asking, askingAt, askedTotal }: AskedWindow, now: number, most: number): boolean {
  return asking > 0 && now < askingAt + sharedAt(askedTotal, most);
}

/** For how long an entry is shared. */
function sharedAt(askedTotal: number, most: number): number {
  if (askedTotal <= most * littleShare) return sharedWhileLittleMs;
  return askedTotal <= most * farShare ? sharedWhileFarMs : sharedMs;
}

/** Drops what is older than the window, then adds the cost. */
function addAsked(window: AskedWindow, milli: number, now: number, opens: boolean): void {
  if (window.asking > 0 && !isWithin(window.askingAt, now, askedWindowMs)) forgetAsked(window);
  const stale = staleLength(window, now);
  const closed = opens && window.asking > 0;
  if (stale > 0 || closed) window.asked = moved(window, stale, closed);
  if (opens) {
    window.askingAt = now;
    window.asking = 0;
  }
  window.asking += milli;
  window.askedTotal += milli;
}

/** Whether anything was asked for within the window. */
export function hasAsked({ askingAt }: Readonly<AskedWindow>, now: number): boolean {
  return isWithin(askingAt, now, askedWindowMs);
}

export function forgetAsked(window: AskedWindow): void {
  window.asked = none;
  window.askingAt = 0;
  window.asking = 0;
  window.askedTotal = 0;
}

/** The numbers at the head of the list that are out of the window; their cost is taken off the total. */
function staleLength(window: AskedWindow, now: number): number {
  const { asked } = window;
  let stale = 0;
  while (stale < asked.length && !isWithin(asked[stale] ?? 0, now, askedWindowMs)) {
    window.askedTotal -= asked[stale + 1] ?? 0;
    stale += 2;
  }
  return stale;
}

/** The list without its stale head, and with the latest entry where that is closed. */
function moved({ asked, askingAt, asking }: AskedWindow, stale: number, closed: boolean): readonly number[] {
  if (!closed) return asked.slice(stale);
  if (stale === 0) return [...asked, askingAt, asking];
  // Mostly one entry leaves as one comes: a copy that is shifted in place never grows beyond its size.
  const next = asked.slice(stale - 2);
  for (let index = 2; index < next.length; index += 1) next[index - 2] = next[index] as number;
  next[next.length - 2] = askingAt;
  next[next.length - 1] = asking;
  return next;
}

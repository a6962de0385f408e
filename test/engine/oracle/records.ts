/** The oracle's records: plain objects in plain maps, keyed by raw text. */

export const second = 1000;
export const minute = 60 * second;
export const hour = 60 * minute;
export const day = 24 * hour;

/** What every key that can be scored or blocked remembers. */
export interface Penalty {
  score: number;
  scoreAt: number;
  softUntil: number;
  softLevel: number;
  hardFrom: number | undefined;
  hardUntil: number;
  hardLevel: number;
  memory: number;
}

export interface Seen {
  readonly id: string;
  at: number;
}

/** A sliding window of distinct things, with the flag of its near-threshold watch. */
export interface Window {
  entries: Seen[];
  flagUntil: number;
}

export interface DeviceEntry extends Penalty {
  readonly id: string;
  failures: number[];
}

export interface Budget {
  times: number[];
  epochStart: number | undefined;
  cooldownUntil: number;
  softUntil: number;
  guardUsed: boolean;
}

export interface AccountRecord extends Penalty {
  at: number;
  devices: DeviceEntry[];
  newDevices: number[];
  lastMissing: number | undefined;
  rotation: Window;
  rotations: number[];
  flood: Window;
  floodUntil: number;
  softs: number[];
  budget: Budget;
}

export interface BookEntry {
  readonly id: string;
  bound: boolean;
  usedAt: number;
}

export interface BookRecord {
  at: number;
  entries: BookEntry[];
}

/** K1, K2, K3, D, P48, P40 and P32 alike: each uses the part that its rules need. */
export interface NetRecord extends Penalty {
  at: number;
  window: Window;
  accounts: Window;
  newDevices: number[];
  newAgents: number[];
  firstDilution: number | undefined;
  tat: number;
}

export function freshPenalty(): Penalty {
  return {
    score: 0,
    scoreAt: 0,
    softUntil: 0,
    softLevel: 0,
    hardFrom: undefined,
    hardUntil: 0,
    hardLevel: 0,
    memory: 0,
  };
}

function freshWindow(): Window {
  return { entries: [], flagUntil: 0 };
}

export function freshBudget(): Budget {
  return { times: [], epochStart: undefined, cooldownUntil: 0, softUntil: 0, guardUsed: false };
}

export function freshAccount(): AccountRecord {
  return {
    ...freshPenalty(),
    at: 0,
    devices: [],
    newDevices: [],
    lastMissing: undefined,
    rotation: freshWindow(),
    rotations: [],
    flood: freshWindow(),
    floodUntil: 0,
    softs: [],
    budget: freshBudget(),
  };
}

export function freshNet(): NetRecord {
  return {
    ...freshPenalty(),
    at: 0,
    window: freshWindow(),
    accounts: freshWindow(),
    newDevices: [],
    newAgents: [],
    firstDilution: undefined,
    tat: 0,
  };
}

/** Records of one kind; one whose lifetime has passed since its last write counts as absent. */
export class Shelf<R extends { at: number }> {
  private readonly records = new Map<string, R>();
  private readonly lifetimeMs: number;

  constructor(lifetimeMs: number) {
    this.lifetimeMs = lifetimeMs;
  }

  find(key: string | undefined, t: number): R | undefined {
    if (key === undefined) return undefined;
    const record = this.records.get(key);
    if (record === undefined || t >= record.at + this.lifetimeMs) return undefined;
    return record;
  }

  /** Writes: the record's time moves on, never back. */
  write(key: string, record: R, t: number): void {
    record.at = timeIn(record, t);
    this.records.set(key, record);
  }
}

/** Inside a record time never runs backwards. */
export function timeIn(record: { at: number } | undefined, t: number): number {
  return record === undefined ? t : Math.max(t, record.at);
}

/** The last `count` of a list with one more time at its end. */
export function lastTimes(times: readonly number[], time: number, count: number): number[] {
  return [...times, time].slice(-count);
}

export function countWithin(times: readonly number[], now: number, spanMs: number): number {
  return times.filter((time) => time > now - spanMs).length;
}

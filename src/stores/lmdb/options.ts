import { assertNumber } from '../../core/amounts.ts';
import { Fault, shapeOf } from '../../core/fault.ts';
import { assertOptions, type OptionKinds } from '../../core/options.ts';
import { defaultDeadlineMs } from '../default-deadline.ts';
import { wholeClock } from '../whole-clock.ts';

/** Where an embedded store keeps its records and how much they may take. */
export interface LmdbStoreOptions {
  /** The folder of its files; made where it is missing. Several processes of one machine may share it. */
  readonly path: string;
  /** The size that its file may reach, in bytes. At least 8 MiB. Default 1 GiB. */
  readonly maxBytes?: number;
  /** How long a call may take, in milliseconds. Default 50. */
  readonly deadlineMs?: number;
  /**
   * The store's time in milliseconds; a fraction is left out. Processes that share a folder share it too. Default `Date.now`,
   * at half speed after it was set back, also by a process that starts then.
   */
  readonly clock?: () => number;
}

/** Options with every default filled in. */
export interface LmdbSettings extends Required<Omit<LmdbStoreOptions, 'clock'>> {
  /** The store's time, from that which its file has reached. */
  readonly clockFrom: (reachedMs: number) => () => number;
}

const leastBytes = 8 * 1024 * 1024;
const optionKinds: OptionKinds<LmdbStoreOptions> = {
  path: 'checked',
  maxBytes: 'checked',
  deadlineMs: 'checked',
  clock: 'function',
};

/** @throws Fault `CONFIG_INVALID` with the name of the option that is wrong. */
export function settingsOf(options: LmdbStoreOptions): LmdbSettings {
  assertOptions('the embedded store', options, optionKinds);
  const { path, maxBytes = 1024 ** 3, deadlineMs = defaultDeadlineMs, clock } = options;
  if (typeof path !== 'string' || path === '') {
    throw new Fault('CONFIG_INVALID', `path must be the name of a folder, got ${shapeOf(path)}.`);
  }
  assertNumber('CONFIG_INVALID', 'maxBytes', maxBytes, leastBytes);
  assertNumber('CONFIG_INVALID', 'deadlineMs', deadlineMs, 1);
  const clockFrom = (reachedMs: number) => wholeClock(clock, reachedMs);
  return Object.freeze({ path, maxBytes, deadlineMs, clockFrom });
}

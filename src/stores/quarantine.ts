import { DAY_MS } from '../core/duration.ts';

/** What a record that could not be read is kept under, in front of its own name. Its tag, and so its place, stays. */
export const QUARANTINE_PREFIX = 'portcullis-quarantine:';

/** How long it is kept for an operator to look at: 30 days, in milliseconds. */
export const QUARANTINE_MS = 30 * DAY_MS;

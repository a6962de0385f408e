import { isObject, numberOf, textOf } from '../feed/feed-line.ts';
import { createCell } from '../state/cell.ts';
import { ask, ServiceProblem, wordsOf } from './client.ts';
import { nodeClock } from './service-clock.ts';
import { askForToken, enter, session } from './session.ts';

/** The mode of one policy on the node that answered. */
export interface PolicyMode {
  readonly policy: string;
  readonly mode: string;
  /** When it entered the mode; null when it never left NORMAL. */
  readonly since: number | null;
  /** The code of the store's last fault; null in NORMAL, and where the service does not tell. */
  readonly fault: string | null;
}

/** What the service says about itself. Fields it does not have yet are null, never guessed. */
export interface ServiceStatus {
  readonly environment: string | null;
  readonly version: string | null;
  readonly startedAt: number | null;
  readonly store: string | null;
  /** Whether it answered when it was last asked; null where the service does not tell. */
  readonly storeAnswers: boolean | null;
  /** False only where the service says so: then it would refuse what only operators may do. */
  readonly mayOperate: boolean;
  readonly modes: readonly PolicyMode[];
  /** As it came, for the pages that show more of it. */
  readonly raw: Readonly<Record<string, unknown>>;
}

export interface StatusView {
  readonly value: ServiceStatus | null;
  /** Why the last look failed; the last good value stays. */
  readonly problem: string | null;
  /** Whether it failed because the service would not tell, though it is there. */
  readonly isRefused: boolean;
}

const EVERY_MS = 5_000;

const unseen: StatusView = { value: null, problem: null, isRefused: false };
const cell = createCell(unseen);
let timer: ReturnType<typeof setInterval> | null = null;

async function look(): Promise<void> {
  try {
    cell.set({ ...unseen, value: readStatus(await ask('GET', 'v1/status')) });
  } catch (cause) {
    const isRefused = cause instanceof ServiceProblem && cause.status === 403;
    cell.set({ value: cell.get().value, problem: wordsOf(cause), isRefused });
  }
}

/** How the service stands: looked at every few seconds, and at once when the feed tells of a change. */
export const status = {
  ...cell,
  look,
  /** Follows until the result is called. */
  follow(): () => void {
    void look();
    timer = setInterval(() => void look(), EVERY_MS);
    return () => {
      if (timer !== null) clearInterval(timer);
      timer = null;
      cell.set(unseen);
    };
  },
};

let firstLooking: Promise<void> | null = null;

/** Finds out whether a token is asked for: with the one of this tab, or with none. One look at a time. */
export function firstLook(): Promise<void> {
  firstLooking ??= lookFirst().finally(() => {
    firstLooking = null;
  });
  return firstLooking;
}

async function lookFirst(): Promise<void> {
  const { token } = session.get();
  // Somebody may have typed a token meanwhile, and that one counts.
  const isOvertaken = () => session.get().stage === 'in' || session.get().token !== token;
  try {
    await ask('GET', 'v1/status');
    if (!isOvertaken()) enter(token);
  } catch (cause) {
    if (!(cause instanceof ServiceProblem)) throw cause;
    if (isOvertaken()) return;
    // Where no token was shown a 403 is about this place, and a token would not help.
    const isRefused = cause.status === 401 || (cause.status === 403 && token !== null);
    if (isRefused) askForToken(token !== null);
    else session.set({ stage: 'asked', token, why: cause.message, isEnded: false });
  }
}

/** Tries a token. Throws what the service says against it. */
export async function tryToken(token: string): Promise<void> {
  const before = session.get();
  session.set({ ...before, token });
  try {
    await ask('GET', 'v1/status');
  } catch (cause) {
    askForToken(false);
    throw cause;
  }
  enter(token);
}

function readStatus(answer: unknown): ServiceStatus {
  const raw = isObject(answer) ? answer : {};
  const at = numberOf(raw.at);
  if (at > 0) nodeClock.note(at);
  const { modes } = raw;
  return {
    environment: textOf(raw.environment),
    version: textOf(raw.version),
    startedAt: numberOf(raw.startedAt) || null,
    store: textOf(raw.store),
    storeAnswers: typeof raw.storeAnswers === 'boolean' ? raw.storeAnswers : null,
    mayOperate: raw.mayOperate !== false,
    modes: Array.isArray(modes) ? modes.flatMap(readMode) : [],
    raw,
  };
}

function readMode(value: unknown): PolicyMode[] {
  if (!isObject(value)) return [];
  const policy = textOf(value.policy);
  const mode = textOf(value.mode);
  if (policy === null || mode === null) return [];
  return [{ policy, mode, since: numberOf(value.since) || null, fault: textOf(value.fault) }];
}

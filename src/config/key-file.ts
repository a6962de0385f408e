import { randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  linkSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs';
import { DAY_MS } from '../core/duration.ts';
import { amountOf, Fault, shapeOf } from '../core/fault.ts';
import { waitText } from '../core/span-text.ts';
import { readText } from './document.ts';

/** The secrets of an environment, as a key file holds them. */
export interface KeyFile {
  /** Base64 of at least 16 bytes. */
  readonly secret: string;
  /** The secret before this one, while a rotation runs. */
  readonly previousSecret: string | null;
  /** When the running rotation began, in ms; null when none runs, or nobody noted it. */
  readonly rotatedAt: number | null;
}

const OWNER_ONLY = 0o600;
const GROUP_READS = 0o040;

/** How long both secrets must stay, for the sake of the device book (engine contract §3). */
export const ROTATION_WINDOW_MS = 90 * DAY_MS;

export function newKeyFile(secret = newSecret()): KeyFile {
  return { secret, previousSecret: null, rotatedAt: null };
}

const newSecret = (): string => randomBytes(32).toString('base64');

/** A new secret takes the place of the present one, which stays to be read. */
export function beginRotation(keys: KeyFile, now: number, secret = newSecret()): KeyFile {
  if (keys.previousSecret !== null) {
    throw new Fault(
      'CONFIG_INVALID',
      'a rotation is running: end it first, once its window has passed (keys rotate --finish)',
    );
  }
  return { secret, previousSecret: keys.secret, rotatedAt: now };
}

/** The previous secret goes. Before the window has passed, what only it can read would be lost. */
export function finishRotation(keys: KeyFile, now: number, force: boolean): KeyFile {
  if (keys.previousSecret === null) throw new Fault('CONFIG_INVALID', 'no rotation is running');
  const loss = force ? null : lossAt(keys.rotatedAt, now);
  if (loss !== null) throw new Fault('CONFIG_INVALID', `${loss} (--force ends it all the same)`);
  return newKeyFile(keys.secret);
}

/** What would be lost if the rotation ended now; null when nothing would. A file that was made by hand may not say when it began. */
function lossAt(rotatedAt: number | null, now: number): string | null {
  if (rotatedAt === null)
    return 'nobody noted when the rotation began; devices not seen since would be forgotten';
  const leftMs = rotatedAt + ROTATION_WINDOW_MS - now;
  if (leftMs <= 0) return null;
  return `the window runs for another ${waitText(leftMs)}; devices not seen since would be forgotten`;
}

/** Throws `CONFIG_INVALID` that names the field; secrets are never shown. */
export function readKeyFile(path: string): KeyFile {
  const value: unknown = parseJson(path);
  if (typeof value !== 'object' || value === null) {
    throw new Fault('CONFIG_INVALID', `${path}: must be an object, got ${shapeOf(value)}`);
  }
  const {
    secret,
    previousSecret = null,
    rotatedAt = null,
  } = value as Partial<Record<keyof KeyFile, unknown>>;
  return {
    secret: assertSecret(path, 'secret', secret),
    previousSecret: previousSecret === null ? null : assertSecret(path, 'previousSecret', previousSecret),
    rotatedAt: assertTime(path, rotatedAt),
  };
}

function parseJson(path: string): unknown {
  if (!existsSync(path)) {
    throw new Fault('CONFIG_INVALID', `${path}: is not there (portcullis keys rotate FILE makes one)`);
  }
  const text = readText(path);
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Fault('CONFIG_INVALID', `${path}: cannot be read as JSON`, { cause });
  }
}

/** What is no base64 would be skipped, and the secret be another one than was written. */
const base64 = /^[\w+/-]+={0,2}$/;

function assertSecret(path: string, field: string, value: unknown): string {
  if (typeof value === 'string' && base64.test(value) && Buffer.from(value, 'base64').length >= 16)
    return value;
  throw new Fault(
    'CONFIG_INVALID',
    `${path}: ${field} must be base64 of at least 16 bytes, got ${shapeOf(value)}`,
  );
}

function assertTime(path: string, value: unknown): number | null {
  if (value === null || (typeof value === 'number' && Number.isSafeInteger(value))) return value;
  throw new Fault(
    'CONFIG_INVALID',
    `${path}: rotatedAt must be a time in ms or null, got ${amountOf(value)}`,
  );
}

/**
 * Written beside the file and moved into place, so that a crash leaves the old one whole. It belongs to whom the old one did,
 * for root may rotate the secret of a service that runs as another user; that user may read it, and a group that could. Where
 * a link leads to the file, it is the file that changes: a secret that is said to be gone must be.
 */
export function writeKeyFile(path: string, keys: KeyFile): void {
  const place = existsSync(path) ? realpathSync(path) : path;
  const fresh = `${place}.new`;
  // What a crash has left there would keep its mode, and a link would lead the secret elsewhere.
  rmSync(fresh, { force: true });
  try {
    writeFresh(fresh, keys, statSync(place, { throwIfNoEntry: false }));
    renameSync(fresh, place);
  } catch (cause) {
    rmSync(fresh, { force: true });
    throw codeOf(cause) === 'EPERM' ? notOurs(path, cause) : cause;
  }
}

function notOurs(path: string, cause: unknown): Fault {
  const message = `${path}: belongs to another user or group, who could not read it any more: rotate it as that user, or as root`;
  return new Fault('CONFIG_INVALID', message, { cause });
}

/**
 * The same where there is no file yet. False when there is one by now: of processes that start together the first makes the
 * secret, and the others must go by it, or each would know other people under the names of the same records.
 */
export function makeKeyFile(path: string, keys: KeyFile): boolean {
  const fresh = `${path}.${randomBytes(8).toString('hex')}.new`;
  try {
    writeFresh(fresh, keys);
    linkWhole(fresh, path);
    return true;
  } catch (cause) {
    if (codeOf(cause) === 'EEXIST') return false;
    throw cause;
  } finally {
    rmSync(fresh, { force: true });
  }
}

/** @param before the file whose place it takes */
function writeFresh(path: string, keys: KeyFile, before?: Stats): void {
  // By its descriptor: whoever may write to the folder could put a link in its place meanwhile.
  const file = openSync(path, 'wx', OWNER_ONLY);
  try {
    writeFileSync(file, `${JSON.stringify(keys, null, 2)}\n`);
    // Before it takes the place of the old one: a machine that stops then would have neither.
    fsyncSync(file);
    if (before !== undefined) handOver(file, before);
  } catch (cause) {
    // Of a descriptor the system does not say which file it is.
    throw cause instanceof Error ? Object.assign(cause, { path }) : cause;
  } finally {
    closeSync(file);
  }
}

function handOver(file: number, { uid, gid, mode }: Stats): void {
  const made = fstatSync(file);
  const groupReads = mode & GROUP_READS;
  if (made.uid !== uid || (made.gid !== gid && groupReads !== 0)) fchownSync(file, uid, gid);
  if ((made.mode & GROUP_READS) !== groupReads) fchmodSync(file, OWNER_ONLY | groupReads);
}

const noLinks: ReadonlySet<unknown> = new Set(['EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP', 'EMLINK']);

/** A link shows the file whole or not at all. Some file systems have none; a copy there is at least the only one. */
function linkWhole(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch (cause) {
    if (!noLinks.has(codeOf(cause))) throw cause;
    copyFileSync(from, to, constants.COPYFILE_EXCL);
  }
}

function codeOf(cause: unknown): unknown {
  return cause instanceof Error && 'code' in cause ? cause.code : undefined;
}

/** The secrets as a guard takes them. */
export function secretsOf({ secret, previousSecret }: KeyFile): { secret: Buffer; previousSecret?: Buffer } {
  const present = Buffer.from(secret, 'base64');
  return previousSecret === null
    ? { secret: present }
    : { secret: present, previousSecret: Buffer.from(previousSecret, 'base64') };
}

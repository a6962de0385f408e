import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../core/duration.ts';
import { amountOf, invariant } from '../core/fault.ts';
import { type DenialReason, isDenialReason } from './denial.ts';
import { KeyRing, type PassportKey } from './key-ring.ts';
import { mostSlots } from './latency-history.ts';
import { hasCredentials, type NumberRule, OptionReader, type Section } from './option-reader.ts';
import type {
  BaseUrl,
  CheckpointOptions,
  CheckpointSettings,
  GlobalBreakerSettings,
  QueuePolicy,
  Settings,
  SvcClientOptions,
  TargetSettings,
} from './options.ts';
import { MAX_REMAINING_MS, MAX_RETRIES } from './passport.ts';
import type { PoolPolicy } from './pool.ts';
import { isSlugKey } from './slug-key.ts';
import type { TargetBreakerPolicy } from './target-breaker.ts';

function whole(min: number, max: number, value: number): NumberRule {
  return { min, max, default: value };
}

function share(value: number): NumberRule {
  return { min: 0, max: 1, default: value, whole: false };
}

/** Every range and default of the rails; the only place they stand. */
const poolRules = { ratePerSecond: whole(1, 1_000_000, 100), burst: whole(1, 1_000_000, 200) };
const pinnedPoolRules = { ratePerSecond: { min: 1, max: 1_000_000 }, burst: { min: 1, max: 1_000_000 } };
const globalPoolRules = { ratePerSecond: whole(1, 1_000_000, 1_000), burst: whole(1, 1_000_000, 2_000) };
const backoffRules = { firstMs: whole(1, MINUTE_MS, 50), maxMs: whole(1, MINUTE_MS, 2 * SECOND_MS) };
const retryBudgetRules = { share: share(0.2), perSecond: whole(0, 10_000, 10) };
const breakerRules = {
  threshold: whole(1, 1_000, 5),
  windowMs: whole(100, HOUR_MS, 30 * SECOND_MS),
  cooldownMs: whole(1, HOUR_MS, 10 * SECOND_MS),
  maxCooldownMs: whole(1, HOUR_MS, 2 * MINUTE_MS),
  goodProbes: whole(1, 100, 3),
};
const queueRules = { limit: whole(1, 100_000, 1), deadlineMs: whole(1, MINUTE_MS, SECOND_MS) };
const globalBreakerRules = {
  holdMs: whole(1, HOUR_MS, 10 * SECOND_MS),
  closingMs: whole(1, HOUR_MS, 20 * SECOND_MS),
  factor: { min: 1.1, max: 1_000, default: 4, whole: false },
  floorMs: whole(0, MINUTE_MS, 100),
  slotMs: whole(100, 10 * MINUTE_MS, 5 * SECOND_MS),
  minSamples: whole(1, 100_000, 20),
  minSlots: whole(1, 36_000, 12),
  saturationMs: whole(1, HOUR_MS, 10 * SECOND_MS),
  partitionTargets: whole(2, 1_000, 3),
  partitionShare: share(0.5),
};
const timeoutRule = whole(1, MAX_REMAINING_MS, 2 * SECOND_MS);
const connectionsRule = whole(1, 10_000, 64);
const stallRule = whole(1, MAX_REMAINING_MS, 10 * SECOND_MS);
const retriesRule = whole(0, MAX_RETRIES, 3);
const deadlineRule = whole(1, MAX_REMAINING_MS, 10 * SECOND_MS);

const checkpointFields = ['self', 'keys', 'retries', 'deadlineMs', 'shadow'];
const clientFields = [...checkpointFields, 'targets', 'globalPool', 'globalBreaker'];
const targetFields = [
  'url',
  'pool',
  'queue',
  'timeoutMs',
  'connections',
  'stallMs',
  'backoff',
  'retryBudget',
  'breaker',
  'passport',
];

const KEY_ID = /^[\w-]{1,16}$/;
const SECRET_MIN_BYTES = 32;

function isSecret(value: unknown): value is string | Uint8Array {
  if (typeof value === 'string') return Buffer.byteLength(value) >= SECRET_MIN_BYTES;
  return value instanceof Uint8Array && value.length >= SECRET_MIN_BYTES;
}

function readKey(reader: OptionReader, path: string, value: unknown): PassportKey | null {
  const { id, secret } = reader.section(path, value, ['id', 'secret']);
  const named = typeof id === 'string' && KEY_ID.test(id);
  if (!named) reader.problem(`${path}.id`, id, '1 to 16 letters, digits, - or _');
  const secretFits = isSecret(secret);
  if (!secretFits) reader.problem(`${path}.secret`, secret, `at least ${SECRET_MIN_BYTES} bytes`);
  return named && secretFits ? { id, secret } : null;
}

function readKeys(reader: OptionReader, value: unknown): KeyRing | null {
  if (!Array.isArray(value) || value.length < 1 || value.length > 2) {
    reader.problem('keys', value, 'one or two keys');
    return null;
  }
  const [first, second] = value.map((key, index) => readKey(reader, `keys[${index}]`, key));
  if (first && second && first.id === second.id)
    reader.problem('keys[1].id', second.id, 'another id than keys[0]');
  return first ? new KeyRing(first, second ?? null) : null;
}

function readShadow(reader: OptionReader, value: unknown): ReadonlySet<DenialReason> {
  const reasons = new Set<DenialReason>();
  if (value === undefined) return reasons;
  if (!Array.isArray(value)) reader.problem('shadow', value, 'a list of denial reasons');
  else {
    for (const [index, reason] of value.entries()) {
      if (isDenialReason(reason)) reasons.add(reason);
      else reader.problem(`shadow[${index}]`, reason, 'a denial reason');
    }
  }
  return reasons;
}

function readCheckpoint(reader: OptionReader, options: Section): () => CheckpointSettings {
  const { self } = options;
  const named = typeof self === 'string' && isSlugKey(self) ? self : null;
  if (named === null) reader.problem('self', self, 'name@major');
  const keys = readKeys(reader, options.keys);
  const retries = reader.number('retries', options.retries, retriesRule);
  const deadlineMs = reader.number('deadlineMs', options.deadlineMs, deadlineRule);
  const shadow = readShadow(reader, options.shadow);
  return () => {
    reader.finish();
    invariant(named !== null && keys !== null, 'options without a problem have a name and keys');
    return { self: named, keys, retries, deadlineMs, shadow };
  };
}

function readUrl(reader: OptionReader, path: string, value: unknown): BaseUrl | null {
  const url = typeof value === 'string' && URL.canParse(value) ? new URL(value) : null;
  const plain = url !== null && !hasCredentials(url) && url.search === '' && url.hash === '';
  if (!plain || !(url.protocol === 'http:' || url.protocol === 'https:')) {
    reader.problem(path, value, 'an http(s) URL without credentials, query or fragment');
    return null;
  }
  return { origin: url.origin, prefix: url.pathname.replace(/\/+$/, '') };
}

function readUrls(reader: OptionReader, path: string, value: unknown): readonly BaseUrl[] {
  const given: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (given.length === 0) reader.problem(path, value, 'at least one URL');
  return given.map((url) => readUrl(reader, path, url)).filter((url) => url !== null);
}

function readQueue(reader: OptionReader, path: string, value: unknown): QueuePolicy | null {
  return value === undefined ? null : reader.numbers(path, value, queueRules);
}

/** A cooldown above the longest would become shorter with every bad probe. */
function readBreaker(reader: OptionReader, path: string, value: unknown): TargetBreakerPolicy {
  const breaker = reader.numbers(path, value, breakerRules);
  const { cooldownMs, maxCooldownMs } = breaker;
  if (maxCooldownMs < cooldownMs) {
    const expected = `at least cooldownMs (${cooldownMs})`;
    reader.problem(`${path}.maxCooldownMs`, maxCooldownMs, expected, amountOf(maxCooldownMs));
  }
  return breaker;
}

function readTarget(reader: OptionReader, slugKey: string, value: unknown): TargetSettings {
  const path = `targets.${slugKey}`;
  if (!isSlugKey(slugKey)) reader.problem(path, slugKey, 'name@major');
  const options = reader.section(path, value, targetFields);
  const passport = options.passport ?? true;
  if (typeof passport !== 'boolean') reader.problem(`${path}.passport`, passport, 'a boolean');
  return Object.freeze({
    slugKey,
    urls: readUrls(reader, `${path}.url`, options.url),
    pool: reader.numbers(`${path}.pool`, options.pool, poolRules),
    queue: readQueue(reader, `${path}.queue`, options.queue),
    timeoutMs: reader.number(`${path}.timeoutMs`, options.timeoutMs, timeoutRule),
    connections: reader.number(`${path}.connections`, options.connections, connectionsRule),
    stallMs: reader.number(`${path}.stallMs`, options.stallMs, stallRule),
    backoff: reader.numbers(`${path}.backoff`, options.backoff, backoffRules),
    retryBudget: reader.numbers(`${path}.retryBudget`, options.retryBudget, retryBudgetRules),
    breaker: readBreaker(reader, `${path}.breaker`, options.breaker),
    passport: passport === true,
  });
}

function readTargets(reader: OptionReader, value: unknown): ReadonlyMap<string, TargetSettings> {
  const fields = typeof value === 'object' && value !== null ? Object.keys(value) : [];
  if (fields.length === 0) reader.problem('targets', value, 'at least one target by its slugKey');
  const section = reader.section('targets', value, fields);
  return new Map(fields.map((slugKey) => [slugKey, readTarget(reader, slugKey, section[slugKey])]));
}

/** With more slots asked for than an hour has, no spike would ever be seen. */
function readGlobalBreaker(reader: OptionReader, value: unknown): GlobalBreakerSettings {
  const numbers = reader.numbers('globalBreaker', value, globalBreakerRules);
  const { slotMs, minSlots } = numbers;
  const most = mostSlots(slotMs);
  if (minSlots > most) {
    const expected = `at most ${most}, all that an hour of slotMs (${slotMs}) has to compare with`;
    reader.problem('globalBreaker.minSlots', minSlots, expected, amountOf(minSlots));
  }
  const { holdMs, closingMs, saturationMs, partitionTargets, partitionShare, ...spike } = numbers;
  return { policy: { holdMs, closingMs }, spike, saturationMs, partitionTargets, partitionShare };
}

/** Checks the options of the server side alone. */
export function readCheckpointSettings(options: CheckpointOptions): CheckpointSettings {
  const reader = new OptionReader();
  return readCheckpoint(reader, reader.section('', options, checkpointFields))();
}

/** Checks all options. Throws a `Fault` of code `CONFIG_INVALID` that names every problem. */
export function readSettings(options: SvcClientOptions): Settings {
  const reader = new OptionReader();
  const section = reader.section('', options, clientFields);
  const checkpoint = readCheckpoint(reader, section);
  const targets = readTargets(reader, section.targets);
  const globalPool = reader.numbers('globalPool', section.globalPool, globalPoolRules);
  const globalBreaker = readGlobalBreaker(reader, section.globalBreaker);
  return Object.freeze({ ...checkpoint(), targets, globalPool, globalBreaker });
}

/** Checks a pool that an operator asks for, all of it: a default in place of a number would be a limit that nobody asked for. */
export function checkPool(pool: PoolPolicy): PoolPolicy {
  const reader = new OptionReader();
  const checked = reader.numbers('pool', pool, pinnedPoolRules);
  reader.finish();
  return checked;
}

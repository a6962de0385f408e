import { performance } from 'node:perf_hooks';
import type { Policy } from '../core/policy.ts';
import type { Key, Records, Retention, StoredRecord } from '../core/records.ts';
import { readFailureOptions } from '../guard/failure/failure-options.ts';
import { assembleGuard, type Guard } from '../guard/guard.ts';
import { createIdentifier } from '../identity/identifier.ts';
import type { Store } from '../stores/store.ts';

/** By then the way is walked in a third of the time that its first steps took. */
const rounds = 40;
/** A start does not wait longer for it, in milliseconds. */
const patienceMs = 500;
/** What a rehearsal writes ends after a second, as the ping of a store does, and blocks nobody. */
const retention: Retention = { keepMs: 1_000, softMs: 0, hardMs: 0 };
/** Names nobody: so every start writes under the same names, and a store that drops late has few of them. */
const secret = 'a rehearsal, which has nothing to hide';
const ua = 'Mozilla/5.0 (X11; Linux x86_64; rv:120.0) Gecko/20100101 Firefox/120.0';

/**
 * Decides for made-up people before the first real ones come. A process runs code that it has never run before many times
 * slower; when a node starts into traffic, that alone makes three operations miss the deadline of a store that is well, and
 * the node then goes by local caps for five minutes, in which it sees no block. No listener hears of it, and nothing of it
 * stays.
 */
export async function rehearse(store: Store, policies: readonly Policy[]): Promise<void> {
  // What fails is tried again: it is the slow beginning that has to be behind.
  const failure = readFailureOptions({ deadlineMs: null, breaker: { tripFailures: 1_000_000 } });
  const identifier = createIdentifier({ secret });
  const parts = { store: rehearsalStore(store), policies, identifier, environment: 'rehearsal', failure };
  const guard = assembleGuard(parts);
  const endsAtMs = performance.now() + patienceMs;
  for (let round = 0; round < rounds && performance.now() < endsAtMs; round += 1) {
    await Promise.allSettled(policies.map((policy) => decide(guard, policy, round)));
  }
  await guard.close();
}

async function decide(guard: Guard, { kind, actions }: Policy, round: number): Promise<void> {
  const [action] = actions;
  if (action === undefined) return;
  const request = { action, account: `rehearsal ${round}`, ip: `192.0.2.${round}`, ua };
  await guard.check(request);
  if (kind === 'rate') await guard.consume(request);
  else await guard.fail(request);
}

/** The same store, under the names of pings. */
function rehearsalStore(store: Store): Store {
  const named = <R extends StoredRecord>(key: Key<R>): Key<R> => ({
    ...key,
    text: key.text.replace(/^portcullis:/, 'portcullis-ping:'),
    was: null,
  });
  const each = store.transactEach?.bind(store);
  const over = (records: Records): Records => ({
    get: (key) => records.get(named(key)),
    put: (key, value) => records.put(named(key), value, retention),
  });
  return {
    view: (keys, look, options) =>
      store.view(keys.map(named), (records, now) => look(over(records), now), options),
    transact: (keys, step) => store.transact(keys.map(named), (records, now) => step(over(records), now)),
    transactEach:
      each &&
      ((steps) =>
        each(
          steps.map((step) => ({
            keys: step.keys.map(named),
            run: (records, now) => step.run(over(records), now),
          })),
        )),
    ping: () => store.ping(),
    held: (prefix, signal) => store.held(prefix, signal),
    heldOfAny: store.heldOfAny?.bind(store),
    close: () => Promise.resolve(),
  };
}

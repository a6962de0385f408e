import {
  createSvcClient,
  type SvcClient,
  type SvcClientOptions,
  type SvcEventName,
  type SvcEvents,
  type TargetOptions,
} from '../../../src/svc-client/index.ts';
import { VirtualClock } from '../../../src/testing/virtual-clock.ts';
import { SimulatedNetwork } from './simulated-network.ts';

export const testKeys = [{ id: 'k1', secret: 'a secret for tests of 32 bytes or more' }];

type Told = { [Name in SvcEventName]: SvcEvents[Name][] };

const eventNames: readonly SvcEventName[] = [
  'call',
  'denied',
  'retry',
  'retry-withheld',
  'target-breaker',
  'global-breaker',
  'passport-dropped',
  'receipt-dropped',
  'security',
  'alert',
  'audit',
  'reconfigured',
];

/** Gathers all events of something that tells events. */
export function listenTo(source: Pick<SvcClient, 'on'>): Told {
  const told: Told = {
    call: [],
    denied: [],
    retry: [],
    'retry-withheld': [],
    'target-breaker': [],
    'global-breaker': [],
    'passport-dropped': [],
    'receipt-dropped': [],
    security: [],
    alert: [],
    audit: [],
    reconfigured: [],
  };
  const keep = <Name extends SvcEventName>(name: Name) => {
    const list: SvcEvents[Name][] = told[name];
    source.on(name, (event) => list.push(event));
  };
  for (const name of eventNames) keep(name);
  return told;
}

/** A client of one target, `stock@1`, on a simulated network and virtual time. Jitter is always at its ceiling. */
export function simulateClient(
  target: Partial<TargetOptions> = {},
  options: Partial<Omit<SvcClientOptions, 'targets'>> = {},
) {
  const clock = new VirtualClock();
  const network = new SimulatedNetwork(clock);
  const client = createSvcClient(
    {
      self: 'orders@1',
      keys: testKeys,
      ...options,
      targets: { 'stock@1': { url: 'http://stock', ...target } },
    },
    { clock, transport: network, random: () => 1 },
  );
  return { clock, network, client, told: listenTo(client) };
}

/** Runs virtual time until the promise settles, and gives what it settled to. */
export async function inVirtualTime<T>(clock: VirtualClock, running: Promise<T>): Promise<T> {
  let done = false;
  const ending = running.finally(() => {
    done = true;
  });
  // The rejection is the caller's to handle once time has run.
  ending.catch(() => undefined);
  for (let turn = 0; turn < 100_000 && !done; turn += 1) await clock.advance(10);
  return ending;
}

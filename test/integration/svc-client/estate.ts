import type { RequestListener } from 'node:http';
import {
  createSvcClient,
  type SvcClient,
  type SvcClientOptions,
  withPassport,
} from '../../../src/svc-client/index.ts';
import { listenTo, testKeys } from '../../simulation/svc-client/simulated-client.ts';
import { type Loopback, startLoopback } from './loopback.ts';

/** One service: a real server with a real client of all the others. */
export interface Service {
  readonly client: SvcClient;
  readonly loopback: Loopback;
  readonly told: ReturnType<typeof listenTo>;
}

export type Estate = Readonly<Record<string, Service>>;
export type ServiceHandler = (
  client: SvcClient,
  ...args: Parameters<RequestListener>
) => void | Promise<void>;
type EstateOptions = Partial<Omit<SvcClientOptions, 'self' | 'targets'>>;

/** Starts real servers on the loopback interface, each with a client that knows all of them. */
export async function startEstate(
  handlers: Readonly<Record<string, ServiceHandler>>,
  optionsOf: (slugKey: string) => EstateOptions = () => ({}),
): Promise<Estate> {
  const clients = new Map<string, SvcClient>();
  const loopbacks = new Map<string, Loopback>();
  for (const [slugKey, handler] of Object.entries(handlers)) {
    const listener: RequestListener = (request, response) => {
      const client = clients.get(slugKey);
      if (client === undefined) throw new TypeError('the estate is not up yet');
      withPassport(client.checkpoint, (...args) => void handler(client, ...args))(request, response);
    };
    loopbacks.set(slugKey, await startLoopback(listener));
  }
  const targets = Object.fromEntries([...loopbacks].map(([slugKey, { url }]) => [slugKey, { url }]));
  const services: Record<string, Service> = {};
  for (const [slugKey, loopback] of loopbacks) {
    const client = createSvcClient({ self: slugKey, keys: testKeys, ...optionsOf(slugKey), targets });
    clients.set(slugKey, client);
    services[slugKey] = { client, loopback, told: listenTo(client) };
  }
  return services;
}

/** A service of the estate. */
export function serviceOf(estate: Estate, slugKey: string): Service {
  const service = estate[slugKey];
  if (service === undefined) throw new TypeError(`no ${slugKey} in this estate`);
  return service;
}

export async function stopEstate(estate: Estate): Promise<void> {
  for (const { client, loopback } of Object.values(estate)) {
    await Promise.all([client.close(), loopback.close()]);
  }
}

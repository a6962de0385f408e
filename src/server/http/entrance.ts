import { isDeepStrictEqual } from 'node:util';
import { type ClientAddress, createClientAddress } from '../../adapters/client-address.ts';
import type { ServiceConfig } from '../../config/service-config.ts';
import { CidrSet } from '../../limits/cidr-set.ts';
import type { WarningListener } from '../../limits/warning.ts';

type ProxySettings = Pick<ServiceConfig, 'trustedProxies' | 'forwardingHeader'>;

/** Where requests come from. Goes by other proxies when the configuration says so. */
export class Entrance {
  readonly #warn: WarningListener;
  #settings: ProxySettings;
  #addressOf: ClientAddress;
  #proxies: CidrSet;

  constructor(settings: ProxySettings, warn: WarningListener) {
    this.#warn = warn;
    this.#settings = settings;
    this.#addressOf = this.#addresses(settings);
    this.#proxies = rangesOf(settings);
  }

  readonly addressOf: ClientAddress = (peer, header) => this.#addressOf(peer, header);
  readonly isTrusted = (peer: string | undefined): boolean =>
    peer !== undefined && this.#proxies.hasPeer(peer);

  /**
   * Changes nothing; what it gives goes by these proxies from then on.
   *
   * @throws Fault `CONFIG_INVALID` when a range is not one
   */
  prepare(settings: ProxySettings): () => void {
    // One that is made anew tells each mistake once more.
    if (isSame(settings, this.#settings)) return () => {};
    const addressOf = this.#addresses(settings);
    const proxies = rangesOf(settings);
    return () => {
      this.#settings = settings;
      this.#addressOf = addressOf;
      this.#proxies = proxies;
    };
  }

  #addresses({ trustedProxies, forwardingHeader }: ProxySettings): ClientAddress {
    return createClientAddress({ trustedProxies, forwardingHeader, warn: this.#warn });
  }
}

function isSame(a: ProxySettings, b: ProxySettings): boolean {
  return a.forwardingHeader === b.forwardingHeader && isDeepStrictEqual(a.trustedProxies, b.trustedProxies);
}

function rangesOf({ trustedProxies }: ProxySettings): CidrSet {
  return new CidrSet(
    'trustedProxies',
    trustedProxies.filter((proxy) => proxy !== 'unix'),
  );
}

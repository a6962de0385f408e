import { type ClientAddress, createClientAddress } from '../../adapters/client-address.ts';
import type { ServiceConfig } from '../../config/service-config.ts';
import type { CidrSet } from '../../limits/cidr-set.ts';
import type { WarningListener } from '../../limits/warning.ts';
import { trustedRanges } from '../trusted-ranges.ts';

type ProxySettings = Pick<ServiceConfig, 'trustedProxies' | 'forwardingHeader'>;

/** Where requests come from. Goes by other proxies when the configuration says so. */
export class Entrance {
  readonly #warn: WarningListener;
  #addressOf: ClientAddress;
  #proxies: CidrSet;

  constructor(settings: ProxySettings, warn: WarningListener) {
    this.#warn = warn;
    this.#addressOf = this.#addresses(settings);
    this.#proxies = trustedRanges(settings.trustedProxies);
  }

  readonly addressOf: ClientAddress = (peer, header) => this.#addressOf(peer, header);
  readonly isTrusted = (peer: string | undefined): boolean =>
    peer !== undefined && this.#proxies.hasPeer(peer);

  /**
   * Changes nothing; what it gives goes by these proxies from then on, and tells of mistakes in them anew.
   *
   * @throws Fault `CONFIG_INVALID` when a range is not one
   */
  prepare(settings: ProxySettings): () => void {
    const addressOf = this.#addresses(settings);
    const proxies = trustedRanges(settings.trustedProxies);
    return () => {
      this.#addressOf = addressOf;
      this.#proxies = proxies;
    };
  }

  #addresses({ trustedProxies, forwardingHeader }: ProxySettings): ClientAddress {
    return createClientAddress({ trustedProxies, forwardingHeader, warn: this.#warn });
  }
}

import { type ClientAddress, createShownAddress, type ShownAddress } from '../../adapters/client-address.ts';
import type { ServiceConfig } from '../../config/service-config.ts';
import type { AddressRanges } from '../../identity/address-ranges.ts';
import type { Warning, WarningListener } from '../../limits/warning.ts';
import { trustedRanges } from '../trusted-ranges.ts';

type ProxySettings = Pick<ServiceConfig, 'trustedProxies' | 'forwardingHeader'>;

type ShownBy = (...seen: Parameters<ClientAddress>) => ShownAddress;

/** Where requests come from. Goes by other proxies when the configuration says so. */
export class Entrance {
  readonly #warn: WarningListener;
  #shownBy: ShownBy;
  #proxies: AddressRanges;
  #mayBeMissing: boolean;

  constructor(settings: ProxySettings, warn: WarningListener) {
    this.#warn = warn;
    this.#shownBy = this.#addresses(settings);
    this.#proxies = trustedRanges(settings.trustedProxies);
    this.#mayBeMissing = settings.trustedProxies.length > 0;
  }

  readonly shownBy: ShownBy = (peer, header) => this.#shownBy(peer, header);
  readonly isTrusted = (peer: string | undefined): boolean =>
    peer !== undefined && this.#proxies.hasPeer(peer);

  /**
   * Changes nothing; what it gives goes by these proxies from then on, and tells of mistakes in them anew.
   *
   * @throws Fault `CONFIG_INVALID` when a range is not one
   */
  prepare(settings: ProxySettings): () => void {
    const shownBy = this.#addresses(settings);
    const proxies = trustedRanges(settings.trustedProxies);
    return () => {
      this.#shownBy = shownBy;
      this.#proxies = proxies;
      this.#mayBeMissing = settings.trustedProxies.length > 0;
    };
  }

  /**
   * Tells once that somebody who asks as proxies do is none of those that are listed: all visitors behind it would be
   * limited as one, and nobody would know why. Where none is listed, {@link shownBy} tells.
   */
  noteStranger(header: (name: string) => string | undefined): void {
    if (!this.#mayBeMissing || (header('x-forwarded-for') ?? header('forwarded')) === undefined) return;
    this.#mayBeMissing = false;
    this.#warn(strangerForwards);
  }

  #addresses({ trustedProxies, forwardingHeader }: ProxySettings): ShownBy {
    return createShownAddress({ trustedProxies, forwardingHeader, warn: this.#warn });
  }
}

const strangerForwards: Warning = {
  code: 'PORTCULLIS_PROXY_UNTRUSTED',
  message:
    'A request to /v1/authorize carried X-Forwarded-For or Forwarded and did not come from trustedProxies: the header is ignored, and all visitors behind that address are limited as one. If it is a proxy of yours, list its address in trustedProxies.',
};

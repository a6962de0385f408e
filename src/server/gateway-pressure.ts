import { refillScale } from '../concurrency/pressure.ts';
import { type PressureWatch, watchPressure } from '../concurrency/pressure-exchange.ts';
import { pressureKey } from '../concurrency/pressure-record.ts';
import type { GatewayService } from '../config/service-config.ts';
import type { Call } from '../limits/index.ts';
import { RouteTable } from '../limits/route-table.ts';
import type { Store } from '../stores/store.ts';

export interface GatewayPressureOptions {
  /** The first whose path a call has is the one it goes to; one without a path takes all that are left. */
  readonly services: readonly GatewayService[];
  /** Where their nodes publish it. */
  readonly store: Store;
  readonly environment: string;
  readonly onFault: (fault: unknown) => void;
}

/** A service and its pressure now. */
export interface ServicePressure extends GatewayService {
  readonly pressure: number;
}

/** What the services behind the gateway can bear: by it the buckets of those who call them fill more slowly. */
export class GatewayPressure {
  readonly #options: GatewayPressureOptions;
  readonly #paths: RouteTable;
  readonly #namesByPath = new Map<string, string>();
  /** Of the service that calls go to which no path stands for. */
  readonly #otherName: string | null;
  #watch: PressureWatch | null = null;

  /** @throws Fault `CONFIG_INVALID` when a name or the environment cannot be part of a record's name. */
  constructor(options: GatewayPressureOptions) {
    const { services, environment } = options;
    const paths: { readonly path: string }[] = [];
    let otherName: string | null = null;
    for (const { name, path } of services) {
      pressureKey(environment, name);
      if (path === undefined) {
        otherName ??= name;
      } else if (!this.#namesByPath.has(path)) {
        this.#namesByPath.set(path, name);
        paths.push({ path });
      }
    }
    this.#options = options;
    this.#paths = new RouteTable(paths, 0);
    this.#otherName = otherName;
  }

  /** From now on the store is asked, about once a second, until it is stopped. Without services nobody asks. */
  start(): void {
    const { services, store, environment, onFault } = this.#options;
    if (services.length === 0) return;
    const names = [...new Set(services.map(({ name }) => name))];
    this.#watch = watchPressure({ store, environment, services: names, onFault });
  }

  stop(): void {
    this.#watch?.stop();
    this.#watch = null;
  }

  /** Of the refill rate of whoever makes this call, from 0.1 to 1. */
  scaleOf({ method, path }: Call): number {
    const watch = this.#watch;
    if (watch === null) return 1;
    const name = this.#namesByPath.get(this.#paths.find(method, path).name) ?? this.#otherName;
    return name === null ? 1 : refillScale(watch.pressureOf(name));
  }

  now(): readonly ServicePressure[] {
    return this.#options.services.map((service) => ({
      ...service,
      pressure: this.#watch?.pressureOf(service.name) ?? 0,
    }));
  }
}

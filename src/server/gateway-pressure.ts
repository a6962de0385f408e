import { refillScale } from '../concurrency/pressure.ts';
import { type PressureWatch, watchPressure } from '../concurrency/pressure-exchange.ts';
import { pressureKey } from '../concurrency/pressure-record.ts';
import type { GatewayService } from '../config/service-config.ts';
import type { Call } from '../limits/index.ts';
import { RecentPaths } from '../limits/recent-paths.ts';
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
  readonly #recent = new RecentPaths((path) => this.#namesOf(path));
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
  scaleOf({ path }: Call): number {
    const watch = this.#watch;
    if (watch === null) return 1;
    const pressures = this.#recent.find(path).map((name) => watch.pressureOf(name));
    return refillScale(Math.max(0, ...pressures));
  }

  now(): readonly ServicePressure[] {
    return this.#options.services.map((service) => ({
      ...service,
      pressure: this.#watch?.pressureOf(service.name) ?? 0,
    }));
  }

  /** Several where servers read the path in several ways: else whoever calls would choose by whose pressure. */
  #namesOf(path: string): readonly string[] {
    const names = this.#paths
      .findAll('GET', path)
      .map((route) => this.#namesByPath.get(route.name) ?? this.#otherName);
    return names.filter((name) => name !== null);
  }
}

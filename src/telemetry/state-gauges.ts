import { Gauge, type Registry } from 'prom-client';
import type { Mode } from '../core/decision.ts';
import type { Guard } from '../guard/guard.ts';
import type { Label } from './label.ts';

/** How many service clients report their targets, and these by the state of their breakers. */
export interface ReportedBreakers {
  readonly reporters: number;
  readonly breakers: Readonly<Record<'closed' | 'open' | 'half-open', number>>;
}

/** What a service behind the gateway says of itself. */
export interface NamedPressure {
  readonly name: string;
  readonly pressure: number;
}

const noReports: ReportedBreakers = { reporters: 0, breakers: { closed: 0, open: 0, 'half-open': 0 } };
const modes: readonly Mode[] = ['NORMAL', 'FAIL_CLOSED', 'FAIL_OPEN', 'DEGRADED'];

/** How things stand. What changes without anybody telling is read whenever the numbers are. */
export class StateGauges {
  readonly #registry: Registry;
  readonly #policy: Label;
  readonly #guards: Pick<Guard, 'modes'>[] = [];
  readonly #subscribers: Gauge;
  readonly #pins: Gauge<'kind'>;
  #readTargets: () => ReportedBreakers = () => noReports;
  #readPressures: () => readonly NamedPressure[] = () => [];

  /** @param policy names the policies that have series */
  constructor(registry: Registry, policy: Label, version: string) {
    this.#registry = registry;
    this.#policy = policy;
    const build = this.#gauge('portcullis_build_info', 'One; the version is in the label.', [
      'version',
      'node',
    ]);
    build.set({ version, node: process.version }, 1);
    this.#subscribers = this.#gauge('portcullis_feed_subscribers', 'Readers of the live feed.', []);
    this.#pins = this.#gauge('portcullis_pins', 'Pins that operators have set.', ['kind']);
    this.#tellModes();
    this.#tellServices();
  }

  /** The modes of its policies. */
  followGuard(guard: Pick<Guard, 'modes'>): void {
    this.#guards.push(guard);
  }

  /** What service clients report of their targets, which expires. */
  followTargets(read: () => ReportedBreakers): void {
    this.#readTargets = read;
  }

  /** The services that a configuration names; what is known of them fades. */
  followPressures(read: () => readonly NamedPressure[]): void {
    this.#readPressures = read;
  }

  subscribers(count: number): void {
    this.#subscribers.set(count);
  }

  pins(kind: 'limit' | 'failure' | 'scenario' | 'shadow', count: number): void {
    this.#pins.set({ kind }, count);
  }

  #tellModes(): void {
    this.#readGauge(
      'portcullis_policy_mode',
      'One for the mode a policy is in, else zero.',
      ['policy', 'mode'],
      (gauge) => {
        for (const { policy, mode: present } of this.#standings())
          for (const mode of modes) gauge.set({ policy, mode }, mode === present ? 1 : 0);
      },
    );
    // A policy is out of NORMAL exactly while its breaker is open.
    const outages = [
      ['portcullis_degraded', 'One while a policy decides without the store.'],
      ['portcullis_breaker_open', 'One while a policy’s breaker is open.'],
    ] as const;
    for (const [name, help] of outages) {
      this.#readGauge(name, help, ['policy'], (gauge) => {
        for (const { policy, mode } of this.#standings()) gauge.set({ policy }, mode === 'NORMAL' ? 0 : 1);
      });
    }
  }

  #tellServices(): void {
    this.#readGauge(
      'portcullis_target_reporters',
      'Service clients that report their targets.',
      [],
      (gauge) => gauge.set(this.#readTargets().reporters),
    );
    this.#readGauge(
      'portcullis_targets',
      'Targets of service clients, by the state of their breakers; each once for every client that reports it.',
      ['breaker'],
      (gauge) => {
        const { breakers } = this.#readTargets();
        for (const [breaker, count] of Object.entries(breakers)) gauge.set({ breaker }, count);
      },
    );
    this.#readGauge(
      'portcullis_service_pressure',
      'The pressure of a service behind the gateway, from 0 to 1.',
      ['service'],
      (gauge) => {
        for (const { name, pressure } of this.#readPressures()) gauge.set({ service: name }, pressure);
      },
    );
  }

  #standings(): { readonly policy: string; readonly mode: Mode }[] {
    return this.#guards.flatMap((guard) =>
      guard.modes().map(({ policy, mode }) => ({ policy: this.#policy.of(policy), mode })),
    );
  }

  #gauge<L extends string>(name: string, help: string, labelNames: readonly L[]): Gauge<L> {
    return new Gauge({ name, help, labelNames: [...labelNames], registers: [this.#registry] });
  }

  /** @param set what it shows, each time anew */
  #readGauge<L extends string>(
    name: string,
    help: string,
    labelNames: readonly L[],
    set: (gauge: Gauge<L>) => void,
  ): void {
    new Gauge({
      name,
      help,
      labelNames: [...labelNames],
      registers: [this.#registry],
      collect() {
        this.reset();
        set(this);
      },
    });
  }
}

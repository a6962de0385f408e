import { Fault, shapeOf } from '../core/fault.ts';
import { assertOptions, type OptionKinds } from '../core/options.ts';
import type { Admission, Admitted, CallOptions, CapListener } from './admission.ts';
import type { Cap, Ran } from './cap.ts';
import { type CapSettings, completeCapOptions, type RouteOptions, routeKinds } from './cap-options.ts';
import { type Clock, systemClock } from './clock.ts';
import { PressureMeter } from './pressure.ts';
import { defaultRoutes } from './routes.ts';
import { capOf } from './slot-cap.ts';

export interface CapsOptions {
  /** By name of the route. `create` (10) and `read` (50) are there unless given otherwise. */
  readonly routes?: Readonly<Record<string, RouteOptions>>;
  readonly clock?: Clock;
  readonly onEvent?: CapListener;
}

const optionKinds: OptionKinds<CapsOptions> = { routes: 'object', clock: 'object', onEvent: 'function' };

/** The caps of one service, one per route. Routes do not wait for each other. */
export interface Caps {
  readonly routes: readonly string[];
  /** Of the service as a whole, from 0 to 1: the value for the header and the store. */
  readonly pressure: number;
  /** @throws Fault `INPUT_INVALID` when there is no such route. */
  cap(route: string): Cap;
  /** As {@link Cap.admit}. Rejects with `INPUT_INVALID` when there is no such route. */
  admit(route: string, call?: CallOptions): Promise<Admission>;
  /** As {@link Cap.run}. Rejects with `INPUT_INVALID` when there is no such route. */
  run<T>(route: string, work: (admitted: Admitted) => T | Promise<T>, call?: CallOptions): Promise<Ran<T>>;
}

/**
 * Makes the caps of a service.
 *
 * @throws Fault `CONFIG_INVALID` when an option is unknown, of the wrong type or out of range, or a limit another cap's.
 */
export function createCaps(options: CapsOptions = {}): Caps {
  assertOptions('caps', options, optionKinds);
  const { clock = systemClock, onEvent } = options;
  const meter = new PressureMeter();
  const listener = onEvent === undefined ? {} : { onEvent };
  const checked: CapSettings[] = [];
  for (const [route, given] of Object.entries({ ...defaultRoutes, ...options.routes })) {
    assertOptions(`routes.${route}`, given, routeKinds);
    const own = { ...given, ...listener, route, clock, meter };
    checked.push(named(route, () => completeCapOptions(own, checked)));
  }
  const caps = new Map(checked.map((settings) => [settings.route, capOf(settings)]));
  const cap = (route: string): Cap => {
    const found = caps.get(route);
    if (found !== undefined) return found;
    const known = [...caps.keys()].join(', ');
    throw new Fault('INPUT_INVALID', `The route is none of ${known}, but ${shapeOf(route)}.`);
  };
  return {
    routes: [...caps.keys()],
    get pressure() {
      return meter.read(clock.now());
    },
    cap,
    admit: (route, call) => rejecting(() => cap(route).admit(call)),
    run: (route, work, call) => rejecting(() => cap(route).run(work, call)),
  };
}

/** The messages of a cap's faults begin with the field that is wrong; here it is one of a route. */
function named<T>(route: string, make: () => T): T {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    throw new Fault(error.code, `routes.${route}.${error.message}`, { cause: error });
  }
}

/** Turns a throw into a rejection; an async function would keep the caller waiting for longer. */
function rejecting<T>(work: () => Promise<T>): Promise<T> {
  try {
    return work();
  } catch (fault) {
    return Promise.reject(fault);
  }
}

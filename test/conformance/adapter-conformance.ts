import { afterEach, describe } from 'vitest';
import { createScenarios, type Scenarios, type ScenariosOptions } from '../../src/abuse/index.ts';
import { type Caps, type CapsOptions, createCaps } from '../../src/concurrency/index.ts';
import { createDevices } from '../../src/device/index.ts';
import { createGuard } from '../../src/index.ts';
import { createLimiter, type Limiter, type LimiterOptions } from '../../src/limits/index.ts';
import { createMemoryStore } from '../../src/stores/memory/index.ts';
import { testAnswers } from './adapter-answer-tests.ts';
import { testCaps } from './adapter-cap-tests.ts';
import { testScenarios } from './adapter-scenario-tests.ts';
import { testSettlement } from './adapter-settlement-tests.ts';
import { testSignIn } from './adapter-sign-in-tests.ts';
import {
  type AdapterUnderTest,
  type Answered,
  type Asked,
  ask,
  type GateOptions,
  type Protocol,
  type ServedApp,
} from './adapter-under-test.ts';

const secret = 'sixteen bytes or more';

/** The rate of an anonymous caller is a quarter of 40: a full bucket holds 20, and in frozen time it stays empty. */
const limits = { ratePerSecond: 40, burst: 2 };

/** What is thrown and is no error, by the password that has it thrown: frameworks may take it for something else. */
export const unfit: Readonly<Record<string, unknown>> = {
  undefined,
  null: null,
  zero: 0,
  empty: '',
  route: 'route',
  router: 'router',
};

export interface Stage {
  readonly limiter: Limiter;
  readonly caps: Caps;
  /** Watches only where the stage is set with scenarios. */
  readonly scenarios: Scenarios;
  /** For how long calls were held back, in ms: nobody waits here. */
  readonly delays: readonly number[];
  /** One request below the prefix. */
  ask(path: string, asked?: Asked): Promise<Answered>;
  /** How many units are left, by a look that costs nothing. */
  remaining(): Promise<number>;
  /** Lets handlers answer that are late; resolves once one has started. */
  readonly late: { started: Promise<void>; answer(): void };
}

export interface StageOptions {
  readonly limiter?: Partial<LimiterOptions>;
  readonly caps?: CapsOptions;
  readonly scenarios?: Partial<ScenariosOptions>;
  readonly options?: GateOptions;
  readonly prefix?: string;
}

/** Puts an application on stage; it is taken down after the test. */
export type SetStage = (options?: StageOptions) => Promise<Stage>;

/** Registers the tests that every adapter passes, on its framework's own server. */
export function adapterConformance(adapter: AdapterUnderTest): void {
  describe.each(adapter.protocols)(`the ${adapter.name} adapter over %s`, (protocol) => {
    const served: ServedApp[] = [];
    afterEach(async () => {
      for (const app of served.splice(0)) await app.close();
    });
    const setStage: SetStage = async (options = {}) => {
      const { app, stage } = await open(adapter, protocol, options);
      served.push(app);
      return stage;
    };
    testAnswers(setStage);
    testSettlement(setStage);
    testSignIn(setStage);
    testCaps(setStage);
    testScenarios(setStage);
  });
}

async function open(adapter: AdapterUnderTest, protocol: Protocol, stageOptions: StageOptions) {
  const { limiter: limiterOptions = {}, prefix = '' } = stageOptions;
  const now = 1_700_000_000_000;
  const store = createMemoryStore({ clock: () => now });
  const limiter = createLimiter({ store, secret, ...limits, ...limiterOptions });
  const caps = createCaps(stageOptions.caps);
  const delays: number[] = [];
  const scenarios = createScenarios({
    store,
    secret,
    limiter,
    random: () => 0,
    after: (delayMs, run) => {
      delays.push(delayMs);
      queueMicrotask(run);
      return () => {};
    },
    ...stageOptions.scenarios,
  });
  const options = stageOptions.scenarios
    ? { ...stageOptions.options, scenarios }
    : (stageOptions.options ?? {});
  const started = latch();
  const answered = latch();
  const app = await adapter.serve({
    prefix,
    protocol,
    limiter,
    caps,
    options,
    guard: createGuard({ secret }),
    devices: createDevices({ secret }),
    verify: async (account, password) => {
      // As a promise that is made by hand rejects, where it has nothing to say.
      if (password in unfit) throw unfit[password];
      return password === 'right' ? { user: account } : null;
    },
    late: () => {
      started.open();
      return answered.opened;
    },
  });
  const stage: Stage = {
    limiter,
    caps,
    scenarios,
    delays,
    ask: (path, asked) => ask(protocol, `${app.origin}${prefix}${path}`, asked),
    remaining: async () => {
      const { quota } = await limiter.take({
        method: 'GET',
        path: '/',
        ip: '127.0.0.1',
        ua: 'Chrome/120.0',
        cost: 0,
      });
      return quota?.remaining ?? Number.NaN;
    },
    late: { started: started.opened, answer: answered.open },
  };
  return { app, stage };
}

function latch(): { readonly opened: Promise<void>; open(): void } {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

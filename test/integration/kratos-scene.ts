import {
  type CounterBackoff,
  type CounterBackoffOptions,
  createLoginBackoff,
} from '../../src/kratos/counter-backoff.ts';
import type { KratosEvents } from '../../src/kratos/events.ts';
import type { LoginBackoff } from '../../src/kratos/login-backoff.ts';
import type { KratosProxyOptions } from '../../src/kratos/proxy/kratos-proxy.ts';
import { type ListeningProxy, startKratosProxy } from '../../src/kratos/proxy/start-proxy.ts';
import { createMemoryStore } from '../../src/stores/memory/index.ts';
import { type KratosUpstream, startKratosUpstream } from '../servers/kratos-upstream.ts';

export const secret = 'a secret that is long enough';

/** Kratos with a proxy in front, and everything the proxy has told. */
export interface KratosScene {
  readonly kratos: KratosUpstream;
  readonly proxy: ListeningProxy;
  readonly url: string;
  /** Events, as JSON. */
  readonly told: string[];
  /** Faults of ours; there must be none. */
  readonly faults: unknown[];
  /** A flow that a login can be submitted to. */
  flow(type?: 'api' | 'browser'): Promise<{ readonly id: string; readonly csrf: string }>;
  /** Submits a login by API. */
  login(fields: object, headers?: Record<string, string>): Promise<Response>;
  stop(): Promise<void>;
}

export interface SceneOptions {
  readonly backoff?: LoginBackoff;
  readonly counters?: Partial<CounterBackoffOptions>;
  readonly proxy?: Partial<KratosProxyOptions>;
}

export function memoryBackoff(options: Partial<CounterBackoffOptions> = {}): CounterBackoff {
  return createLoginBackoff({ store: createMemoryStore(), secret, ...options });
}

const eventNames = ['attempt', 'outcome', 'store', 'mode', 'breaker', 'critical', 'warning'] as const;

export async function startScene(options: SceneOptions = {}): Promise<KratosScene> {
  const kratos = await startKratosUpstream([{ email: 'alice@example.com', password: 'right' }]);
  const backoff = options.backoff ?? memoryBackoff(options.counters);
  const told: string[] = [];
  const faults: unknown[] = [];
  for (const name of eventNames) {
    backoff.events.on(name, (event: KratosEvents[typeof name]) => told.push(JSON.stringify({ name, event })));
  }
  const proxy = await startKratosProxy({
    host: '127.0.0.1',
    port: 0,
    upstream: { url: kratos.url },
    backoff,
    trustedProxies: { hasPeer: (peer) => peer === '127.0.0.1' },
    onFault: (error) => faults.push(error),
    ...options.proxy,
  });
  const url = `http://127.0.0.1:${proxy.port}`;
  const scene: KratosScene = {
    kratos,
    proxy,
    url,
    told,
    faults,
    async flow(type = 'api') {
      const answer = await fetch(`${url}/self-service/login/${type}`, {
        headers: { accept: 'application/json' },
        redirect: 'manual',
      });
      const { id, ui } = (await answer.json()) as FlowBody;
      return { id, csrf: ui.nodes[0]?.attributes.value ?? '' };
    },
    async login(fields, headers = {}) {
      const { id } = await scene.flow();
      return fetch(`${url}/self-service/login?flow=${id}`, {
        method: 'POST',
        headers: { accept: 'application/json', 'content-type': 'application/json', ...headers },
        body: JSON.stringify(fields),
      });
    },
    async stop() {
      await proxy.close(100);
      backoff.close();
      await kratos.stop();
    },
  };
  return scene;
}

interface FlowBody {
  readonly id: string;
  readonly ui: { readonly nodes: readonly { readonly attributes: { readonly value?: string } }[] };
}

export const wrong = (identifier = 'alice@example.com') => ({
  method: 'password',
  identifier,
  password: 'wrong',
});

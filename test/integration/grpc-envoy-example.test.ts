import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { type EnvoyClient, envoyClient } from '../servers/envoy-client.ts';
import { type ExampleScene, startExample } from '../servers/example-scene.ts';

/** What the test reads of Envoy's configuration. */
interface EnvoyConfig {
  static_resources: {
    listeners: { filter_chains: { filters: { typed_config: ConnectionManager }[] }[] }[];
    clusters: { name: string; load_assignment: unknown }[];
  };
}

interface ConnectionManager {
  route_config: {
    virtual_hosts: {
      routes: { route: { rate_limits: { actions: Record<string, { descriptor_key?: string }>[] }[] } }[];
    }[];
  };
  http_filters: {
    name: string;
    typed_config: { domain?: string; grpc_service?: unknown; rate_limit_service?: unknown };
  }[];
}

describe('the example for Envoy', () => {
  let scene: ExampleScene;
  let client: EnvoyClient;
  let envoy: EnvoyConfig;
  let manager: ConnectionManager;

  beforeAll(async () => {
    scene = await startExample('envoy');
    client = envoyClient(scene.grpcPort);
    envoy = parse(scene.file('envoy.yaml')) as EnvoyConfig;
    const [filter] = envoy.static_resources.listeners[0]?.filter_chains[0]?.filters ?? [];
    if (filter === undefined) throw new TypeError('The example has no filter.');
    manager = filter.typed_config;
  });
  afterAll(async () => {
    client.close();
    await scene.stop();
  });

  /** The descriptors that Envoy makes of a request by the actions of the example. */
  function descriptorsOf(address: string, path: string) {
    const rules = manager.route_config.virtual_hosts[0]?.routes[0]?.route.rate_limits ?? [];
    return rules.map(({ actions }) => ({
      entries: actions.map((action) => {
        if ('remote_address' in action) return { key: 'remote_address', value: address };
        if ('request_headers' in action) return { key: action.request_headers?.descriptor_key, value: path };
        throw new TypeError(`The test does not know the action ${Object.keys(action)}.`);
      }),
    }));
  }

  const limited = (address: string, path: string) => {
    const filter = manager.http_filters.find(({ name }) => name === 'envoy.filters.http.ratelimit');
    return client.shouldRateLimit({
      domain: filter?.typed_config.domain,
      descriptors: descriptorsOf(address, path),
    });
  };

  it('leads both filters to the gRPC port of the service', () => {
    const cluster = envoy.static_resources.clusters.find(({ name }) => name === 'portcullis');
    expect(JSON.stringify(cluster)).toContain(`"port_value":${scene.grpcPort}`);
    for (const { name, typed_config: config } of manager.http_filters.slice(0, 2)) {
      expect([name, JSON.stringify(config)]).toEqual([
        name,
        expect.stringContaining('"cluster_name":"portcullis"'),
      ]);
    }
    expect(manager.http_filters.map(({ name }) => name).at(-1)).toBe('envoy.filters.http.router');
  });

  it('limits by the descriptors it sends: each address, and what is dear for each of them', async () => {
    const first = await limited('203.0.113.7', '/list');
    expect(first).toMatchObject({
      overall_code: 'OK',
      statuses: [
        { code: 'OK', current_limit: { name: 'per-address', unit: 'MINUTE' }, limit_remaining: 99 },
        { code: 'OK', current_limit: null },
      ],
    });
    const codes: string[] = [];
    for (const path of ['/export', '/export/a', '/export/b', '/export?c']) {
      codes.push((await limited('203.0.113.7', path)).overall_code);
    }
    expect(codes).toEqual(['OK', 'OK', 'OK', 'OVER_LIMIT']);
    expect((await limited('203.0.113.8', '/export')).overall_code).toBe('OK');
  });

  it('limits a client whatever it writes into its path, as long as Envoy takes it', async () => {
    const codes: string[] = [];
    for (const bytes of [10, 9_000, 59_000, 59_001]) {
      codes.push((await limited('203.0.113.9', `/export?${'a'.repeat(bytes)}`)).overall_code);
    }
    expect(codes).toEqual(['OK', 'OK', 'OK', 'OVER_LIMIT']);
    const twelveTimes = Array(12)
      .fill(descriptorsOf('203.0.113.9', `/export?${'a'.repeat(59_000)}`))
      .flat();
    expect((await client.shouldRateLimit({ domain: 'edge', descriptors: twelveTimes })).overall_code).toBe(
      'OVER_LIMIT',
    );
  });

  it('asks ext_authz for the bucket of the client, whatever the client says of itself', async () => {
    const check = (address: string, forwardedFor: string) =>
      client.check({
        attributes: {
          source: { address: { socket_address: { address, port_value: 1 } } },
          // With use_remote_address Envoy has appended the peer before it asks.
          request: {
            http: { method: 'GET', path: '/', headers: { 'x-forwarded-for': `${forwardedFor}, ${address}` } },
          },
        },
      });
    expect((await check('203.0.113.7', '198.51.100.1')).status.code).toBe(0);
    expect((await check('203.0.113.7', '198.51.100.2')).denied_response?.status.code).toBe('TooManyRequests');
    expect((await check('203.0.113.8', '198.51.100.1')).status.code).toBe(0);
  });

  it('ends with UNAVAILABLE when the service is down, which the filters let pass', async () => {
    expect(scene.file('envoy.yaml')).toMatch(/failure_mode_allow: true[\s\S]*failure_mode_deny: false/);
    await scene.stopService();
    await expect(limited('203.0.113.9', '/')).rejects.toMatchObject({ code: 14 });
  });
});

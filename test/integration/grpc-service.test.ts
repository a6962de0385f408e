import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { changeBetween } from '../../src/config/config-change.ts';
import { readServiceConfig } from '../../src/config/read-service-config.ts';
import type { ServiceConfig } from '../../src/config/service-config.ts';
import { createService, type Service, type ServiceAddress } from '../../src/server/service.ts';
import { createLog } from '../../src/telemetry/log.ts';
import { type EnvoyClient, envoyClient } from '../servers/envoy-client.ts';
import { fieldsOf, SpopClient, variablesIn } from '../servers/spop-client.ts';

const token = 'decide-token-0123456789';

describe('the service with the listeners of Envoy and HAProxy', () => {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-grpc-service-'));
  let config: ServiceConfig;
  let service: Service;
  let address: ServiceAddress;
  let envoy: EnvoyClient;

  const configWith = (text: string): ServiceConfig => {
    const path = join(folder, 'portcullis.yaml');
    writeFileSync(
      path,
      `store: memory\ndataFolder: ${folder}\nlisten: { port: 0, grpcPort: 0, spoePort: 0 }\n${text}`,
    );
    return readServiceConfig({ path, env: {} });
  };
  const domain = (requests: number) =>
    `envoy:\n  - domain: edge\n    descriptors:\n      - key: user\n        rate_limit: { unit: year, requests_per_unit: ${requests} }\n`;
  const portIn = (what: RegExp) =>
    Number(address.others.find((line) => what.test(line))?.match(/:(\d+)$/)?.[1]);
  const ask = (metadata: Readonly<Record<string, string>> = {}) =>
    envoy.shouldRateLimit(
      { domain: 'edge', descriptors: [{ entries: [{ key: 'user', value: 'ann' }] }] },
      { metadata },
    );

  beforeAll(async () => {
    config = configWith(domain(2));
    service = await createService(config, { log: createLog({ level: 'silent' }) });
    address = await service.listen();
    envoy = envoyClient(portIn(/^gRPC/));
  });
  afterAll(async () => {
    envoy.close();
    await service.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('says where they listen, and counts what they refuse', async () => {
    expect(address.others).toEqual([
      expect.stringMatching(/^gRPC for Envoy on 127\.0\.0\.1:\d+$/),
      expect.stringMatching(/^SPOE agent for HAProxy on 127\.0\.0\.1:\d+$/),
    ]);
    const codes = [await ask(), await ask(), await ask()].map((answer) => answer.overall_code);
    expect(codes).toEqual(['OK', 'OK', 'OVER_LIMIT']);
    const metrics = await (await fetch(`${address.url}/metrics`)).text();
    expect(metrics).toMatch(/portcullis_limit_calls_total\{result="refused",rule="limit",route="edge"\} 1/);
  });

  it('shares the buckets of the limiter between Envoy, HAProxy and HTTP', async () => {
    const left = async () => {
      const haproxy = new SpopClient(portIn(/^SPOE/));
      haproxy.hello();
      expect(fieldsOf(await haproxy.receive())).toMatchObject({ version: '2.0' });
      haproxy.notify(1, 'portcullis-limit', {
        ip: { type: 'ipv4', value: '203.0.113.7' },
        method: { type: 'string', value: 'GET' },
        path: { type: 'string', value: '/' },
        cost: { type: 'int64', value: 0 },
      });
      const { ratelimit } = variablesIn(await haproxy.receive());
      haproxy.close();
      return Number(String(ratelimit).match(/r=(\d+)/)?.[1]);
    };
    const before = await left();
    const attributes = {
      source: { address: { socket_address: { address: '203.0.113.7', port_value: 1 } } },
      request: { http: { method: 'GET', path: '/' } },
      context_extensions: { cost: String(before) },
    };
    expect((await envoy.check({ attributes })).status.code).toBe(0);
    expect(await left()).toBeLessThan(before);
  });

  it('goes by new limits and new tokens without a restart', async () => {
    service.apply(changeBetween(config, configWith(domain(100))));
    expect((await ask()).overall_code).toBe('OK');
    service.apply(
      changeBetween(
        config,
        configWith(`${domain(100)}tokens:\n  - { name: envoy, role: decide, token: ${token} }\n`),
      ),
    );
    await expect(ask()).rejects.toMatchObject({ code: 16 });
    expect((await ask({ authorization: `Bearer ${token}` })).overall_code).toBe('OK');
    service.apply(
      changeBetween(configWith(`tokens:\n  - { name: envoy, role: decide, token: ${token} }\n`), config),
    );
    expect((await ask()).overall_code).toBe('OVER_LIMIT');
  });
});

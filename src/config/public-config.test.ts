import { describe, expect, it } from 'vitest';
import { publicConfig } from './public-config.ts';
import { checkDocument } from './read-service-config.ts';
import type { ServiceConfig } from './service-config.ts';

function configOf(document: object): ServiceConfig {
  const { config } = checkDocument(document, { folder: '/etc/portcullis', env: {} });
  if (config === null) expect.unreachable('the document is a good one');
  return config;
}

describe('the public configuration', () => {
  it('has every section', () => {
    const config = configOf({});
    expect(Object.keys(publicConfig(config)).sort()).toEqual(Object.keys(config).sort());
  });

  it('names nobody whom limits, scenarios and descriptors are made for', () => {
    const descriptor = {
      key: 'user',
      value: 'secret-ada',
      rate_limit: { unit: 'minute', requests_per_unit: 5 },
      descriptors: [
        { key: 'remote_address', value: '203.0.113.7', shadow_mode: true },
        { key: 'api_key', value: 203113 },
        { key: 'path' },
      ],
    };
    const allow = { cidrs: ['203.0.113.0/24'], users: ['secret-bob'], headers: [] };
    const shown = publicConfig(
      configOf({
        limits: { overrides: [{ user: 'secret-eve', ratePerSecond: 5 }], allow },
        scenarios: { allow },
        envoy: [{ domain: 'edge', descriptors: [descriptor] }, { domain: 'empty' }],
      }),
    );
    expect(JSON.stringify(shown)).not.toMatch(/secret-|203\.0\.113|203113/);
    expect(shown).toMatchObject({
      envoy: [
        {
          domain: 'edge',
          descriptors: [
            {
              key: 'user',
              value: '[hidden]',
              rate_limit: { unit: 'minute', requests_per_unit: 5 },
              descriptors: [
                { key: 'remote_address', value: '[hidden]', shadow_mode: true },
                { key: 'api_key', value: '[hidden]' },
                { key: 'path' },
              ],
            },
          ],
        },
        { domain: 'empty' },
      ],
    });
    expect(JSON.stringify(shown)).toContain('{"key":"path"}');
  });
});

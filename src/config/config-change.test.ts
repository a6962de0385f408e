import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { changeBetween, liveParts } from './config-change.ts';
import { checkDocument } from './read-service-config.ts';
import type { ServiceConfig } from './service-config.ts';

function configOf(document: object): ServiceConfig {
  const { config, problems } = checkDocument(document, { folder: '/etc/portcullis', env: {} });
  if (config === null) expect.unreachable(JSON.stringify(problems));
  return config;
}

const between = (before: object, after: object) => changeBetween(configOf(before), configOf(after));

describe('changeBetween', () => {
  it('finds nothing where nothing differs', () => {
    expect(between({ limits: {} }, {})).toMatchObject({ live: [], needsRestart: [] });
  });

  it.each([
    ['tokens', { tokens: [{ name: 'a', role: 'decide', token: 'x'.repeat(16) }] }],
    ['trustedProxies', { trustedProxies: ['10.0.0.0/8'] }],
    ['policies', { policies: { login: { budget: { threshold: 9 } } } }],
    ['policies', { shadow: ['spray'] }],
    ['limits', { limits: { anonymous: { ratePerSecond: 1 } } }],
    ['scenarios', { scenarios: [{ name: 'path-scan', off: true }] }],
    ['envoy', { envoy: [{ domain: 'a' }] }],
    ['telemetry.logLevel', { telemetry: { logLevel: 'debug' } }],
  ])('takes %s over', (part, document) => {
    const { live, needsRestart, config } = between({}, document);
    expect({ live, needsRestart }).toEqual({ live: [part], needsRestart: [] });
    expect(config).toEqual(configOf(document));
  });

  it.each([
    ['listen', { listen: { port: 1 } }],
    ['dataFolder', { dataFolder: 'x', keyFile: '/etc/portcullis/portcullis-data/portcullis.keys.json' }],
    ['keyFile', { keyFile: 'x' }],
    ['store', { store: 'memory' }],
    ['failure', { failure: { nodes: 2 } }],
    ['kratos', { kratos: {} }],
    ['pins', { pins: { most: 3 } }],
    ['console', { console: { enabled: false } }],
    ['telemetry.otlpEndpoint', { telemetry: { otlpEndpoint: 'http://x' } }],
    ['telemetry.feed', { telemetry: { feed: { ringEvents: 3 } } }],
  ])('keeps %s until a restart, and says so', (part, document) => {
    const { live, needsRestart, config } = between({}, document);
    expect({ live, needsRestart }).toEqual({ live: [], needsRestart: [part] });
    expect(config).toEqual(configOf({}));
  });

  it('takes over what it can of a change that is both', () => {
    const after = {
      telemetry: { logLevel: 'warn', traceRatio: 1 },
      store: 'memory',
      limits: { otherCost: 2 },
    };
    const { live, needsRestart, config } = between({}, after);
    expect({ live, needsRestart }).toEqual({
      live: ['limits', 'telemetry.logLevel'],
      needsRestart: ['store', 'telemetry.traceRatio'],
    });
    expect(config).toEqual(configOf({ limits: { otherCost: 2 }, telemetry: { logLevel: 'warn' } }));
  });

  it('takes nothing over from another environment', () => {
    const before = { environment: 'dev' };
    const running = configOf(before);
    const change = changeBetween(running, configOf({ environment: 'prod', limits: { otherCost: 2 } }));
    expect(change.config).toBe(running);
    expect(change.needsRestart).toEqual(['environment', 'limits']);
  });

  it('comes to the same in one step or in two', () => {
    const document = fc.record(
      {
        limits: fc.record({ otherCost: fc.nat({ max: 3 }) }),
        store: fc.constantFrom('memory', 'lmdb'),
        telemetry: fc.record({
          logLevel: fc.constantFrom('info', 'warn'),
          traceRatio: fc.constantFrom(0, 1),
        }),
        listen: fc.record({ port: fc.nat({ max: 2 }) }),
        pins: fc.record({ most: fc.integer({ min: 1, max: 3 }) }),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(document, document, document, (first, second, third) => {
        const [a, b, c] = [configOf(first), configOf(second), configOf(third)];
        expect(changeBetween(changeBetween(a, b).config, c).config).toEqual(changeBetween(a, c).config);
      }),
      { numRuns: 60 },
    );
  });

  it('is documented part by part', () => {
    const page = readFileSync(new URL('../../docs/reference/config.md', import.meta.url), 'utf8');
    for (const part of liveParts) expect(page, part).toContain(`\`${part}\``);
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { type ExampleScene, startExample } from '../servers/example-scene.ts';

interface ForwardAuth {
  readonly address: string;
  readonly trustForwardHeader: boolean;
  readonly authRequestHeaders: readonly string[];
}

/** There is no Traefik here: what ForwardAuth sends by the example is sent by hand. */
describe('the example for Traefik', () => {
  let scene: ExampleScene;
  let forwardAuth: ForwardAuth;

  beforeAll(async () => {
    scene = await startExample('traefik');
    const { http } = parse(scene.file('dynamic.yaml')) as {
      http: { middlewares: { portcullis: { forwardAuth: ForwardAuth } } };
    };
    forwardAuth = http.middlewares.portcullis.forwardAuth;
  });
  afterAll(() => scene.stop());

  /** Traefik passes on the listed headers of the visitor and writes these of its own. */
  function ask(peer: string, uri: string, visitor: Readonly<Record<string, string>> = {}) {
    const kept = Object.entries(visitor).filter(([name]) =>
      forwardAuth.authRequestHeaders.some((listed) => listed.toLowerCase() === name),
    );
    return fetch(forwardAuth.address, {
      headers: {
        ...Object.fromEntries(kept),
        'x-forwarded-for': peer,
        'x-forwarded-method': 'GET',
        'x-forwarded-proto': 'http',
        'x-forwarded-host': 'example.com',
        'x-forwarded-uri': uri,
      },
    });
  }

  it('does not believe visitors about where they come from', () => {
    expect(forwardAuth.trustForwardHeader).toBe(false);
  });

  it('gets 200, then a refusal that is passed on as it is', async () => {
    const visitor = { 'user-agent': 'curl/8', 'x-request-id': 'req-3', 'x-original-uri': '/elsewhere' };
    const first = await ask('203.0.113.7', '/a?b=c', visitor);
    expect([first.status, first.headers.get('ratelimit')]).toEqual([200, '"default";r=0;t=10']);
    const second = await ask('203.0.113.7', '/a?b=c', visitor);
    expect([second.status, second.headers.get('content-type')]).toEqual([429, 'application/problem+json']);
    expect(Number(second.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await second.json()).toMatchObject({ status: 429, instance: '/a', requestId: 'req-3' });
    expect((await ask('203.0.113.8', '/a')).status).toBe(200);
  });
});

import { describe, expect, it } from 'vitest';
import { Fault } from '../../src/core/fault.ts';
import { createMemoryStore } from '../../src/stores/memory/index.ts';
import type { Store } from '../../src/stores/store.ts';
import type { SetStage, Stage } from './adapter-conformance.ts';

const uuid = /^[0-9a-f-]{36}$/;

async function exhaust(stage: Stage, path = '/list'): Promise<number> {
  for (let allowed = 0; ; allowed += 1) if ((await stage.ask(path)).status === 429) return allowed;
}

function corruptStore(): Store {
  const store = createMemoryStore();
  return {
    view: (keys, look) => store.view(keys, look),
    transact: async () => {
      throw new Fault('RECORD_CORRUPT', 'as told');
    },
    ping: () => store.ping(),
    held: (prefix) => store.held(prefix),
    close: () => store.close(),
  };
}

export function testAnswers(setStage: SetStage): void {
  describe('answers', () => {
    it('pass with what is left of the quota', async () => {
      const stage = await setStage();
      const { status, headers, body } = await stage.ask('/list', { headers: { 'x-request-id': 'req-1' } });
      expect([status, body]).toEqual([200, 'handled /list']);
      expect(headers.ratelimit).toBe('"default";r=19;t=1');
      expect(headers['ratelimit-policy']).toBe('"default";q=20;w=2');
      expect(headers['x-request-id']).toBe('req-1');
      expect(headers['retry-after']).toBeUndefined();
      expect(headers['x-ratelimit-limit']).toBeUndefined();
    });

    it('over the limit are a problem that says when to come back', async () => {
      const stage = await setStage();
      expect(await exhaust(stage)).toBe(20);
      const { status, headers, body } = await stage.ask('/list?secret=1', {
        headers: { 'x-request-id': 'not sane' },
      });
      expect(status).toBe(429);
      expect(headers['content-type']).toMatch(/^application\/problem\+json/);
      expect(headers['retry-after']).toBe('1');
      expect(headers.ratelimit).toBe('"default";r=0;t=1');
      expect(headers['x-request-id']).toMatch(uuid);
      expect(JSON.parse(body)).toEqual({
        type: 'https://iana.org/assignments/http-problem-types#quota-exceeded',
        title: 'Too Many Requests',
        status: 429,
        detail: 'Rate limit exceeded',
        code: 'RATE_LIMIT',
        retryAfter: '1',
        requestId: headers['x-request-id'],
        instance: '/list',
      });
    });

    it('to a blocked client say how long', async () => {
      const stage = await setStage();
      await stage.limiter.block({ ip: '127.0.0.1', ua: 'Chrome/120.0' });
      const { status, headers, body } = await stage.ask('/list');
      expect([status, headers['retry-after']]).toEqual([429, '60']);
      expect(JSON.parse(body)).toMatchObject({ type: expect.stringMatching(/#abnormal-usage-detected$/) });
    });

    it('carry the old headers on request', async () => {
      const { headers } = await (await setStage({ options: { legacyHeaders: true } })).ask('/list');
      expect(headers['x-ratelimit-limit']).toBe('20');
      expect(headers['x-ratelimit-remaining']).toBe('19');
      expect(headers['x-ratelimit-reset']).toMatch(/^\d{10}$/);
    });

    it('stream through, with their headers', async () => {
      const stage = await setStage();
      const { status, headers, body } = await stage.ask('/stream');
      expect([status, body]).toEqual([200, 'one two three']);
      expect(headers.ratelimit).toBe('"default";r=19;t=1');
    });

    it('are the framework’s own when a handler throws, and the call is charged', async () => {
      const stage = await setStage();
      const { status, headers } = await stage.ask('/throw');
      expect(status).toBe(500);
      expect(headers.ratelimit).toBe('"default";r=19;t=1');
      expect(await stage.remaining()).toBe(19);
      expect((await stage.ask('/list')).status).toBe(200);
    });

    it('are errors when the limiter throws: nobody hangs, nobody passes', async () => {
      const stage = await setStage({ limiter: { store: corruptStore() } });
      const { status, body } = await stage.ask('/list');
      expect(status).toBe(500);
      expect(body).not.toContain('handled');
    });
  });

  describe('calls', () => {
    it('cost what their route costs', async () => {
      const stage = await setStage();
      expect((await stage.ask('/create', { method: 'PUT', body: '' })).headers.ratelimit).toBe(
        '"default";r=15;t=1',
      );
    });

    it('below a prefix are looked up by the whole path', async () => {
      const stage = await setStage({
        prefix: '/api/v1',
        limiter: { routes: [{ path: '/api/v1/list', cost: 7 }] },
      });
      expect((await stage.ask('/list')).headers.ratelimit).toBe('"default";r=13;t=1');
    });

    it('below a prefix that is taken off are looked up without it, and told with it', async () => {
      const stage = await setStage({ prefix: '/api', options: { basePath: '/api' } });
      expect((await stage.ask('/create', { method: 'PUT', body: '' })).headers.ratelimit).toBe(
        '"default";r=15;t=1',
      );
      await exhaust(stage);
      expect(JSON.parse((await stage.ask('/list')).body)).toMatchObject({ instance: '/api/list' });
    });

    it('of a user are the user’s, wherever they come from', async () => {
      const stage = await setStage();
      const asUser = { headers: { 'x-user': 'u1' } };
      expect((await stage.ask('/list', asUser)).headers.ratelimit).toBe('"default";r=79;t=1');
      await exhaust(stage);
      expect((await stage.ask('/list', asUser)).status).toBe(200);
    });

    it('are those of the peer, whatever a header says', async () => {
      const stage = await setStage({ options: { trustedProxies: ['10.0.0.0/8'] } });
      await exhaust(stage);
      for (const spoofed of ['203.0.113.1', '10.0.0.1, 203.0.113.2']) {
        const headers = { 'x-forwarded-for': spoofed, forwarded: `for=${spoofed}` };
        expect((await stage.ask('/list', { headers })).status).toBe(429);
      }
    });

    it('are those of whom a trusted proxy names', async () => {
      const stage = await setStage({ options: { trustedProxies: ['127.0.0.1'] } });
      const from = (ip: string) => stage.ask('/list', { headers: { 'x-forwarded-for': ip } });
      expect((await from('203.0.113.1')).headers.ratelimit).toBe('"default";r=19;t=1');
      expect((await from('203.0.113.1')).headers.ratelimit).toBe('"default";r=18;t=1');
      expect((await from('203.0.113.2')).headers.ratelimit).toBe('"default";r=19;t=1');
    });

    it('that are skipped are not limited', async () => {
      const stage = await setStage();
      await exhaust(stage);
      const { status, headers } = await stage.ask('/list', { headers: { 'x-skip': 'yes' } });
      expect([status, headers.ratelimit]).toEqual([200, undefined]);
    });

    it('in parallel never get more than there is', async () => {
      const stage = await setStage();
      const answers = await Promise.all(Array.from({ length: 60 }, () => stage.ask('/list')));
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(20);
      expect(answers.filter(({ status }) => status === 429)).toHaveLength(40);
    });
  });
}

import { describe, expect, it } from 'vitest';
import { type SetStage, type Stage, unfit } from './adapter-conformance.ts';

const login = (stage: Stage, account: unknown, password: string, cookie = '') =>
  stage.ask('/login', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(cookie === '' ? {} : { cookie }) },
    body: JSON.stringify({ account, password }),
  });

/** What a browser would send back. */
const cookieFrom = (setCookie: string | readonly string[] | undefined): string =>
  [setCookie ?? ''].flat()[0]?.split(';')[0] ?? '';

export function testSignIn(setStage: SetStage): void {
  describe('a sign-in', () => {
    it('that succeeds reaches its handler and gets a device token', async () => {
      const stage = await setStage();
      const { status, headers, body } = await login(stage, 'alice', 'right');
      expect([status, JSON.parse(body)]).toEqual([200, { user: 'alice' }]);
      expect([headers['set-cookie']].flat()[0]).toMatch(
        /^__Host-portcullis-device=1\..*; HttpOnly; SameSite=Lax; Secure$/,
      );
      const again = await login(stage, 'alice', 'right', cookieFrom(headers['set-cookie']));
      expect([again.status, again.headers['set-cookie']]).toEqual([200, undefined]);
    });

    it('with wrong credentials is told so, in the same words for any account', async () => {
      const stage = await setStage();
      const { status, headers, body } = await login(stage, 'alice', 'wrong');
      expect(status).toBe(401);
      expect(headers['content-type']).toMatch(/^application\/problem\+json/);
      expect(headers['cache-control']).toBe('no-store');
      expect(JSON.parse(body)).toEqual({
        type: 'about:blank',
        title: 'Unauthorized',
        status: 401,
        detail: 'Wrong credentials',
        code: 'CREDENTIALS_WRONG',
        requestId: headers['x-request-id'],
        instance: '/login',
      });
    });

    it('tried too often is stopped, with right credentials too, and says when to come back', async () => {
      const stage = await setStage();
      await login(stage, 'alice', 'wrong');
      await login(stage, 'alice', 'wrong');
      const { status, headers, body } = await login(stage, 'alice', 'right');
      expect(status).toBe(429);
      expect(Number(headers['retry-after'])).toBeGreaterThan(0);
      expect(JSON.parse(body)).toMatchObject({
        status: 429,
        detail: 'Too many attempts',
        code: 'ATTEMPT_LIMIT',
        retryAfter: headers['retry-after'],
      });
      expect((await login(stage, 'bob', 'right')).status).toBe(200);
    });

    it.each(Object.keys(unfit))(
      'whose look at the credentials throws %s, which is no error, fails',
      async (password) => {
        const stage = await setStage();
        const { status, body } = await login(stage, 'alice', password);
        expect(status).toBe(500);
        expect(body).not.toContain('alice');
      },
    );

    it('tells no quota of a limit before it, however it ends', async () => {
      const stage = await setStage({ options: { legacyHeaders: true } });
      const told = Object.keys((await stage.ask('/list')).headers).filter((name) =>
        name.includes('ratelimit'),
      );
      expect(told).toHaveLength(5);
      const answers = [
        await login(stage, 'alice', 'right'),
        await login(stage, '', 'right'),
        await login(stage, 'alice', 'wrong'),
        await login(stage, 'alice', 'wrong'),
      ];
      expect(answers.map(({ status }) => status)).toEqual([200, 400, 401, 429]);
      for (const { headers } of answers)
        expect(Object.keys(headers).filter((name) => name.includes('ratelimit'))).toEqual([
          'ratelimit-policy',
        ]);
    });

    it('of the owner on a device with a token goes through while others are stopped', async () => {
      const stage = await setStage();
      const owner = cookieFrom((await login(stage, 'alice', 'right')).headers['set-cookie']);
      for (let i = 0; i < 4; i += 1) await login(stage, 'alice', 'wrong');
      expect((await login(stage, 'alice', 'right')).status).toBe(429);
      expect((await login(stage, 'alice', 'right', owner)).status).toBe(200);
    });

    it('with somebody else’s device token is not trusted', async () => {
      const stage = await setStage();
      const mallory = cookieFrom((await login(stage, 'mallory', 'right')).headers['set-cookie']);
      for (let i = 0; i < 4; i += 1) await login(stage, 'alice', 'wrong', mallory);
      expect((await login(stage, 'alice', 'right', mallory)).status).toBe(429);
    });

    it.each([
      ['nothing', undefined],
      ['an empty text', ''],
      ['a text that is too long', 'a'.repeat(1_025)],
      ['a text with NUL', 'nul\u0000'],
      ['a text with half a character', 'half\ud83d'],
    ])('with %s for an account is a bad request', async (_, account) => {
      const stage = await setStage();
      const { status, body } = await login(stage, account, 'right');
      expect([status, JSON.parse(body).code]).toEqual([400, 'INPUT_INVALID']);
    });
  });
}

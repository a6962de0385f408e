import { describe, expect, it, vi } from 'vitest';
import { formatPressure, PRESSURE_HEADER, systemClock } from '../../src/concurrency/index.ts';
import type { SetStage, Stage } from './adapter-conformance.ts';
import type { Answered } from './adapter-under-test.ts';

/** What happens on the other side of a connection is waited for. */
const soon = { timeout: 5_000, interval: 5 };
/** One call of each kind, one that waits; nobody waits so long that time decides a test. */
const narrow = { limit: 1, queue: 1, queueDeadlineMs: 60_000 };
const narrowRead = { routes: { read: narrow } };

function reading(stage: Stage, expected: { running: number; waiting: number }): Promise<void> {
  return vi.waitFor(() => expect(stage.caps.cap('read').status).toMatchObject(expected), soon);
}

/** A request that ends with what became of it, and a way to leave. */
function visit(stage: Stage, path: string) {
  let leave = () => {};
  const became: Promise<Answered | 'left'> = stage
    .ask(path, {
      onOpen: (abort) => {
        leave = abort;
      },
    })
    .catch(() => 'left');
  return { became, leave };
}

function testQueue(setStage: SetStage): void {
  it('lets a call wait while another one runs, and refuses the next', async () => {
    // Whoever is refused is told to stay away the longer, the longer the service is under pressure: here no time passes.
    const clock = { now: () => 0, after: systemClock.after };
    const stage = await setStage({ caps: { ...narrowRead, clock } });
    const first = stage.ask('/late');
    await stage.late.started;
    const second = stage.ask('/list');
    await reading(stage, { running: 1, waiting: 1 });
    const { status, headers, body } = await stage.ask('/list?secret=1', {
      headers: { 'x-request-id': 'req-3' },
    });
    expect(status).toBe(503);
    expect(headers['content-type']).toMatch(/^application\/problem\+json/);
    expect(headers['retry-after']).toBe('60');
    expect(headers['cache-control']).toBe('no-store');
    expect(headers[PRESSURE_HEADER]).toMatch(/^0\.\d\d$/);
    expect(headers['x-request-id']).toBe('req-3');
    expect(JSON.parse(body)).toEqual({
      type: 'https://iana.org/assignments/http-problem-types#temporary-reduced-capacity',
      title: 'Service Unavailable',
      status: 503,
      detail: 'The service is working at its limit',
      code: 'OVERLOADED',
      retryAfter: '60',
      requestId: 'req-3',
      instance: '/list',
    });
    stage.late.answer();
    expect((await first).status).toBe(200);
    expect((await second).body).toBe('handled /list');
    await reading(stage, { running: 0, waiting: 0 });
  });

  it('refuses a call that has waited for too long', async () => {
    const stage = await setStage({ caps: { routes: { read: { ...narrow, queueDeadlineMs: 20 } } } });
    const first = stage.ask('/late');
    await stage.late.started;
    const second = await stage.ask('/list');
    expect([second.status, second.headers['retry-after']]).toEqual([503, '1']);
    stage.late.answer();
    expect((await first).status).toBe(200);
  });

  it('takes a client that leaves out of the queue, and never runs its call', async () => {
    const stage = await setStage({ caps: narrowRead });
    const first = stage.ask('/late');
    await stage.late.started;
    const second = visit(stage, '/settle/0');
    await reading(stage, { running: 1, waiting: 1 });
    second.leave();
    expect(await second.became).toBe('left');
    await reading(stage, { running: 1, waiting: 0 });
    const third = stage.ask('/list');
    await reading(stage, { running: 1, waiting: 1 });
    stage.late.answer();
    expect([(await first).status, (await third).status]).toEqual([200, 200]);
    await reading(stage, { running: 0, waiting: 0 });
    expect(await stage.remaining()).toBe(17);
  });

  it('keeps what changes something apart from what only looks', async () => {
    const stage = await setStage({ caps: { routes: { read: { limit: 1, queue: 0 } } } });
    const first = stage.ask('/late');
    await stage.late.started;
    expect((await stage.ask('/list')).status).toBe(503);
    const signIn = { method: 'POST', headers: { 'content-type': 'application/json' } };
    const body = JSON.stringify({ account: 'a1', password: 'right' });
    expect((await stage.ask('/login', { ...signIn, body })).status).toBe(200);
    stage.late.answer();
    await first;
  });
}

function testSlots(setStage: SetStage): void {
  it.each([
    ['/list', 'observe'],
    ['/status/404', 'observe'],
    ['/status/503', 'observeError'],
    ['/throw', 'observeError'],
  ])('tells the limit how %s ended', async (path, heard) => {
    const told: string[] = [];
    const limit = {
      current: 1,
      strain: 0,
      observe: () => void told.push('observe'),
      observeError: () => void told.push('observeError'),
    };
    const stage = await setStage({ caps: { routes: { read: { limit } } } });
    await stage.ask(path);
    await vi.waitFor(() => expect(told).toEqual([heard]), soon);
  });

  it.each([
    ['GET', '/list', 200],
    ['HEAD', '/list', 200],
    ['GET', '/status/204', 204],
    ['GET', '/status/404', 404],
    ['GET', '/throw', 500],
    ['GET', '/stream', 200],
  ])('comes back after %s %s', async (method, path, status) => {
    const stage = await setStage({ caps: { routes: { read: { ...narrow, queue: 0 } } } });
    for (let i = 0; i < 3; i += 1) {
      expect((await stage.ask(path, { method })).status).toBe(status);
      await reading(stage, { running: 0, waiting: 0 });
    }
  });

  it('is held until the last of a stream', async () => {
    const stage = await setStage({ caps: narrowRead });
    const streamed = stage.ask('/stream/late');
    await stage.late.started;
    const next = stage.ask('/list');
    await reading(stage, { running: 1, waiting: 1 });
    stage.late.answer();
    expect((await streamed).body).toBe('one two three');
    expect((await next).status).toBe(200);
    await reading(stage, { running: 0, waiting: 0 });
  });

  it('comes back when the client leaves in the middle of a stream', async () => {
    const stage = await setStage({ caps: narrowRead });
    const streamed = visit(stage, '/stream/late');
    await stage.late.started;
    await reading(stage, { running: 1, waiting: 0 });
    streamed.leave();
    expect(await streamed.became).toBe('left');
    await reading(stage, { running: 0, waiting: 0 });
    stage.late.answer();
  });

  it('comes back once when the client leaves before there is an answer', async () => {
    const stage = await setStage({ caps: { routes: { read: { ...narrow, limit: 2 } } } });
    const left = visit(stage, '/late');
    await stage.late.started;
    left.leave();
    expect(await left.became).toBe('left');
    stage.late.answer();
    await reading(stage, { running: 0, waiting: 0 });
    const held = stage.caps.cap('read').tryAdmit();
    expect((await stage.ask('/list')).status).toBe(200);
    await reading(stage, { running: 1, waiting: 0 });
    expect(held.admitted && held.release()).toBe(true);
  });
}

function testHealth(setStage: SetStage): void {
  const full = { routes: { read: { limit: 1, queue: 0 } } };

  it.each([
    ['at the root', {}, 200],
    ['below a prefix that it is told', { prefix: '/api', options: { basePath: '/api' } }, 200],
    ['not below one that it is not told', { prefix: '/api' }, 503],
  ])('get through a full service %s', async (_, mounting, status) => {
    const stage = await setStage({ caps: full, ...mounting });
    const first = stage.ask('/late');
    await stage.late.started;
    expect((await stage.ask('/healthz?full')).status).toBe(status);
    expect((await stage.ask('/list')).status).toBe(503);
    stage.late.answer();
    expect((await first).status).toBe(200);
  });
}

function testPressure(setStage: SetStage): void {
  it('is told by answers, and rises with what is refused', async () => {
    let now = systemClock.now();
    const clock = { now: () => now, after: systemClock.after };
    const stage = await setStage({ caps: { clock, routes: { read: { limit: 1, queue: 0 } } } });
    const calm = await stage.ask('/list');
    expect(calm.headers[PRESSURE_HEADER]).toBe('0.00');
    await reading(stage, { running: 0, waiting: 0 });
    const first = stage.ask('/late');
    await stage.late.started;
    for (let second = 0; second < 3; second += 1) {
      for (let i = 0; i < 3; i += 1) await stage.ask('/list');
      now += 1_000;
    }
    const { status, headers } = await stage.ask('/list');
    expect(status).toBe(503);
    expect(Number(headers[PRESSURE_HEADER])).toBeGreaterThan(0.5);
    expect(headers[PRESSURE_HEADER]).toBe(formatPressure(stage.caps.pressure));
    stage.late.answer();
    await first;
  });
}

export function testCaps(setStage: SetStage): void {
  describe('the queue', () => testQueue(setStage));
  describe('the slot', () => testSlots(setStage));
  describe('health checks', () => testHealth(setStage));
  describe('pressure', () => testPressure(setStage));
}

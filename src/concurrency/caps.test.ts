import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../testing/virtual-clock.ts';
import type { CapEvent } from './admission.ts';
import { type CapsOptions, createCaps } from './caps.ts';
import { gradientLimit } from './gradient-limit.ts';

describe('createCaps', () => {
  it('has 10 creates and 50 reads without being told', () => {
    const caps = createCaps();
    expect(caps.routes).toEqual(['create', 'read']);
    expect(caps.cap('create').status.limit).toBe(10);
    expect(caps.cap('read').status.limit).toBe(50);
  });

  it('takes other routes and other numbers', () => {
    const caps = createCaps({
      routes: { create: { limit: 3 }, export: { limit: gradientLimit({ max: 2 }) } },
    });
    expect(caps.routes).toEqual(['create', 'read', 'export']);
    expect(caps.cap('create').status.limit).toBe(3);
    expect(caps.cap('export').status.limit).toBe(2);
  });

  it('keeps routes apart', async () => {
    const caps = createCaps({ routes: { create: { limit: 1, queue: 0 } } });
    expect((await caps.admit('create')).admitted).toBe(true);
    expect((await caps.admit('create')).admitted).toBe(false);
    expect(await caps.run('read', () => 'row')).toEqual({ admitted: true, value: 'row' });
  });

  it('has one pressure for the service, by calls', async () => {
    const clock = new VirtualClock();
    const caps = createCaps({ clock, routes: { create: { limit: 1, queue: 0 }, read: { limit: 1_000 } } });
    expect(caps.pressure).toBe(0);
    for (let i = 0; i < 11; i += 1) await caps.admit('create');
    for (let i = 0; i < 89; i += 1) await caps.admit('read');
    await clock.advance(1_000);
    expect(caps.pressure).toBeCloseTo(0.0906, 3);
    expect(caps.cap('read').pressure).toBe(caps.pressure);
  });

  it('tells which route an event is about', async () => {
    const events: CapEvent[] = [];
    const caps = createCaps({
      routes: { export: { limit: 1, queue: 0 } },
      onEvent: (event) => events.push(event),
    });
    await caps.admit('export');
    await caps.admit('export');
    expect(events).toMatchObject([{ type: 'shed', route: 'export' }]);
  });

  it('rejects calls to routes that it does not have', async () => {
    const caps = createCaps();
    await expect(caps.admit('toString')).rejects.toMatchObject({ code: 'INPUT_INVALID' });
    await expect(caps.run('delete', () => 1)).rejects.toMatchObject({ code: 'INPUT_INVALID' });
    expect(() => caps.cap('delete')).toThrow(expect.objectContaining({ code: 'INPUT_INVALID' }));
  });

  it.each<[unknown, string]>([
    [{ create: { limit: 5 } }, 'create is no option of caps: there are routes, clock, onEvent'],
    [{ routes: [] }, 'routes must be an object, got an array of 0'],
    [{ routes: { read: 5 } }, 'options of routes.read must be an object, got an integer of 1 digit'],
    [{ routes: { read: { limit: 5, que: 3 } } }, 'que is no option of routes.read: there are limit, '],
    [{ routes: { read: { limit: 5, learnFrom: 'report' } } }, 'learnFrom must be "handler" or "reported"'],
    [{ routes: { read: { limit: 5, shadow: 'false' } } }, 'shadow must be true or false'],
    [{ onEvent: 'log' }, 'onEvent must be a function'],
  ])('refuses options by name: %j', (options, message) => {
    expect(() => createCaps(options as CapsOptions)).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', message: expect.stringContaining(message) }),
    );
  });

  it('says which route has a wrong number', () => {
    const routes = { export: { limit: 2 }, read: { limit: 0 } };
    expect(() => createCaps({ routes })).toThrow(
      expect.objectContaining({
        code: 'CONFIG_INVALID',
        message: 'routes.read.limit must be a whole number from 1 to 1000000, got the integer 0',
      }),
    );
  });

  it('says which route has the limit of another, and leaves all limits free then', () => {
    const [read, create] = [gradientLimit({ max: 50 }), gradientLimit({ max: 10 })];
    const shared = { create: { limit: create }, read: { limit: read }, list: { limit: read } };
    expect(() => createCaps({ routes: shared })).toThrow(
      expect.objectContaining({
        code: 'CONFIG_INVALID',
        message: expect.stringContaining('routes.list.limit belongs to another cap'),
      }),
    );
    const routes = { create: { limit: create }, read: { limit: read } };
    expect(() => createCaps({ routes: { ...routes, list: { limit: 0 } } })).toThrow('routes.list.limit');
    expect(createCaps({ routes }).cap('read').status.limit).toBe(50);
    expect(() => createCaps({ routes })).toThrow('routes.create.limit belongs to another cap');
  });
});

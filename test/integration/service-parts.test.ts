import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readServiceConfig } from '../../src/config/read-service-config.ts';
import type { ServiceConfig } from '../../src/config/service-config.ts';
import type { OpenRoom } from '../../src/server/rooms.ts';
import { createService } from '../../src/server/service.ts';
import type { ServiceParts } from '../../src/server/service-parts.ts';
import type { Store } from '../../src/stores/store.ts';
import { createLog } from '../../src/telemetry/log.ts';
import { startService } from './service-under-test.ts';

const login = { action: 'auth.login', account: 'a', ip: '192.0.2.1' };

/** A room that keeps what it stands on, and notes its end. */
function watchedRoom(close: () => Promise<void> = async () => {}) {
  const seen: { store: Store | null; closed: number } = { store: null, closed: 0 };
  const open: OpenRoom = async ({ store }) => {
    seen.store = store;
    return {
      name: 'watched',
      close: () => {
        seen.closed += 1;
        return close();
      },
    };
  };
  return { seen, open };
}

describe('a service that cannot be put together', () => {
  it.each<[object, string]>([
    [{ room: [] }, 'room is no option of a service: there are log, rooms, bounds, consoleFolder'],
    [{ bounds: { maxConnections: 5 } }, 'maxConnections is no option of bounds: there are headerBytes, '],
    [{ bounds: { connections: '5' } }, 'bounds.connections must be a number of at least 0, got a string of'],
    [{ log: { level: 'info' } }, 'log must be what createLog gives, got an object without '],
    [{ rooms: {} }, 'rooms must be a list, got an object'],
  ])('refuses a part that there is not, or that is another: %j', async (parts, message) => {
    await expect(startService({}, parts as ServiceParts)).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining(message),
    });
  });

  it.each<[unknown, string]>([
    ['portcullis.yaml', 'a string of 15 characters'],
    [{ store: 'memory' }, 'an object'],
    [undefined, 'nothing'],
  ])('refuses a configuration that was not read: %j', async (config, shape) => {
    await expect(createService(config as ServiceConfig)).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: `config must be what readServiceConfig gives, got ${shape}`,
    });
  });

  it('leaves nothing open, and says why', async () => {
    const { seen, open } = watchedRoom();
    const broken: OpenRoom = () => Promise.reject(new RangeError('no room'));
    const never = watchedRoom();
    await expect(startService({}, { rooms: [open, broken, never.open] })).rejects.toThrow('no room');
    expect(seen.closed).toBe(1);
    await expect(seen.store?.ping()).rejects.toMatchObject({ code: 'STORE_CLOSED' });
    expect(never.seen.store).toBeNull();
  });

  it('has made no secret where its store cannot be opened', async () => {
    const keyFile = join(mkdtempSync(join(tmpdir(), 'portcullis-parts-')), 'keys.json');
    const config = readServiceConfig({ env: { PORTCULLIS_KEYS: keyFile } });
    const opening = createService({ ...config, store: 'lmdb:' }, { log: createLog({ level: 'silent' }) });
    await expect(opening).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    expect(existsSync(keyFile)).toBe(false);
  });

  it('says why also where what is open does not end well', async () => {
    const { seen, open } = watchedRoom(() => Promise.reject(new RangeError('stuck')));
    const broken: OpenRoom = () => Promise.reject(new RangeError('no room'));
    await expect(startService({}, { rooms: [open, broken] })).rejects.toThrow('no room');
    await expect(seen.store?.ping()).rejects.toMatchObject({ code: 'STORE_CLOSED' });
  });
});

describe('the end of a service', () => {
  it('comes to every part, whatever one of them does', async () => {
    const stuck = watchedRoom(() => Promise.reject(new RangeError('stuck')));
    const other = watchedRoom();
    const under = await startService({}, { rooms: [stuck.open, other.open] });
    await expect(under.service.close()).rejects.toThrow('stuck');
    expect([stuck.seen.closed, other.seen.closed]).toEqual([1, 1]);
    await expect(stuck.seen.store?.ping()).rejects.toMatchObject({ code: 'STORE_CLOSED' });
    await expect(under.service.guard.check(login)).rejects.toMatchObject({ code: 'STORE_CLOSED' });
    await expect(under.ask('GET', '/healthz')).rejects.toThrow('fetch failed');
    expect(under.lines.join('\n')).toContain('did not end well');
    await expect(under.service.close()).rejects.toThrow('stuck');
  });
});

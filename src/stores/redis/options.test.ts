import { describe, expect, test } from 'vitest';
import { createRedisStore, type RedisStoreOptions } from './index.ts';
import { settingsOf } from './options.ts';

describe('options of the Redis store', () => {
  test('have defaults', () => {
    expect(settingsOf({})).toMatchObject({ deadlineMs: 50, driver: { isCluster: false } });
    expect(settingsOf({ cluster: ['redis://a:1'], deadlineMs: 20 })).toMatchObject({
      deadlineMs: 20,
      driver: { isCluster: true },
    });
  });

  test.each([null, 'redis://a'])('are an object, not %j', (options) => {
    expect(() => createRedisStore(options as RedisStoreOptions)).toThrow(
      'options of the Redis store must be an object, got ',
    );
  });

  test.each<[string, object, string]>([
    ['an unknown option', { uri: 'redis://a' }, 'uri is no option of the Redis store'],
    ['two places', { url: 'redis://a', cluster: ['redis://b'] }, 'url, cluster'],
    ['a deadline of none', { deadlineMs: 0 }, 'deadlineMs'],
    ['a deadline that is no number', { deadlineMs: '50' }, 'deadlineMs'],
    ['another protocol', { url: 'http://a' }, 'redis://'],
    ['no URL', { url: 'localhost' }, 'redis://'],
    ['an empty cluster', { cluster: [] }, 'cluster'],
    [
      'a cluster in the clear and over TLS',
      { cluster: ['rediss://a:1', 'redis://b:1'] },
      'rediss://, got both',
    ],
    ['a cluster that is no list', { cluster: 'redis://a' }, 'cluster'],
    [
      'Sentinels without a name',
      { sentinel: { name: '', nodes: [{ host: 'a', port: 1 }] } },
      'sentinel.name',
    ],
    ['Sentinels without nodes', { sentinel: { name: 'm', nodes: [] } }, 'sentinel.nodes'],
    ['Sentinels without ports', { sentinel: { name: 'm', nodes: [{ host: 'a' }] } }, 'sentinel.nodes'],
    ['a client of nothing', { client: {} }, 'client'],
  ])('refuse %s, naming it', (_, options, named) => {
    const fault = expect.objectContaining({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining(named),
    });
    expect(() => createRedisStore(options as RedisStoreOptions)).toThrow(fault);
  });

  test('do not show the password of a URL that is refused', () => {
    expect(() => settingsOf({ url: 'amqp://me:hunter2@host' })).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('hunter2') }),
    );
  });
});

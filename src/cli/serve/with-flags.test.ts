import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readServiceConfig } from '../../config/read-service-config.ts';
import { withFlags } from './with-flags.ts';

const read = (env: Readonly<Record<string, string>> = {}) => readServiceConfig({ env });

describe('--data', () => {
  it('takes along what has no place of its own', () => {
    const written = read({ PORTCULLIS_DATA: '/var/old' });
    const { dataFolder, keyFile } = withFlags(written, { data: 'new' });
    expect([dataFolder, keyFile]).toEqual([resolve('new'), resolve('new', 'portcullis.keys.json')]);
  });

  it('leaves keys and the decision log where somebody has put them', () => {
    const written = read({
      PORTCULLIS_KEYS: '/etc/portcullis/keys.json',
      PORTCULLIS_DECISION_LOG: '/var/log/decisions.jsonl',
    });
    const { keyFile, telemetry } = withFlags(written, { data: 'new' });
    expect(keyFile).toBe('/etc/portcullis/keys.json');
    expect(telemetry.decisionLog?.file).toBe('/var/log/decisions.jsonl');
  });

  it('that is not given changes nothing', () => {
    const written = read();
    expect(withFlags(written, {})).toEqual(written);
  });
});

describe('--host', () => {
  it('is where the service listens', () => {
    expect(withFlags(read(), { host: '::1' }).listen.host).toBe('::1');
  });

  it.each(['', ' '])('never stands for the whole network by being empty: "%s"', (host) => {
    expect(() => withFlags(read(), { host })).toThrow(
      expect.objectContaining({ code: 'INPUT_INVALID', message: expect.stringMatching(/^--host must be/) }),
    );
  });
});

import { describe, expect, it } from 'vitest';
import { readServiceConfig } from './read-service-config.ts';
import { type WatchOptions, watchServiceConfig } from './watch-service-config.ts';

const options: WatchOptions = {
  running: readServiceConfig({ env: {} }),
  onChange: () => {},
  onRefused: () => {},
};

describe('the options of a watch over a configuration', () => {
  it.each<[object, string]>([
    [
      { layer: 'stage' },
      'layer is no option of a watch over a configuration: there are running, env, environment, ',
    ],
    [{ running: undefined }, 'running must be an object, got nothing'],
    [{ onChange: undefined }, 'onChange must be a function, got nothing'],
    [{ onRefused: 'log' }, 'onRefused must be a function, got a string of 3 characters'],
    [{ environment: 5 }, 'environment must be a string, got an integer of 1 digit'],
    [{ debounceMs: -1 }, 'debounceMs must be a whole number from 0 to 2147483647, got the integer -1'],
    [{ pollMs: 0 }, 'pollMs must be a whole number from 1 to 2147483647, got the integer 0'],
  ])('are refused by name: %j', (wrong, message) => {
    expect(() => watchServiceConfig('portcullis.yaml', { ...options, ...wrong })).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', message: expect.stringContaining(message) }),
    );
  });
});

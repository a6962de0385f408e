import { describe, expect, it } from 'vitest';
import { readServiceConfig } from '../../config/read-service-config.ts';
import { withinOpenFiles } from './within-open-files.ts';

const config = readServiceConfig({ env: {} });

describe('connections of a process that may open few files', () => {
  it.each([
    [16_384, 4_096],
    [null, 4_096],
    [1_024, 448],
    [100, 16],
  ])('%s files are %s connections of HTTP and of gRPC each', (files, connections) => {
    expect(withinOpenFiles(config, files).listen.maxConnections).toBe(connections);
  });

  it('are as many as are asked for where these are fewer', () => {
    const listen = { ...config.listen, maxConnections: 20, grpcPort: null };
    expect(withinOpenFiles({ ...config, listen }, 1_024).listen).toEqual(listen);
  });
});

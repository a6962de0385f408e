import { describe, expect, it } from 'vitest';
import { readServiceConfig } from '../../config/read-service-config.ts';
import { fewerConnections, withinOpenFiles } from './within-open-files.ts';

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

  it.each([
    [65_536, { service: 4_096, front: 20_000 }],
    [16_384, { service: 4_096, front: 6_016 }],
    [1_024, { service: 179, front: 179 }],
    [100, { service: 16, front: 16 }],
  ])('%s files with a front for Kratos, which has two pools beside its clients, are %o', (files, most) => {
    const { kratos } = readServiceConfig({ env: { KRATOS_INTERNAL_URL: 'http://127.0.0.1:4433' } });
    const { listen, kratos: within } = withinOpenFiles({ ...config, kratos }, files);
    expect({ service: listen.maxConnections, front: within?.proxy.maxConnections }).toEqual(most);
    const lines = [
      ...(most.service < 4_096 ? [`${most.service} at once for each port of the service`] : []),
      ...(most.front < 20_000 ? [`${most.front} at once for the login proxy, and no more to Kratos`] : []),
    ];
    const asked = { ...config, kratos };
    expect(fewerConnections(asked, withinOpenFiles(asked, files))).toEqual(lines);
  });

  it('leave a front that is not there out of account', () => {
    const env = { KRATOS_INTERNAL_URL: 'http://127.0.0.1:4433' };
    const { kratos } = readServiceConfig({ env });
    if (kratos === null) throw new Error('there is a section for Kratos');
    const hooks = { ...kratos, proxy: { ...kratos.proxy, enabled: false } };
    expect(withinOpenFiles({ ...config, kratos: hooks }, 1_024).listen.maxConnections).toBe(448);
  });

  it('are as many as are asked for where these are fewer', () => {
    const listen = { ...config.listen, maxConnections: 20, grpcPort: null };
    expect(withinOpenFiles({ ...config, listen }, 1_024).listen).toEqual(listen);
  });
});

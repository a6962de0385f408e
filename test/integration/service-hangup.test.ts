import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, describe, expect, it } from 'vitest';
import { beginRotation, readKeyFile, writeKeyFile } from '../../src/config/key-file.ts';
import { ServiceProcesses } from './service-process.ts';

describe('SIGHUP', () => {
  const processes = new ServiceProcesses();
  afterAll(() => processes.remove());

  it('does not end a service that has no configuration file', async () => {
    const data = join(processes.folder, 'hangup');
    const service = await processes.startWith({ store: 'memory', port: '0', grpcPort: 'none', data });
    service.kill('SIGHUP');
    if (service.child.stdout === null) expect.unreachable('stdout is a pipe');
    for await (const line of createInterface(service.child.stdout)) {
      const { msg } = JSON.parse(line) as { readonly msg: string };
      if (msg === 'SIGHUP: there is no configuration file to read again') service.kill('SIGTERM');
    }
    expect(await service.ended).toBe(0);
  });

  it('warns of a key file that is not the one in use: only a restart takes it over', async () => {
    const data = join(processes.folder, 'rotated');
    const service = await processes.startWith({ store: 'memory', port: '0', grpcPort: 'none', data });
    const file = join(data, 'portcullis.keys.json');
    writeKeyFile(file, beginRotation(readKeyFile(file), Date.now()));
    service.kill('SIGHUP');
    if (service.child.stdout === null) expect.unreachable('stdout is a pipe');
    const warned: unknown[] = [];
    for await (const line of createInterface(service.child.stdout)) {
      const said = JSON.parse(line) as { readonly msg: string; readonly file?: string };
      if (!said.msg.startsWith('the key file')) continue;
      warned.push(said.file);
      service.kill('SIGTERM');
    }
    expect(warned).toEqual([file]);
    expect(await service.ended).toBe(0);
  });
});

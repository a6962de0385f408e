import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readServiceConfig } from '../../src/config/read-service-config.ts';
import { createService } from '../../src/server/service.ts';
import { createLog } from '../../src/telemetry/log.ts';
import { until } from '../servers/redis-server.ts';
import { type ServiceProcess, ServiceProcesses } from './service-process.ts';
import { ask, startService } from './service-under-test.ts';

let processes: ServiceProcesses;
beforeAll(() => {
  processes = new ServiceProcesses();
});
afterAll(() => processes.remove());

/** One client: asks again and again on one connection, until it is told that the connection ends. */
async function askUntilClosed(
  url: string,
  client: number,
  answered: string[],
  broken: string[],
): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  for (let n = 0; ; n += 1) {
    const account = `account-${client}-${n}`;
    const body = JSON.stringify({
      ip: `10.${client}.${Math.floor(n / 250)}.${n % 250}`,
      account,
      device: { id: account, confidence: 'LOW' },
    });
    const outcome = await once(agent, url, body);
    // What was decided without the store is not written by contract, however the service ends.
    if (outcome.status === 200 && outcome.mode === 'NORMAL') answered.push(account);
    else if (outcome.status !== 200) broken.push(`${account}: ${outcome.status}`);
    if (outcome.status !== 200 || outcome.closes) break;
  }
  agent.destroy();
}

function once(
  agent: Agent,
  url: string,
  body: string,
): Promise<{ status: number | string; mode: string; closes: boolean }> {
  return new Promise((resolve) => {
    const asked = request(`${url}/v1/fail`, { method: 'POST', agent }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () => {
        const status = response.statusCode ?? 0;
        const mode = status === 200 ? String(JSON.parse(text).mode) : '';
        resolve({ status, mode, closes: response.headers.connection === 'close' });
      });
    });
    asked.on('error', (error: NodeJS.ErrnoException) =>
      resolve({ status: error.code ?? 'error', mode: '', closes: true }),
    );
    asked.end(body);
  });
}

async function accountsKnown(service: ServiceProcess, accounts: readonly string[]): Promise<number> {
  let known = 0;
  for (const account of accounts) {
    const { json } = await ask(service.url, 'POST', '/v1/explain', { ip: '192.0.2.1', account });
    if (json.keys.find(({ scope }: { scope: string }) => scope === 'K4')?.score >= 3) known += 1;
  }
  return known;
}

describe('SIGTERM under load', () => {
  it('answers every request it took, and forgets nothing it has acknowledged', async () => {
    // A busy machine may take longer for a write than the store may take elsewhere.
    const patient = { failure: { deadlineMs: 10_000 } };
    const service = await processes.start(patient);
    const answered: string[] = [];
    const broken: string[] = [];
    const clients = Array.from({ length: 16 }, (_, n) => askUntilClosed(service.url, n, answered, broken));
    // All of them are at it, however slow the machine is.
    await until(() => answered.length > 64);
    service.kill('SIGTERM');
    await Promise.all(clients);
    expect(broken).toEqual([]);
    expect(await service.ended).toBe(0);
    const again = await processes.start(patient);
    const sample = answered.filter(
      (_, index) => index % Math.ceil(answered.length / 200) === 0 || index > answered.length - 50,
    );
    expect(await accountsKnown(again, sample)).toBe(sample.length);
    again.kill('SIGTERM');
    expect(await again.ended).toBe(0);
  });

  it('is one wish to end, though parents pass it on once more', async () => {
    const service = await processes.start({ store: 'memory' });
    service.kill('SIGINT');
    service.kill('SIGTERM');
    expect(await service.ended).toBe(0);
    expect(service.said).toContain('portcullis: ended');
  });
});

/** Connects and asks in a thread of its own, then says so, and hands over the first line of the answer. */
const clientThread = `
  const { workerData: { port, asked }, parentPort } = require('node:worker_threads');
  const socket = require('node:net').connect(port, '127.0.0.1', () => {
    socket.write('GET /healthz HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n', () => {
      Atomics.store(asked, 0, 1);
      Atomics.notify(asked, 0);
    });
  });
  socket.once('data', (data) => { parentPort.postMessage(String(data).split('\\r\\n')[0]); socket.destroy(); });
  socket.once('error', (error) => parentPort.postMessage(error.code));
`;

describe('a drain', () => {
  it('takes who had connected before it stopped to listen, however busy the process was then', async () => {
    const under = await startService({}, { bounds: { graceMs: 50 } });
    const asked = new Int32Array(new SharedArrayBuffer(4));
    const closed = under.close();
    await sleep(1);
    const client = new Worker(clientThread, { eval: true, workerData: { port: under.port, asked } });
    await new Promise((resolve) => setImmediate(resolve));
    // Nothing of this thread goes on meanwhile; when it does, the end of the grace comes before who has connected.
    expect(Atomics.wait(asked, 0, 0, 20_000)).toBe('ok');
    const [answer] = await Promise.all([new Promise((resolve) => client.once('message', resolve)), closed]);
    expect(answer).toBe('HTTP/1.1 200 OK');
    await client.terminate();
  });

  it('ends streams, refuses to be ready, and takes a bounded time', async () => {
    const under = await startService({ listen: { drainMs: 300 } }, { bounds: { graceMs: 200 } });
    const stream = await fetch(`${under.url}/v1/events`);
    const text = stream.text();
    const stuck = request(`${under.url}/v1/check`, { method: 'POST', headers: { 'content-length': 10 } });
    stuck.on('error', () => stuck.destroy());
    stuck.write('{');
    await sleep(50);
    const startedAt = performance.now();
    const closed = under.close();
    const ready = await under.ask('GET', '/readyz');
    expect([ready.status, ready.json.code, ready.headers.get('connection')]).toEqual([
      503,
      'DRAINING',
      'close',
    ]);
    expect((await under.ask('POST', '/v1/check', { ip: '192.0.2.1', account: 'a' })).status).toBe(200);
    await closed;
    expect(await text).toContain('retry:');
    expect(performance.now() - startedAt).toBeLessThan(5_000);
    expect(under.lines.join('')).toContain('connections were cut');
    await expect(under.ask('GET', '/healthz')).rejects.toThrow('fetch failed');
  });

  it('may be asked for twice', async () => {
    const under = await startService();
    await Promise.all([under.close(), under.service.close()]);
    await expect(
      under.service.guard.check({ action: 'auth.login', ip: '192.0.2.1', account: 'a' }),
    ).rejects.toThrow();
  });
});

describe('a host that is not this machine alone', () => {
  it('is told of at the start, and serves nobody else without tokens', async () => {
    const service = await processes.start({ listen: { host: '0.0.0.0', port: 0, grpcPort: null } });
    const local = await ask(`http://127.0.0.1:${service.port}`, 'GET', '/healthz');
    expect(local.status).toBe(200);
    expect(service.said.join('\n')).toContain('everybody else is refused');
    service.kill('SIGINT');
    expect(await service.ended).toBe(0);
  });
});

describe('the end of a service', () => {
  it('is not held up by a reader of events who comes in its last moment', async () => {
    const under = await startService({ listen: { drainMs: 30_000 } }, { bounds: { graceMs: 2_000 } });
    const closing = under.close();
    await sleep(50);
    expect((await fetch(`${under.url}/v1/events`)).status).toBe(200);
    await closing;
    expect(under.lines.filter((line) => line.includes('were cut'))).toEqual([]);
  });

  it('ends what is about to listen, and lets nothing listen later', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'portcullis-drain-'));
    const path = join(folder, 'portcullis.json');
    const listen = { port: 0, grpcPort: 0, drainMs: 500 };
    writeFileSync(path, JSON.stringify({ store: 'memory', listen }));
    const log = createLog({ level: 'silent', destination: { write: () => {} } });
    const service = await createService(readServiceConfig({ path, env: {} }), {
      log,
      bounds: { graceMs: 0 },
    });
    const listening = service.listen();
    await service.close();
    const { url } = await listening;
    await expect(fetch(`${url}/healthz`)).rejects.toThrow();
    await expect(service.listen()).rejects.toMatchObject({ code: 'STORE_CLOSED' });
    rmSync(folder, { recursive: true });
  });
});

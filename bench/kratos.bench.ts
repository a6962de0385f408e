import { type ChildProcess, execFile, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { freePort } from '../test/servers/free-port.ts';
import { type RedisServer, startRedis } from '../test/servers/redis-server.ts';
import type { ProxyName } from './kratos-servers.ts';
import { middleOf, type Report } from './runner.ts';
import { type Sample, sampleIn } from './wrk-load.ts';

/**
 * What the login proxy adds in front of Kratos, beside nginx `proxy_pass` and the least that node:http can do: the same
 * upstream, each in a process of its own, rounds taken in turns so that whatever else the machine does hits all of them.
 * Load by `wrk`, 8 connections. nginx and the bare proxy look at nothing; ours reads every login, and counts it. Rounds are
 * short: a process of Node that idles for eight seconds before its first request is slower for good.
 */
const rounds = 11;
const roundSeconds = 1;
const connections = 8;
const callers = 2_000;

interface Running {
  readonly port: number;
  /** Processor time since the start, in µs. */
  usage(): Promise<number>;
  stop(): void;
}

const names = ['direct', 'nginx', 'bare', 'ours', 'ours, Redis'] as const;
type Name = (typeof names)[number];

export async function run(report: Report): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-bench-'));
  const running: Running[] = [];
  let redis: RedisServer | undefined;
  try {
    redis = await startRedis();
    const upstream = await startNginx(folder, 'upstream', upstreamServer);
    running.push(upstream);
    const url = `http://127.0.0.1:${upstream.port}`;
    const proxies: Record<Name, Running> = {
      direct: upstream,
      nginx: await startNginx(folder, 'proxy', (port) => proxyServer(port, upstream.port)),
      bare: await startNode('bare', url),
      ours: await startNode('ours', url),
      'ours, Redis': await startNode('ours', url, redis.url),
    };
    running.push(...Object.values(proxies).slice(1));
    for (const [load, script] of Object.entries(loads)) {
      const path = join(folder, `${load}.lua`);
      writeFileSync(path, script);
      const measured = load === 'login' ? names : names.filter((name) => name !== 'ours, Redis');
      tell(report, load, await measureInTurns(proxies, path, measured));
    }
  } finally {
    for (const { stop } of running) stop();
    await redis?.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

function tell(report: Report, load: string, samples: Record<Name, Sample>): void {
  const { direct, nginx, bare } = samples;
  const added = (sample: Sample, of: 'p50Ms' | 'p99Ms') => 1_000 * (sample[of] - direct[of]);
  for (const name of ['ours', 'ours, Redis'] as const) {
    const ours = samples[name];
    if (name === 'ours, Redis' && load !== 'login') continue;
    const at = load === 'login' ? `${load}, ${name === 'ours' ? 'memory' : 'Redis'}` : load;
    for (const [peer, theirs] of [
      ['nginx proxy_pass', nginx],
      ['bare node:http', bare],
    ] as const) {
      report({ metric: `${at} (requests/s)`, ours: ours.perSecond, peer, peerValue: theirs.perSecond });
      const lower = { peer, better: 'lower' } as const;
      report({
        metric: `${at}, added p50 (µs)`,
        ours: added(ours, 'p50Ms'),
        peerValue: added(theirs, 'p50Ms'),
        ...lower,
      });
      report({
        metric: `${at}, added p99 (µs)`,
        ours: added(ours, 'p99Ms'),
        peerValue: added(theirs, 'p99Ms'),
        ...lower,
      });
      report({
        metric: `${at}, CPU (µs/request)`,
        ours: ours.cpuMicros,
        peerValue: theirs.cpuMicros,
        ...lower,
      });
    }
  }
}

/** A first round warms up and is thrown away. */
async function measureInTurns(
  proxies: Record<Name, Running>,
  script: string,
  measured: readonly Name[],
): Promise<Record<Name, Sample>> {
  const samples: Record<Name, Sample[]> = { direct: [], nginx: [], bare: [], ours: [], 'ours, Redis': [] };
  for (let round = 0; round <= rounds; round += 1) {
    for (const name of measured) {
      const sample = await load(proxies[name], script);
      if (round > 0) samples[name].push(sample);
    }
  }
  return Object.fromEntries(measured.map((name) => [name, middleOf(samples[name])])) as Record<Name, Sample>;
}

const execute = promisify(execFile);

async function load({ port, usage }: Running, script: string): Promise<Sample> {
  const usedBefore = await usage();
  const url = `http://127.0.0.1:${port}`;
  const flags = ['-t1', `-c${connections}`, `-d${roundSeconds}s`, '--latency', '-s', script, url];
  const { stdout } = await execute('wrk', flags);
  if (/Socket errors/.test(stdout)) throw new TypeError(`wrk met errors:\n${stdout}`);
  return sampleIn(stdout, (await usage()) - usedBefore);
}

async function startNode(name: ProxyName, upstream: string, redisUrl?: string): Promise<Running> {
  const program = fileURLToPath(new URL('./kratos-servers.js', import.meta.url));
  const args = redisUrl === undefined ? [name, upstream] : [name, upstream, redisUrl];
  const child: ChildProcess = fork(program, args, {
    execArgv: [],
    env: { ...process.env, NODE_ENV: 'production' },
  });
  const [port] = (await once(child, 'message')) as [number];
  return {
    port,
    usage: async () => {
      child.send('usage');
      const [micros] = (await once(child, 'message')) as [number];
      return micros;
    },
    stop: () => child.disconnect(),
  };
}

/** One worker, no log, everything it writes in a folder of its own. */
async function startNginx(folder: string, name: string, server: (port: number) => string): Promise<Running> {
  const port = await freePort();
  const file = join(folder, `${name}.conf`);
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((kind) => `${kind}_temp_path ${join(folder, name)}-${kind};`)
    .join(' ');
  writeFileSync(
    file,
    `daemon off; master_process off; pid ${join(folder, name)}.pid; error_log /dev/null;
     events { worker_connections 1024; }
     http { access_log off; keepalive_requests 100000000; ${temporary} ${server(port)} }`,
  );
  const child = spawn('nginx', ['-c', file, '-e', '/dev/null'], { stdio: 'ignore' });
  await untilListening(port);
  return { port, usage: async () => cpuMicrosOf(child.pid ?? 0), stop: () => void child.kill('SIGTERM') };
}

const upstreamServer = (port: number) => `server { listen 127.0.0.1:${port};
  location = /sessions/whoami { default_type application/json; return 200 '${sessionJson}'; }
  location = /self-service/login { default_type application/json; return 400 '${flowJson}'; } }`;

const proxyServer = (port: number, upstream: number) => `
  upstream kratos { server 127.0.0.1:${upstream}; keepalive 64; }
  server { listen 127.0.0.1:${port}; location / { proxy_pass http://kratos; proxy_http_version 1.1;
    proxy_set_header Connection ""; proxy_set_header Host $host; proxy_set_header True-Client-Ip $remote_addr; } }`;

async function untilListening(port: number): Promise<void> {
  for (;;) {
    const socket = connect(port, '127.0.0.1');
    const isUp = await new Promise<boolean>((resolve) => {
      socket.on('connect', () => resolve(true)).on('error', () => resolve(false));
    });
    socket.destroy();
    if (isUp) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Of a process with one thread; the kernel counts in hundredths of a second. */
function cpuMicrosOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10_000;
}

const sessionJson = JSON.stringify({
  id: '6b3a1f0e-6a0b-4c53-9f2c-1f9b6d0f3c11',
  active: true,
  expires_at: '2030-01-01T00:00:00Z',
  authenticator_assurance_level: 'aal1',
  authentication_methods: [{ method: 'password', aal: 'aal1', completed_at: '2029-12-31T00:00:00Z' }],
  identity: {
    id: '0d9f8c4e-57a4-4b6d-b9d7-4d63f0a9f4aa',
    schema_id: 'default',
    traits: { email: 'alice@example.com' },
  },
});

const flowJson = JSON.stringify({
  id: '6b3a1f0e-6a0b-4c53-9f2c-1f9b6d0f3c11',
  type: 'api',
  ui: {
    method: 'POST',
    nodes: [],
    messages: [{ id: 4000006, type: 'error', text: 'The provided credentials are invalid.' }],
  },
});

const headers = `['cookie'] = 'ory_kratos_session=MTcwMDAwMDAwMHxhYmNkZWZnaGlqa2xtbm9wcXJzdHV2d3h5eg; csrf_token=abc',
  ['user-agent'] = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36',
  ['accept'] = 'application/json'`;

/** Requests are made once, so that the load costs wrk next to nothing. */
const loads: Readonly<Record<string, string>> = {
  whoami: `request = (function()
    local text
    return function()
      text = text or wrk.format('GET', '/sessions/whoami', { ${headers} })
      return text
    end
  end)()`,
  login: `local requests = {}
local at = 0
init = function()
  for caller = 1, ${callers} do
    local body = '{"method":"password","identifier":"user' .. caller .. '@example.com","password":"correct horse battery"}'
    requests[caller] = wrk.format('POST', '/self-service/login?flow=6b3a1f0e', { ${headers}, ['content-type'] = 'application/json' }, body)
  end
end
request = function()
  at = at % ${callers} + 1
  return requests[at]
end`,
};

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { middleOf, type Report } from './runner.ts';
import { benchToken, type ServerName, serverNames } from './service-servers.ts';
import { pressServer, type Running, type Sample, startServer } from './wrk-load.ts';

/**
 * `POST /v1/check` of the service beside a bare Fastify endpoint that parses the same body and returns the same JSON
 * without deciding anything: the same load, each server in a process of its own, rounds taken in turns so that whatever
 * else the machine does hits all of them; many short ones, of which the middle counts. Load by `wrk`, 32 connections, a thousand accounts.
 */
const warmUps = 2;
const rounds = 13;
const roundSeconds = 1;
const connections = 32;
const accounts = 1_000;

export async function run(report: Report): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-bench-'));
  const script = join(folder, 'accounts.lua');
  writeFileSync(script, loadScript);
  try {
    const samples = await measureInTurns(script);
    const peer = 'Fastify 5, bare';
    const bare = middleOf(samples.fastify);
    for (const name of serverNames) {
      if (name === 'fastify') continue;
      const ours = middleOf(samples[name]);
      const at = `check, ${name}`;
      report({ metric: `${at} (requests/s)`, ours: ours.perSecond, peer, peerValue: bare.perSecond });
      report({
        metric: `${at}, CPU (µs/request)`,
        ours: ours.cpuMicros,
        peer,
        peerValue: bare.cpuMicros,
        better: 'lower',
      });
      report({ metric: `${at}, p99 (ms)`, ours: ours.p99Ms, peer, peerValue: bare.p99Ms, better: 'lower' });
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The first rounds warm up and are thrown away. */
async function measureInTurns(script: string): Promise<Record<ServerName, Sample[]>> {
  const servers = new Map<ServerName, Running>();
  const samples: Record<ServerName, Sample[]> = {
    fastify: [],
    memory: [],
    lmdb: [],
    'lmdb with a token': [],
  };
  try {
    for (const name of serverNames) servers.set(name, await start(name));
    for (let round = 1; round <= warmUps + rounds; round += 1) {
      for (const [name, server] of servers) {
        const sample = await pressServer(server, { script, connections, seconds: roundSeconds });
        if (round > warmUps) samples[name].push(sample);
      }
    }
  } finally {
    for (const server of servers.values()) server.stop();
  }
  return samples;
}

function start(name: ServerName): Promise<Running> {
  return startServer(new URL('./service-servers.js', import.meta.url), [name], '/v1/check');
}

/** Requests are made once, so that the load costs wrk next to nothing. */
const loadScript = `
local requests = {}
local at = 0
init = function()
  for n = 1, ${accounts} do
    local body = '{"action":"auth.login","account":"account-' .. n .. '","ip":"192.0.' .. (n % 250) .. '.' .. (n % 199) .. '","ua":"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36","device":{"id":"device-' .. n .. '","confidence":"MEDIUM"}}'
    requests[n] = wrk.format('POST', nil, {
      ['content-type'] = 'application/json',
      ['authorization'] = 'Bearer ${benchToken}',
    }, body)
  end
end
request = function()
  at = at % ${accounts} + 1
  return requests[at]
end
`;

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readServiceConfig } from '../../src/config/read-service-config.ts';
import { createService, type Service } from '../../src/server/service.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** The tokens that services of these tests know, by role. */
export const tokens = {
  decide: 'a-token-that-may-decide-1',
  observe: 'a-token-that-may-observe-1',
  operate: 'a-token-that-may-operate-1',
} as const;

/** A service with its console, on a free port of the loopback. */
export interface ConsoleService {
  readonly url: string;
  readonly service: Service;
  /** Asks it as a host does; gives the answer's JSON. */
  post(path: string, body: object): Promise<unknown>;
  close(): Promise<void>;
}

let built: string | null = null;

/** Builds the page; where it is current this takes no time. Gives its folder. */
function builtConsole(): string {
  built ??= buildConsole();
  return built;
}

function buildConsole(): string {
  const folder = join(root, 'node_modules', '.cache', 'portcullis', 'console-under-test');
  execFileSync(process.execPath, [join(root, 'scripts', 'build-console.mjs'), folder], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  return folder;
}

/**
 * Starts a service with its page.
 *
 * @param document over a configuration with a memory store and one token of each role
 */
export async function startConsoleService(document: object = {}): Promise<ConsoleService> {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-console-'));
  const path = join(folder, 'portcullis.json');
  writeFileSync(
    path,
    JSON.stringify({
      environment: 'prod',
      listen: { port: 0, grpcPort: null, drainMs: 100 },
      store: 'memory',
      tokens: Object.entries(tokens).map(([role, token]) => ({ name: `test-${role}`, role, token })),
      telemetry: { logLevel: 'silent' },
      ...document,
    }),
  );
  const service = await createService(readServiceConfig({ path, env: {} }), {
    consoleFolder: builtConsole(),
  });
  const { url } = await service.listen();
  return {
    url,
    service,
    async post(route, body) {
      const response = await fetch(new URL(route, url), {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${tokens.decide}` },
        body: JSON.stringify(body),
      });
      return response.json();
    },
    async close() {
      await service.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

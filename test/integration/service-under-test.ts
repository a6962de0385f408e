import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readServiceConfig } from '../../src/config/read-service-config.ts';
import { createService, type Service } from '../../src/server/service.ts';
import type { ServiceParts } from '../../src/server/service-parts.ts';
import { createLog } from '../../src/telemetry/log.ts';

/** One token of each role. */
export const roleTokens = {
  decide: 'a-token-that-may-decide',
  observe: 'a-token-that-may-observe',
  operate: 'a-token-that-may-operate',
} as const;

/** As a configuration lists them. */
export const tokenList = Object.entries(roleTokens).map(([role, token]) => ({ name: role, role, token }));

/** An answer, read to its end. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Undefined where the answer is not JSON. */
  readonly json: ReturnType<typeof JSON.parse>;
}

/** A service on a free port of the loopback, with everything it has logged. */
export interface ServiceUnderTest {
  readonly service: Service;
  readonly url: string;
  readonly port: number;
  /** Lines of the log so far. */
  readonly lines: readonly string[];
  ask(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  close(): Promise<void>;
}

/**
 * @param document over a configuration with a memory store and without tokens
 * @param parts over a log that is kept, and a drain without grace
 */
export async function startService(
  document: object = {},
  parts: ServiceParts = {},
): Promise<ServiceUnderTest> {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-service-'));
  const path = join(folder, 'portcullis.json');
  writeFileSync(
    path,
    JSON.stringify({
      store: 'memory',
      ...document,
      listen: { port: 0, grpcPort: null, ...('listen' in document ? (document.listen as object) : {}) },
    }),
  );
  const lines: string[] = [];
  const log = createLog({ level: 'trace', destination: { write: (line) => void lines.push(line) } });
  const service = await createService(readServiceConfig({ path, env: {} }), {
    log,
    consoleFolder: join(folder, 'no-console'),
    ...parts,
    bounds: { graceMs: 0, ...parts.bounds },
  });
  const { url, port } = await service.listen();
  return {
    service,
    url,
    port,
    lines,
    ask: (method, path, body, headers) => ask(url, method, path, body, headers),
    async close() {
      await service.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Asks with JSON, or with a text as it is. */
export async function ask(
  url: string,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const response = await fetch(new URL(path, url), {
    method,
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = /json/.test(response.headers.get('content-type') ?? '');
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: isJson ? JSON.parse(text) : undefined,
  };
}

/** As a header. */
export const bearer = (role: keyof typeof roleTokens) => ({ authorization: `Bearer ${roleTokens[role]}` });

/** One field of each item of a list out of an answer. */
export function each(items: unknown, field: string): unknown[] {
  return (items as readonly Readonly<Record<string, unknown>>[]).map((item) => item[field]);
}

import { resolve } from 'node:path';
import { problemText } from '../../config/problem.ts';
import { checkServiceConfig, readServiceConfig } from '../../config/read-service-config.ts';
import type { ServiceConfig } from '../../config/service-config.ts';
import { serviceDefaults } from '../../config/service-defaults.ts';
import { type ConfigWatcher, watchServiceConfig } from '../../config/watch-service-config.ts';
import { Fault, shapeOf } from '../../core/fault.ts';
import { isLoopback } from '../../server/http/access.ts';
import { createService, type Service, type ServiceAddress } from '../../server/service.ts';
import { createLog, type Log } from '../../telemetry/log.ts';
import type { CommandIo } from '../streams.ts';
import { untilToldToEnd } from './signals.ts';

/** What the command line may say over the configuration. */
export interface ServeFlags {
  readonly config?: string;
  readonly environment?: string;
  readonly store?: string;
  readonly host?: string;
  readonly port?: string;
  readonly grpcPort?: string;
  readonly data?: string;
}

/** Serves until the process is told to end. */
export async function serve(flags: ServeFlags, io: CommandIo): Promise<void> {
  const say = (line: string) => io.stderr.write(`portcullis: ${line}\n`);
  const written = readServiceConfig({ path: flags.config, environment: flags.environment });
  const config = withFlags(written, flags);
  const log = createLog({ level: config.telemetry.logLevel });
  const service = await createService(config, { log });
  const watcher = watchConfig(written, flags, service, log);
  try {
    const told = untilToldToEnd();
    const address = await service.listen();
    for (const line of greeting(config, service, address)) say(line);
    const signal = await told;
    say(`${signal}: no new connections; answering what has been accepted`);
  } finally {
    watcher?.close();
    await service.close();
  }
  say('ended');
}

/** Keeps the service at its file, where it has one; `SIGHUP` has it read at once. */
function watchConfig(
  written: ServiceConfig,
  flags: ServeFlags,
  service: Service,
  log: Log,
): ConfigWatcher | null {
  const { environment } = flags;
  const [path] = checkServiceConfig({ path: flags.config, environment }).files;
  if (path === undefined) return null;
  const watcher = watchServiceConfig(path, {
    running: written,
    ...(environment === undefined ? {} : { environment }),
    onChange: (change) => {
      service.apply({ ...change, config: withFlags(change.config, flags) });
      const { live, needsRestart } = change;
      log.info({ fields: live }, 'the configuration was taken over');
      if (needsRestart.length > 0)
        log.warn({ fields: needsRestart }, 'a restart is needed to take these over');
    },
    onRefused: (problems, cause) => {
      service.refused(problems.length);
      log.error(
        { problems: problems.map(problemText), ...(cause === undefined ? {} : { error: cause }) },
        'the configuration was refused; the last good one stays',
      );
    },
  });
  process.on('SIGHUP', () => watcher.reload());
  return watcher;
}

/** What a person who has just started the service wants to know. */
function greeting(config: ServiceConfig, service: Service, { url, others }: ServiceAddress): string[] {
  const { tokens, listen, keyFile, telemetry } = config;
  const lines = [`listening on ${url}`, ...others];
  if (service.hasConsole) lines.push(`console: ${url}/`);
  lines.push(`records: ${describeStore(config, service)}`);
  lines.push(
    `secret: ${keyFile}${service.madeSecret ? ' (made now; keep it: without it all records are lost)' : ''}`,
  );
  if (telemetry.decisionLog !== null)
    lines.push(`decisions: logged with pseudonyms in ${telemetry.decisionLog.file}`);
  if (tokens.length > 0) {
    lines.push(`access: ${tokens.length} tokens; send one as Authorization: Bearer …`);
    return lines;
  }
  lines.push(
    'access: no tokens are configured, so only this machine is served; behind a proxy give it tokens',
  );
  if (!isLoopback(listen.host)) {
    lines.push(
      `${listen.host} is not this machine alone: everybody else is refused until there are tokens (PORTCULLIS_TOKEN_DECIDE=…)`,
    );
  }
  return lines;
}

/** A URL of a store may hold a password: only its kind is shown. */
function describeStore({ dataFolder }: ServiceConfig, { storeKind, storeReached }: Service): string {
  if (!storeReached)
    return `${storeKind}, which cannot be reached now; decisions are made without it until it can`;
  if (storeKind === 'lmdb') return `embedded store in ${dataFolder}`;
  return storeKind === 'memory' ? 'in memory: they end with this process' : storeKind;
}

/** Flags count before everything else. */
function withFlags(config: ServiceConfig, flags: ServeFlags): ServiceConfig {
  const { store, host, port, grpcPort, data } = flags;
  const dataFolder = data === undefined ? config.dataFolder : resolve(data);
  return {
    ...config,
    dataFolder,
    telemetry: { ...config.telemetry, decisionLog: movedLog(config, dataFolder) },
    keyFile: data === undefined ? config.keyFile : resolve(dataFolder, 'portcullis.keys.json'),
    store: store ?? config.store,
    listen: {
      ...config.listen,
      host: host ?? config.listen.host,
      port: port === undefined ? config.listen.port : portOf('--port', port),
      grpcPort: grpcPort === undefined ? config.listen.grpcPort : grpcPortOf(grpcPort),
    },
  };
}

/** A decision log that has no place of its own goes with the data folder. */
function movedLog({ dataFolder, telemetry: { decisionLog } }: ServiceConfig, next: string) {
  if (decisionLog === null || decisionLog.file !== resolve(dataFolder, decisionLogName)) return decisionLog;
  return { ...decisionLog, file: resolve(next, decisionLogName) };
}

const decisionLogName = serviceDefaults.decisionLog.fileName;

function portOf(flag: string, text: string, orElse = ''): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new Fault('INPUT_INVALID', `${flag} must be a number from 0 to 65535${orElse}, got ${shapeOf(text)}`);
}

function grpcPortOf(text: string): number | null {
  return text === 'none' ? null : portOf('--grpc-port', text, ' or none');
}

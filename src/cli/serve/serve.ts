import { mostOpenFiles } from '../../config/open-files.ts';
import { problemText } from '../../config/problem.ts';
import { readSoundConfig } from '../../config/read-service-config.ts';
import type { ServiceConfig } from '../../config/service-config.ts';
import { type ConfigWatcher, watchServiceConfig } from '../../config/watch-service-config.ts';
import { isLoopback } from '../../server/http/access.ts';
import { embeddedFolder } from '../../server/open-store.ts';
import { createService, type Service, type ServiceAddress } from '../../server/service.ts';
import { createLog, type Log } from '../../telemetry/log.ts';
import type { CommandIo } from '../streams.ts';
import { harmlessLine } from '../visible.ts';
import { makeFolders } from './make-folders.ts';
import { onHangup, untilToldToEnd, wishOfHangup } from './signals.ts';
import { tellChange } from './tell-change.ts';
import { type ServeFlags, withFlags } from './with-flags.ts';
import { fewerConnections, withinOpenFiles } from './within-open-files.ts';

/**
 * Serves until the process is told to end.
 *
 * @param started called once it listens to being told so
 */
export async function serve(flags: ServeFlags, io: CommandIo, started = (): void => {}): Promise<void> {
  const say = (line: string) => io.stderr.write(`portcullis: ${harmlessLine(line)}\n`);
  const source = { path: flags.config, environment: flags.environment };
  const { config: written, files, placeOf } = readSoundConfig(source);
  const [file] = files;
  const asked = withFlags(written, flags);
  const mostFiles = mostOpenFiles();
  const config = withinOpenFiles(asked, mostFiles);
  makeFolders(config, flags, placeOf);
  const log = createLog({ level: config.telemetry.logLevel });
  for (const line of fewerConnections(asked, config))
    say(`connections: ${line}, for this process may open ${mostFiles} files (ulimit -n)`);
  let watcher: ConfigWatcher | null = null;
  let running: Service | null = null;
  const wish = wishOfHangup(file !== undefined, process.stdin.isTTY);
  const ignoreHangups = onHangup(() => {
    if (wish === 'end') process.kill(process.pid, 'SIGTERM');
    if (wish === 'nothing') log.info({}, 'SIGHUP: there is no configuration file to read again');
    // While the service starts there is none yet: the first thing it does is to read the file.
    watcher?.reload();
    if (running?.hasOtherKeyFile())
      log.warn({ file: config.keyFile }, 'the key file is another one: a restart is needed to take it over');
  });
  try {
    const service = await createService(config, { log });
    running = service;
    if (file !== undefined) watcher = watchConfig(file, written, flags, service, log);
    try {
      await listenUntilToldToEnd(config, service, say, started);
    } finally {
      watcher?.close();
      watcher = null;
      running = null;
      await service.close();
    }
  } finally {
    ignoreHangups();
  }
  say('ended');
}

async function listenUntilToldToEnd(
  config: ServiceConfig,
  service: Service,
  say: (line: string) => void,
  started: () => void,
): Promise<void> {
  const told = untilToldToEnd();
  started();
  const address = await service.listen();
  for (const line of greeting(config, service, address)) say(line);
  const signal = await told;
  say(`${signal}: no new connections; answering what has been accepted`);
}

/** Keeps the service at its file. */
function watchConfig(
  file: string,
  written: ServiceConfig,
  flags: ServeFlags,
  service: Service,
  log: Log,
): ConfigWatcher {
  const { environment } = flags;
  return watchServiceConfig(file, {
    running: written,
    ...(environment === undefined ? {} : { environment }),
    onChange: (change) => {
      service.apply({ ...change, config: withFlags(change.config, flags) });
      tellChange(change, log);
    },
    onRefused: (problems, cause) => {
      service.refused(problems.length);
      log.error(
        { problems: problems.map(problemText), ...(cause === undefined ? {} : { error: cause }) },
        'the configuration was refused; the last good one stays',
      );
    },
  });
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
function describeStore(config: ServiceConfig, { storeKind, storeReached }: Service): string {
  if (!storeReached)
    return `${storeKind}, which does not serve now; decisions are made without it until it does`;
  if (storeKind === 'lmdb') return `embedded store in ${embeddedFolder(config)}`;
  return storeKind === 'memory' ? 'in memory: they end with this process' : storeKind;
}

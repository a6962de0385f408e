import { resolve } from 'node:path';
import type { ServiceConfig } from '../../config/service-config.ts';
import { serviceDefaults } from '../../config/service-defaults.ts';
import { Fault, shapeOf } from '../../core/fault.ts';

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

/** Flags count before everything else. */
export function withFlags(config: ServiceConfig, flags: ServeFlags): ServiceConfig {
  const { store, host, port, grpcPort, data } = flags;
  const dataFolder = data === undefined ? config.dataFolder : resolve(data);
  return {
    ...config,
    dataFolder,
    telemetry: { ...config.telemetry, decisionLog: movedLog(config, dataFolder) },
    keyFile: movedKeys(config, dataFolder),
    store: store ?? config.store,
    listen: {
      ...config.listen,
      host: host === undefined ? config.listen.host : hostOf(host),
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

/** So do keys. Others in the place of those that somebody chose would lose all records. */
function movedKeys({ dataFolder, keyFile }: ServiceConfig, next: string): string {
  const { keyFileName } = serviceDefaults;
  return keyFile === resolve(dataFolder, keyFileName) ? resolve(next, keyFileName) : keyFile;
}

const decisionLogName = serviceDefaults.decisionLog.fileName;

/** A server that is told of an empty host listens to the whole network, which nobody means by a variable that is not set. */
function hostOf(text: string): string {
  if (text.trim() !== '') return text;
  throw new Fault(
    'INPUT_INVALID',
    `--host must be an address or a name of this machine, got ${shapeOf(text)}`,
  );
}

function portOf(flag: string, text: string, orElse = ''): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new Fault('INPUT_INVALID', `${flag} must be a number from 0 to 65535${orElse}, got ${shapeOf(text)}`);
}

function grpcPortOf(text: string): number | null {
  return text === 'none' ? null : portOf('--grpc-port', text, ' or none');
}

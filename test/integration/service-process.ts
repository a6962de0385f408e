import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ServeFlags } from '../../src/cli/serve/with-flags.ts';
import { type CompiledWorker, compileWorker, type WorkerLimits } from '../servers/compiled-worker.ts';

/** A service in a process of its own. */
export interface ServiceProcess {
  readonly url: string;
  readonly port: number;
  /** What it has said so far, line by line. */
  readonly said: readonly string[];
  readonly child: ChildProcess;
  /** Resolves with its exit code, or the signal that ended it. */
  readonly ended: Promise<number | string>;
  kill(signal: NodeJS.Signals): void;
}

/** Starts services from the sources as they are. */
export class ServiceProcesses {
  readonly folder = mkdtempSync(join(tmpdir(), 'portcullis-processes-'));
  readonly #worker: CompiledWorker = compileWorker(new URL('./service-worker.ts', import.meta.url));

  async start(document: object, limits?: WorkerLimits): Promise<ServiceProcess> {
    const config = join(this.folder, `config-${performance.now()}.json`);
    writeFileSync(
      config,
      JSON.stringify({
        listen: { port: 0, grpcPort: null },
        dataFolder: join(this.folder, 'data'),
        telemetry: { logLevel: 'silent' },
        ...document,
      }),
    );
    return this.#run(this.#worker.start([JSON.stringify({ config })], limits));
  }

  /** Without a configuration; its log is to be read from `child.stdout`. */
  async startWith(flags: ServeFlags): Promise<ServiceProcess> {
    return this.#run(this.#worker.start([JSON.stringify(flags)], undefined, 'pipe'));
  }

  async #run(child: ChildProcess): Promise<ServiceProcess> {
    const said: string[] = [];
    child.on('message', (line) => said.push(String(line)));
    const ended = once(child, 'exit').then(([code, signal]) => (code ?? signal) as number | string);
    const url = await urlOf(child, said, ended);
    return {
      url,
      port: Number(new URL(url).port),
      said,
      child,
      ended,
      kill: (signal) => void child.kill(signal),
    };
  }

  remove(): void {
    this.#worker.remove();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

async function urlOf(child: ChildProcess, said: readonly string[], ended: Promise<unknown>): Promise<string> {
  for (;;) {
    const [, url] = /listening on (http:\S+)/.exec(said.join('\n')) ?? [];
    if (url !== undefined) return url;
    const outcome = await Promise.race([once(child, 'message'), ended.then(() => null)]);
    if (outcome === null) throw new TypeError(`The service did not start: ${said.join(' ')}`);
  }
}

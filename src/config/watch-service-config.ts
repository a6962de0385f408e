import { type FSWatcher, statSync, watch } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { assertWhole } from '../core/amounts.ts';
import { LONGEST_TIMER_MS } from '../core/duration.ts';
import { Fault } from '../core/fault.ts';
import { assertKind, assertOptions, type OptionKinds } from '../core/options.ts';
import { type ConfigChange, changeBetween } from './config-change.ts';
import type { Environment } from './environment-variables.ts';
import type { Problem } from './problem.ts';
import { type ConfigReading, checkServiceConfig } from './read-service-config.ts';
import type { ServiceConfig } from './service-config.ts';

export interface WatchOptions {
  /** The configuration that runs. */
  readonly running: ServiceConfig;
  /** Default: the environment of the process. */
  readonly env?: Environment;
  /** The layer that was chosen at the start, if it was not the file's own choice. */
  readonly environment?: string;
  /** Told of a configuration that differs. When it throws, the file counts as refused. */
  readonly onChange: (change: ConfigChange) => void;
  /**
   * Told of a file that is not taken over; the last good one stays.
   *
   * @param cause what `onChange` threw; undefined where the file itself is wrong
   */
  readonly onRefused: (problems: readonly Problem[], cause?: unknown) => void;
  /** How long a file must rest before it is read. Default 200. */
  readonly debounceMs?: number;
  /** How often files are looked at where the system does not tell of changes. Default 5000. */
  readonly pollMs?: number;
}

const optionKinds: OptionKinds<WatchOptions> = {
  running: 'object',
  env: 'object',
  environment: 'text',
  onChange: 'function',
  onRefused: 'function',
  debounceMs: 'checked',
  pollMs: 'checked',
};

/** What became of a file that was read anew; `needs-restart` when nothing of what differs can change live. */
export type ReloadResult = 'applied' | 'unchanged' | 'refused' | 'needs-restart';

/** Keeps a service at its configuration file. */
export interface ConfigWatcher {
  /** The last good configuration. */
  readonly current: ServiceConfig;
  /** Reads the file now, as on `SIGHUP`. */
  reload(): ReloadResult;
  close(): void;
}

/**
 * Watches a configuration file and the files it names. A file may be written in place, moved into place as editors do,
 * or stand behind a symbolic link that is swapped, as in Kubernetes.
 *
 * @throws Fault `CONFIG_INVALID` when an option is unknown, missing, of the wrong type or out of range.
 */
export function watchServiceConfig(path: string, options: WatchOptions): ConfigWatcher {
  assertOptions('a watch over a configuration', options, optionKinds);
  assertKind('running', options.running, 'object');
  assertKind('onChange', options.onChange, 'function');
  assertKind('onRefused', options.onRefused, 'function');
  return new FileWatcher(path, options);
}

class FileWatcher implements ConfigWatcher {
  readonly #path: string;
  readonly #options: WatchOptions;
  readonly #debounceMs: number;
  readonly #poll: NodeJS.Timeout;
  readonly #folders = new Map<string, FSWatcher>();
  #files: readonly string[];
  #current: ServiceConfig;
  #seen = '';
  #rest: NodeJS.Timeout | null = null;

  constructor(path: string, options: WatchOptions) {
    this.#path = path;
    this.#options = options;
    this.#current = options.running;
    const { debounceMs = 200, pollMs = 5000 } = options;
    assertWhole('CONFIG_INVALID', 'debounceMs', debounceMs, 0, LONGEST_TIMER_MS);
    assertWhole('CONFIG_INVALID', 'pollMs', pollMs, 1, LONGEST_TIMER_MS);
    this.#debounceMs = debounceMs;
    this.#files = [resolve(path)];
    const { config } = this.#read();
    this.#watchFolders();
    this.#poll = setInterval(() => this.#look(), pollMs);
    this.#poll.unref();
    // A service takes its time to start, and the file may have changed since what runs was read.
    if (config === null || differs(changeBetween(this.#current, config))) this.#reloadSoon();
  }

  get current(): ServiceConfig {
    return this.#current;
  }

  reload(): ReloadResult {
    this.#settle();
    const { config, problems } = this.#read();
    this.#watchFolders();
    if (config === null) {
      this.#options.onRefused(problems);
      return 'refused';
    }
    return this.#apply(changeBetween(this.#current, config));
  }

  close(): void {
    this.#settle();
    clearInterval(this.#poll);
    for (const watcher of this.#folders.values()) watcher.close();
    this.#folders.clear();
  }

  /** What is written while it reads is a change since: the fingerprint is from before. */
  #read(): ConfigReading {
    const { env, environment } = this.#options;
    const read = () => checkServiceConfig({ path: this.#path, env, environment });
    this.#seen = fingerprint(this.#files);
    const reading = read();
    if (String(reading.files) === String(this.#files)) return reading;
    // Other files are named than were looked at.
    this.#files = reading.files;
    this.#seen = fingerprint(this.#files);
    return read();
  }

  #apply(change: ConfigChange): ReloadResult {
    if (!differs(change)) return 'unchanged';
    try {
      this.#options.onChange(change);
    } catch (cause) {
      const message = cause instanceof Fault ? cause.message : 'could not be taken over';
      this.#options.onRefused([{ path: '', message }], cause);
      return 'refused';
    }
    this.#current = change.config;
    return change.live.length > 0 ? 'applied' : 'needs-restart';
  }

  /** The folder is watched, not the file: a file that is moved into place is another one. */
  #watchFolders(): void {
    const wanted = new Set(this.#files.map((file) => dirname(file)));
    for (const [folder, watcher] of this.#folders) {
      if (wanted.has(folder)) continue;
      watcher.close();
      this.#folders.delete(folder);
    }
    for (const folder of wanted) if (!this.#folders.has(folder)) this.#watchFolder(folder);
  }

  #watchFolder(folder: string): void {
    try {
      const watcher = watch(folder, { persistent: false }, () => this.#look());
      // A folder that goes away, or a system without room for more watches, leaves the poll.
      watcher.on('error', () => this.#forget(folder));
      this.#folders.set(folder, watcher);
    } catch {
      this.#forget(folder);
    }
  }

  #forget(folder: string): void {
    this.#folders.get(folder)?.close();
    this.#folders.delete(folder);
  }

  /**
   * Reads the files once they have rested: one that is being written would be refused, or worse, taken half. What others
   * write in the folder, a log perhaps, does not keep them from rest.
   */
  #look(): void {
    const seen = fingerprint(this.#files);
    if (seen === this.#seen) return;
    this.#seen = seen;
    this.#reloadSoon();
  }

  #reloadSoon(): void {
    this.#settle();
    this.#rest = setTimeout(() => this.reload(), this.#debounceMs);
    this.#rest.unref();
  }

  #settle(): void {
    if (this.#rest !== null) clearTimeout(this.#rest);
    this.#rest = null;
  }
}

const differs = ({ live, needsRestart }: ConfigChange): boolean => live.length > 0 || needsRestart.length > 0;

/** Tells one state of files from another, through symbolic links. */
function fingerprint(files: readonly string[]): string {
  return files.map(stamp).join(' ');
}

function stamp(file: string): string {
  try {
    const found = statSync(file, { bigint: true, throwIfNoEntry: false });
    // The time of its last change of any kind: one that was closed to us is another once it may be read.
    return found === undefined
      ? 'none'
      : `${found.dev}:${found.ino}:${found.size}:${found.mtimeNs}:${found.ctimeNs}`;
  } catch (cause) {
    // A link that leads to itself, a folder that is closed to us: reading the file will say so, and nobody waits here.
    return cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown';
  }
}

import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ConfigChange } from '../../src/config/config-change.ts';
import { problemText } from '../../src/config/problem.ts';
import { readServiceConfig } from '../../src/config/read-service-config.ts';
import {
  type ConfigWatcher,
  type WatchOptions,
  watchServiceConfig,
} from '../../src/config/watch-service-config.ts';

type Heard = { readonly change: ConfigChange } | { readonly refused: readonly string[] };

/** What a watcher tells, to be waited for one by one. */
class Listening {
  readonly #heard: Heard[] = [];
  #wake: (() => void) | null = null;
  readonly watcher: ConfigWatcher;

  constructor(path: string, options: Partial<WatchOptions> = {}) {
    this.watcher = watchServiceConfig(path, {
      env: {},
      debounceMs: 20,
      ...options,
      running: options.running ?? readServiceConfig({ path, env: {} }),
      onChange: (change) => this.#hear({ change }),
      onRefused: (problems) => this.#hear({ refused: problems.map(problemText) }),
    });
  }

  get count(): number {
    return this.#heard.length;
  }

  async next(): Promise<Heard> {
    while (true) {
      const heard = this.#heard.shift();
      if (heard !== undefined) return heard;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  async nextChange(): Promise<ConfigChange> {
    const heard = await this.next();
    if (!('change' in heard)) expect.unreachable(`refused: ${heard.refused.join('; ')}`);
    return heard.change;
  }

  #hear(heard: Heard): void {
    this.#heard.push(heard);
    this.#wake?.();
  }
}

const yaml = (ratePerSecond: number) => `limits: { signedIn: { ratePerSecond: ${ratePerSecond} } }\n`;

describe('a watched configuration file', () => {
  let folder: string;
  let path: string;
  let listening: Listening | null = null;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'portcullis-watch-'));
    path = join(folder, 'portcullis.yaml');
    writeFileSync(path, yaml(10));
  });

  afterEach(() => {
    listening?.watcher.close();
    rmSync(folder, { recursive: true });
  });

  it('is taken over when it is written in place', async () => {
    listening = new Listening(path);
    writeFileSync(path, yaml(20));
    const { config, live } = await listening.nextChange();
    expect(live).toEqual(['limits']);
    expect(config.limits.ratePerSecond).toBe(20);
    expect(listening.watcher.current).toBe(config);
  });

  it('is taken over when it only looks as before: its rights have changed, or it was copied with its time', async () => {
    const write = (rate: number) => {
      writeFileSync(path, yaml(rate));
      utimesSync(path, 1_700_000_000, 1_700_000_000);
    };
    write(10);
    listening = new Listening(path);
    write(20);
    expect((await listening.nextChange()).config.limits.ratePerSecond).toBe(20);
  });

  it('is taken over also while others write in its folder all the time', async () => {
    listening = new Listening(path, { debounceMs: 60 });
    const neighbour = setInterval(() => appendFileSync(join(folder, 'decisions.jsonl'), 'x\n'), 10);
    try {
      writeFileSync(path, yaml(20));
      const { config } = await listening.nextChange();
      expect(config.limits.ratePerSecond).toBe(20);
    } finally {
      clearInterval(neighbour);
    }
  });

  it('is taken over each time another one is moved into its place', async () => {
    listening = new Listening(path);
    for (const rate of [20, 30]) {
      writeFileSync(join(folder, 'draft'), yaml(rate));
      renameSync(join(folder, 'draft'), path);
      const { config } = await listening.nextChange();
      expect(config.limits.ratePerSecond).toBe(rate);
    }
  });

  it('is taken over when the folder it is linked into is swapped, as Kubernetes does', async () => {
    const mount = join(folder, 'mount');
    mkdirSync(mount);
    const publish = (version: string, rate: number) => {
      mkdirSync(join(mount, version));
      writeFileSync(join(mount, version, 'portcullis.yaml'), yaml(rate));
      symlinkSync(version, join(mount, '..data_tmp'));
      renameSync(join(mount, '..data_tmp'), join(mount, '..data'));
    };
    publish('..v1', 10);
    symlinkSync(join('..data', 'portcullis.yaml'), join(mount, 'portcullis.yaml'));
    listening = new Listening(join(mount, 'portcullis.yaml'));
    for (const [version, rate] of [
      ['..v2', 20],
      ['..v3', 30],
    ] as const) {
      publish(version, rate);
      const { config } = await listening.nextChange();
      expect(config.limits.ratePerSecond).toBe(rate);
    }
  });

  it('is refused when it is bad, with every problem named, and the last good one stays', async () => {
    listening = new Listening(path);
    const good = listening.watcher.current;
    writeFileSync(path, 'limits: { signedIn: { burst: 9 } }\nlistn: {}\n');
    expect(await listening.next()).toEqual({
      refused: [
        'limits.signedIn.burst: must be a number from 2 to 4, got the integer 9',
        expect.stringMatching(/^listn: is not a known field/),
      ],
    });
    expect(listening.watcher.current).toBe(good);
    writeFileSync(path, yaml(40));
    expect((await listening.nextChange()).config.limits.ratePerSecond).toBe(40);
  });

  it.each(['', '# nothing yet\n'])('is refused when it is empty: %j', async (text) => {
    listening = new Listening(path);
    writeFileSync(path, text);
    expect(await listening.next()).toEqual({ refused: ['is empty'] });
  });

  it('is refused when it goes away, and taken over when it comes back', async () => {
    listening = new Listening(path);
    rmSync(path);
    expect(await listening.next()).toEqual({ refused: ['cannot be read (ENOENT)'] });
    writeFileSync(path, yaml(50));
    expect((await listening.nextChange()).config.limits.ratePerSecond).toBe(50);
  });

  it('is refused when it cannot even be looked at, and taken over when it can', async () => {
    listening = new Listening(path, { pollMs: 25 });
    rmSync(path);
    symlinkSync('portcullis.yaml', path);
    expect(await listening.next()).toEqual({ refused: ['cannot be read (ELOOP)'] });
    rmSync(path);
    writeFileSync(path, yaml(70));
    expect((await listening.nextChange()).config.limits.ratePerSecond).toBe(70);
  });

  it('is found by looking, where the system tells nothing', async () => {
    const far = join(folder, 'far');
    mkdirSync(far);
    const linked = join(folder, 'linked.yaml');
    writeFileSync(join(far, 'real.yaml'), yaml(10));
    symlinkSync(join('far', 'real.yaml'), linked);
    listening = new Listening(linked, { pollMs: 25 });
    writeFileSync(join(far, 'real.yaml'), yaml(60));
    expect((await listening.nextChange()).config.limits.ratePerSecond).toBe(60);
  });

  it('is taken over when it changed between the reading of what runs and the watch', async () => {
    const running = readServiceConfig({ path, env: {} });
    writeFileSync(path, yaml(20));
    listening = new Listening(path, { running });
    expect((await listening.nextChange()).config.limits.ratePerSecond).toBe(20);
  });

  it('is refused when it went bad between the reading of what runs and the watch', async () => {
    const running = readServiceConfig({ path, env: {} });
    writeFileSync(path, 'x');
    listening = new Listening(path, { running });
    expect(await listening.next()).toEqual({ refused: ['must be an object, got a string of 1 characters'] });
  });

  it('is taken over when it changes while it is being read', async () => {
    const writes: (() => void)[] = [];
    // Variables are read after the file.
    const env = {
      get PORTCULLIS_PORT() {
        writes.pop()?.();
        return undefined;
      },
    };
    writes.push(() => writeFileSync(path, yaml(20)));
    listening = new Listening(path, { env, pollMs: 25 });
    expect((await listening.nextChange()).config.limits.ratePerSecond).toBe(20);
    writes.push(() => writeFileSync(path, yaml(30)));
    expect(listening.watcher.reload()).toBe('unchanged');
    expect((await listening.nextChange()).config.limits.ratePerSecond).toBe(30);
  });

  it('is read on demand, and says what became of it', () => {
    listening = new Listening(path, { debounceMs: 60_000, pollMs: 60_000 });
    const { watcher } = listening;
    expect(watcher.reload()).toBe('unchanged');
    writeFileSync(path, yaml(20));
    expect(watcher.reload()).toBe('applied');
    writeFileSync(path, 'x');
    expect(watcher.reload()).toBe('refused');
    writeFileSync(path, `store: memory\n${yaml(20)}`);
    expect(watcher.reload()).toBe('needs-restart');
    expect(watcher.current).toMatchObject({ store: 'lmdb', limits: { ratePerSecond: 20 } });
  });

  it('is refused when its host cannot take it over', () => {
    const refusals: unknown[] = [];
    const watcher = watchServiceConfig(path, {
      running: readServiceConfig({ path, env: {} }),
      env: {},
      onChange: () => {
        throw new RangeError('no room');
      },
      onRefused: (problems, cause) => refusals.push([problems, cause]),
    });
    writeFileSync(path, yaml(20));
    expect(watcher.reload()).toBe('refused');
    expect(refusals).toEqual([[[{ path: '', message: 'could not be taken over' }], expect.any(RangeError)]]);
    expect(watcher.current.limits.ratePerSecond).toBe(10);
    watcher.close();
  });

  it('brings the files it names along', async () => {
    const limits = join(folder, 'envoy');
    mkdirSync(limits);
    writeFileSync(join(limits, 'a.yaml'), 'domain: a\n');
    writeFileSync(path, 'envoy: [envoy/a.yaml]\n');
    listening = new Listening(path);
    writeFileSync(join(limits, 'a.yaml'), 'domain: b\n');
    const { config, live } = await listening.nextChange();
    expect(live).toEqual(['envoy']);
    expect(config.envoy).toEqual([{ domain: 'b', descriptors: [] }]);
  });
});

import type { Driver, DriverEvents } from '../../src/stores/redis/drivers/driver.ts';
import { clockScript, commitScript } from '../../src/stores/redis/scripts.ts';

/** When a command is executed, when its reply arrives, and whether it does: what a network decides. */
export interface Network {
  /** Settles when something that was sent arrives. */
  arrive(what: string): Promise<void>;
  /** Whether the next reply is lost, and the connection with it. */
  losesReply(): boolean;
}

/** The commands that the store sends, over a map: the same semantics as the scripts, without a server. */
export class FakeRedis {
  readonly texts = new Map<string, string>();
  /** Milliseconds, moved by the test. */
  now = 1_700_000_000_000;

  execute([command, ...args]: readonly string[]): unknown {
    if (command === 'MGET') return args.map((key) => this.#get(key));
    const [script, count, ...rest] = args;
    if (script === clockScript.sha)
      return [String(Math.floor(this.now / 1_000)), String((this.now % 1_000) * 1_000)];
    if (script !== commitScript.sha) throw new TypeError(`There is no ${command} here.`);
    return this.#commit(rest.slice(0, Number(count)), rest.slice(Number(count)));
  }

  #commit(keys: readonly string[], [expected = '', ...texts]: readonly string[]): unknown[] {
    const groups: { key: string; version: string; text: string }[][] = [];
    keys.forEach((key, place) => {
      const [begins, version] = [expected[17 * place], expected.slice(17 * place + 1, 17 * place + 17)];
      if (begins === '|') groups.push([]);
      groups.at(-1)?.push({ key, version, text: texts[place] ?? '' });
    });
    return groups.map((group) => {
      const isCurrent = group.every(
        ({ key, version }) => (this.#get(key)?.slice(0, 16) ?? '.'.repeat(16)) === version,
      );
      if (!isCurrent) return group.map(({ key }) => this.#get(key));
      for (const { key, text } of group) if (text !== '') this.texts.set(key, text);
      return 1;
    });
  }

  #get(key: string): string | null {
    const text = this.texts.get(key) ?? null;
    return text === null || Number(text.slice(17, 30)) <= this.now ? null : text;
  }
}

/** A connection of its own to a fake server. */
export function fakeDriver(server: FakeRedis, network: Network, isCluster: boolean): Driver {
  const send = async (args: readonly string[]): Promise<unknown> => {
    await network.arrive(`${args[0]} sent`);
    const reply = server.execute(args);
    await network.arrive(`${args[0]} answered`);
    if (network.losesReply()) throw new TypeError('Connection is closed.');
    return reply;
  };
  return {
    isCluster,
    open: (events: DriverEvents) => events.up(),
    send,
    masters: async () => [send],
    doubt: () => undefined,
    reset: () => undefined,
    close: async () => undefined,
  };
}

import { type RedisServer, startRedis } from '../test/servers/redis-server.ts';
import { compare, measureInTurns, peer, type Sides, startSides, stopSides } from './redis-rounds.ts';
import type { Report } from './runner.ts';

/**
 * Login attempts on one Redis server: ours (account, network and device groups, all rules) beside four limiters of
 * rate-limiter-flexible (account, address, address with user agent, device) with ioredis, its quickest client.
 */
const concurrencies = [1, 64, 512];

export async function run(report: Report): Promise<void> {
  const server = await startRedis();
  try {
    const sides = await startSides('one', [server.url]);
    try {
      await compare(report, [server], sides, 'check', concurrencies);
      await compare(report, [server], sides, 'attempt', concurrencies);
      await compare(report, [server], sides, 'fail after its check', concurrencies);
      await compare(report, [server], sides, 'fail of returning logins', concurrencies);
      await compare(report, [server], sides, 'fail of new logins', concurrencies);
      await compareHotKey(report, server, sides);
      await measureBlocked(report, server, sides);
    } finally {
      stopSides(sides);
    }
  } finally {
    await server.stop();
  }
}

/** One account under 512 failures at once: the rules block it after a few, as they do in an attack, and go on counting. */
async function compareHotKey(report: Report, server: RedisServer, { ours, theirs }: Sides): Promise<void> {
  const { theirs: other, ...own } = await measureInTurns(
    [server],
    {
      theirs: { side: theirs, work: 'fail on one account' },
      'failures on one account': { side: ours, work: 'fail on one account' },
      'four records counted up': { side: ours, work: 'four records counted up' },
    },
    512,
  );
  for (const [name, sample] of Object.entries(own)) {
    const metric = `one hot key: ${name}, 512 at once`;
    report({ metric: `${metric} (/s)`, ours: sample.perSecond, peer, peerValue: other.perSecond });
    report({
      metric: `${metric}, server CPU (µs each)`,
      ours: sample.serverMicrosPerOp,
      peer,
      peerValue: other.serverMicrosPerOp,
      better: 'lower',
    });
  }
}

async function measureBlocked(report: Report, server: RedisServer, { ours }: Sides): Promise<void> {
  const contenders = { blocked: { side: ours, work: 'check of a blocked login' } } as const;
  const { blocked } = await measureInTurns([server], contenders, 64);
  const { commandsPerOp, perSecond } = blocked;
  report({ metric: 'blocked checks (decisions/s)', ours: perSecond, peer: null, peerValue: null });
  report({
    metric: 'blocked checks (commands per 1,000)',
    ours: commandsPerOp * 1_000,
    peer: null,
    peerValue: null,
  });
}

import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cli } from '../cli/cli-run.ts';
import { Random } from '../engine/random.ts';
import { ServiceProcesses } from './service-process.ts';
import { ask, startService } from './service-under-test.ts';

const folder = mkdtempSync(join(tmpdir(), 'portcullis-decision-log-'));
let processes: ServiceProcesses;
beforeAll(() => {
  processes = new ServiceProcesses();
});
afterAll(() => {
  processes.remove();
  rmSync(folder, { recursive: true, force: true });
});

const calls = 300;

const identifiers = {
  accounts: ['erika@example.com', 'account-2', 'account-3', 'account-4'],
  addresses: ['192.0.2.17', '198.51.100.5', '2001:db8:77:1::9', '2001:db8:77:2::9', '2001:db8:aa01::4'],
  agents: [
    'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0',
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36',
    'curl/8.5.0',
  ],
  devices: ['device-of-erika', 'another-device', 'third-device'],
} as const;

/** One random request, and where it is sent. */
function randomCall(random: Random): { path: string; body: Record<string, unknown> } {
  const action = random.weighted({ 'auth.login': 6, 'auth.otp': 3, 'api.heavy': 3 });
  const isRate = action === 'api.heavy';
  const op = isRate
    ? random.weighted({ consume: 4, check: 1 })
    : random.weighted({ check: 2, fail: 6, succeed: 1 });
  const pick = <T>(list: readonly T[]): T => list[random.below(list.length)] as T;
  const device = { id: pick(identifiers.devices), confidence: pick(['LOW', 'MEDIUM', 'HIGH']) };
  return {
    path: `/v1/${op}`,
    body: {
      action,
      ip: pick(identifiers.addresses),
      ...(isRate && random.chance(0.5) ? {} : { account: pick(identifiers.accounts) }),
      ...(random.chance(0.2) ? {} : { ua: pick(identifiers.agents) }),
      ...(random.chance(0.3) ? {} : { device }),
      ...(op === 'consume' ? { cost: 1 + random.below(5) } : {}),
    },
  };
}

const linesOf = (file: string): Record<string, unknown>[] =>
  readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

/** What a caller hears of a decision and replay prints too. */
const heard = ({ outcome, level, until, rule, scope, deferred, reasons }: Record<string, unknown>) => ({
  outcome,
  level,
  until,
  rule,
  scope,
  deferred,
  reasons,
});

describe.each(['memory', 'lmdb'])('the decision log of a service over %s', (store) => {
  const file = join(folder, `${store}.jsonl`);
  const answers: Record<string, unknown>[] = [];

  beforeAll(async () => {
    const telemetry = { decisionLog: { file } };
    // A machine that is busy must not have decisions taken without the store.
    const failure = { deadlineMs: 30_000 };
    const service = await startService({ store, dataFolder: join(folder, store), telemetry, failure });
    const random = new Random(store.length);
    for (let n = 0; n < calls; n += 1) {
      const { path, body } = randomCall(random);
      answers.push((await service.ask('POST', path, body)).json);
    }
    await service.close();
  });

  it('has a line for every answer, in their order', () => {
    const told = (fields: Record<string, unknown>) => [fields.outcome, fields.rule ?? null];
    expect(linesOf(file).map(told)).toEqual(answers.map(told));
    expect(new Set(answers.map(({ outcome }) => outcome)).size).toBe(3);
  });

  it('is replayed to exactly the decisions that were answered', async () => {
    const { code, stdout } = await cli(['replay', file, '--format', 'decisions']);
    const again = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(code).toBe(0);
    expect(again.map(heard)).toEqual(answers.map(heard));
    const summary = await cli(['replay', file, '--format', 'decisions', '--summary', '--quiet', '--json']);
    expect(JSON.parse(summary.stdout).summary).toMatchObject({ events: calls, taken: { differing: 0 } });
  });

  it('is replayed so on a store too, however often: every run has records of its own', async () => {
    const onStore = ['replay', file, '--format', 'decisions', '--store', `lmdb:${join(folder, 'records')}`];
    for (const _ of [1, 2]) {
      const { stdout } = await cli([...onStore, '--summary', '--quiet', '--json']);
      expect(JSON.parse(stdout).summary).toMatchObject({ events: calls, taken: { differing: 0 } });
    }
  });

  it('shows what another policy would have changed', async () => {
    const policy = join(folder, 'strict.yaml');
    writeFileSync(policy, 'policies: { login: { score: { newDevice: 8 } } }');
    const compared = await cli(['compare', '-', policy, file, '--format', 'decisions', '--json']);
    const replayed = await cli([
      ...['replay', file, '--format', 'decisions', '--policy', policy],
      ...['--summary', '--quiet', '--json'],
    ]);
    const { differences, events } = JSON.parse(compared.stdout);
    expect([compared.code, events]).toEqual([1, calls]);
    expect(differences).toBeGreaterThan(0);
    expect(JSON.parse(replayed.stdout).summary.taken.differing).toBeGreaterThanOrEqual(differences);
  });

  it('holds no identifier, and is for its owner alone', () => {
    const text = readFileSync(file, 'utf8');
    const clear = Object.values(identifiers)
      .flat()
      .flatMap((value) => [value, value.split('/')[0] ?? value]);
    expect(clear.filter((value) => text.includes(value))).toEqual([]);
    expect(text).not.toMatch(/example|firefox|chrome|2001:|192\.0/i);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });
});

describe('a service with a decision log', () => {
  it('has every acknowledged decision in it when SIGTERM has ended it', async () => {
    const file = join(folder, 'drained.jsonl');
    const service = await processes.start({
      store: 'memory',
      telemetry: { logLevel: 'silent', decisionLog: { file, flushMs: 60_000 } },
    });
    let answered = 0;
    const client = async (name: number) => {
      for (let n = 0; ; n += 1) {
        const body = { account: `a${name}-${n}`, ip: `10.${name}.0.${n % 250}` };
        const answer = await ask(service.url, 'POST', '/v1/fail', body).catch(() => null);
        if (answer?.status !== 200) return;
        answered += 1;
        if (answered === 200) service.kill('SIGTERM');
      }
    };
    await Promise.all([1, 2, 3, 4].map(client));
    expect(await service.ended).toBe(0);
    expect(answered).toBeGreaterThanOrEqual(200);
    expect(linesOf(file).length).toBeGreaterThanOrEqual(answered);
  });

  it('goes on deciding when the disk is full, and says so', async () => {
    const file = join(folder, 'full.jsonl');
    const service = await processes.start(
      { store: 'memory', telemetry: { logLevel: 'silent', decisionLog: { file, flushMs: 1 } } },
      { fileKib: 64 },
    );
    const items = Array.from({ length: 500 }, (_, n) => ({ op: 'check', account: `a${n}`, ip: '192.0.2.1' }));
    const outcomes: number[] = [];
    let metrics = '';
    for (let n = 0; n < 40 && !metrics.includes('log_failures_total 1'); n += 1) {
      outcomes.push((await ask(service.url, 'POST', '/v1/batch', items)).json.length);
      metrics = (await ask(service.url, 'GET', '/metrics')).text;
    }
    expect(outcomes.every((count) => count === items.length)).toBe(true);
    expect(metrics).toMatch(/portcullis_decision_log_failures_total 1/);
    service.kill('SIGTERM');
    expect(await service.ended).toBe(0);
    expect(statSync(file).size).toBe(64 * 1024);
  });

  it('goes on deciding when the place cannot be written, and logs once it can', async () => {
    const parent = join(folder, 'no-folder');
    writeFileSync(parent, '');
    const file = join(parent, 'decisions.jsonl');
    const service = await startService({ telemetry: { decisionLog: { file, flushMs: 1 } } });
    const fail = () => service.ask('POST', '/v1/fail', { account: 'a', ip: '192.0.2.1' });
    expect((await fail()).status).toBe(200);
    await expect.poll(() => service.lines.some((line) => line.includes('cannot be logged'))).toBe(true);
    rmSync(parent);
    await fail();
    await service.close();
    expect(linesOf(file)).toHaveLength(2);
    const told = service.lines.map((line) => JSON.parse(line)).filter(({ component }) => component);
    expect(told.map(({ msg }) => msg)).toEqual([
      'decisions go on, but cannot be logged',
      'decisions are logged again',
    ]);
    expect(told[0].code).toMatch(/^E(EXIST|NOTDIR)$/);
  });
});

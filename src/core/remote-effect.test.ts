import { describe, expect, it } from 'vitest';
import { HOUR_MS } from './duration.ts';
import { silence } from './operation.ts';
import { defaultLogin } from './policy.ts';
import { networkDeviceKind } from './record-kinds.ts';
import type { Key, Records, Retention, StoredRecord } from './records.ts';
import { remoteBlockStep } from './remote-effect.ts';
import { cleanStanding, type Standing } from './standing.ts';
import type { NetworkDeviceRecord } from './state.ts';

const t = 10 * HOUR_MS;
const key: Key<NetworkDeviceRecord> = { text: 'portcullis:live:login:1:K3:{home}:laptop', was: null };

/** Has dilution block the key, whose record stands so; gives its answer and what was put. */
function blocked(standing: Partial<Standing>, own = true) {
  const record = { ...networkDeviceKind.make(), at: t, standing: { ...cleanStanding, ...standing } };
  const puts: { value: NetworkDeviceRecord; retention: Retention }[] = [];
  const records: Records = {
    get: <R extends StoredRecord>() => record as StoredRecord as R,
    put: (_, value, retention) =>
      void puts.push({ value: structuredClone(value as StoredRecord) as NetworkDeviceRecord, retention }),
  };
  const step = remoteBlockStep({ rule: 'dilution', kind: networkDeviceKind, key, own }, t, defaultLogin);
  return { answer: step.run(records), puts, keys: step.keys };
}

describe('a block on a key of another group (§3)', () => {
  const [, secondMs = 0, thirdMs = 0] = defaultLogin.ladder.durationsMs;

  it('is stored, for as long as it runs, and answered where the key is the request’s own', () => {
    const { answer, puts, keys } = blocked({});
    expect(keys).toEqual([key]);
    expect(puts).toEqual([
      {
        value: expect.objectContaining({
          standing: { ...cleanStanding, hardLevel: 2, hardAt: t, hardUntil: t + secondMs, memory: 2 },
        }),
        retention: expect.objectContaining({ softMs: 0, hardMs: secondMs }),
      },
    ]);
    expect(answer.reasons).toEqual([
      { rule: 'dilution', scope: 'K3', outcome: 'HARD_BLOCK', level: 2, until: t + secondMs },
    ]);
  });

  it('is stored all the same where the key is somebody else’s, and no reason then', () => {
    const { answer, puts } = blocked({}, false);
    expect([answer.reasons, puts.length]).toEqual([[], 1]);
  });

  it('climbs from what the key remembers once the block before it has ended', () => {
    const { puts } = blocked({ hardLevel: 2, hardAt: t - HOUR_MS, hardUntil: t, memory: 2 });
    expect(puts[0]?.value.standing).toMatchObject({ hardLevel: 3, hardAt: t, hardUntil: t + thirdMs });
  });

  it('neither extends nor raises one that is running', () => {
    const { answer, puts } = blocked({ hardLevel: 2, hardAt: t - 1, hardUntil: t + 1, memory: 2 });
    expect([answer, puts]).toEqual([silence, []]);
  });
});

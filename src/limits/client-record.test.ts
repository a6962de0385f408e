import { describe, expect, it } from 'vitest';
import { bucketOwing, fullBucket } from '../core/bucket.ts';
import { MINUTE_MS } from '../core/duration.ts';
import { cleanStanding, hardBlocked } from '../core/standing.ts';
import { nothingAsked } from './asked-window.ts';
import { clientRecord, clientSaysNothing, emptyClient, ladder } from './client-record.ts';

const start = 1_700_000_000_000;
const limit = 10;
const blocked = hardBlocked(cleanStanding, 2, start, ladder);

describe('a client’s record', () => {
  it.each([
    ['is empty', emptyClient(start, limit), 0],
    [
      'owes a second',
      clientRecord(start, cleanStanding, bucketOwing(1_000 * limit, limit, start), limit, nothingAsked),
      1_001,
    ],
    [
      'was asked for',
      clientRecord(start, cleanStanding, fullBucket, limit, {
        ...nothingAsked,
        askingAt: start,
        asking: 1,
        askedTotal: 1,
      }),
      5_000,
    ],
    [
      'is blocked, for as long as that is remembered',
      clientRecord(start, blocked, fullBucket, limit, nothingAsked),
      blocked.hardUntil - start + (ladder.memoryMs[0] ?? 0) + (ladder.memoryMs[1] ?? 0),
    ],
  ])('that %s says something until that is over', (_, record, untilMs) => {
    if (untilMs > 0) expect(clientSaysNothing(record, start + untilMs - 1)).toBe(false);
    expect(clientSaysNothing(record, start + untilMs)).toBe(true);
  });

  it('that is one of a network’s says something as long as it is kept', () => {
    const sights = { at: start, agentsSeenAt: [start] };
    expect(clientSaysNothing(sights, start + 14 * MINUTE_MS)).toBe(false);
  });
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Batches } from './batches.ts';

/** A sender whose batches wait until they are let go. */
function heldBack() {
  const batches: { jobs: readonly number[]; go: () => void; fail: (error: Error) => void }[] = [];
  const send = (jobs: readonly number[]) =>
    new Promise<readonly string[]>((resolve, reject) => {
      batches.push({ jobs, go: () => resolve(jobs.map((job) => `done ${job}`)), fail: reject });
    });
  return { batches, send };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('Batches', () => {
  test('send what is added in one turn together, and what comes later once there is room', async () => {
    const { batches, send } = heldBack();
    const sent = new Batches<number, string>({ maxUnderWay: 1, maxJobs: 10 }, send);
    const first = [sent.add(1), sent.add(2)];
    await turn();
    const second = [sent.add(3), sent.add(4)];
    await turn();
    expect(batches.map(({ jobs }) => jobs)).toEqual([[1, 2]]);
    batches[0]?.go();
    expect(await Promise.all(first)).toEqual(['done 1', 'done 2']);
    expect(batches.map(({ jobs }) => jobs)).toEqual([
      [1, 2],
      [3, 4],
    ]);
    batches[1]?.go();
    expect(await Promise.all(second)).toEqual(['done 3', 'done 4']);
  });

  test('fail the jobs of a failed batch and go on with the others', async () => {
    const { batches, send } = heldBack();
    const sent = new Batches<number, string>({ maxUnderWay: 1, maxJobs: 2 }, send);
    const outcomes = Promise.allSettled([sent.add(1), sent.add(2), sent.add(3)]);
    await turn();
    const reason = new RangeError('refused');
    batches[0]?.fail(reason);
    await turn();
    batches[1]?.go();
    expect(await outcomes).toEqual([
      { status: 'rejected', reason },
      { status: 'rejected', reason },
      { status: 'fulfilled', value: 'done 3' },
    ]);
  });

  test('answer each job once, in batches within the limits', async () => {
    const limits = fc.record({
      maxUnderWay: fc.integer({ min: 1, max: 3 }),
      maxJobs: fc.integer({ min: 1, max: 5 }),
    });
    await fc.assert(
      fc.asyncProperty(limits, fc.array(fc.nat(5), { maxLength: 10 }), async (bounds, waves) => {
        let underWay = 0;
        const sent = new Batches<number, number>(bounds, async (jobs) => {
          underWay += 1;
          expect(underWay).toBeLessThanOrEqual(bounds.maxUnderWay);
          expect(jobs.length).toBeLessThanOrEqual(bounds.maxJobs);
          await turn();
          underWay -= 1;
          return jobs.map((job) => 2 * job);
        });
        const answers: Promise<number>[] = [];
        for (const wave of waves) {
          for (let index = 0; index < wave; index += 1) answers.push(sent.add(answers.length));
          await turn();
        }
        expect(await Promise.all(answers)).toEqual(answers.map((_, index) => 2 * index));
      }),
    );
  });
});

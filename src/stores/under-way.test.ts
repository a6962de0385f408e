import { describe, expect, test } from 'vitest';
import { UnderWay } from './under-way.ts';

describe('UnderWay', () => {
  test('ends when every call is answered, and passes their answers on', async () => {
    const underWay = new UnderWay();
    const answers: ((value: string) => void)[] = [];
    const tracked = [0, 1].map(() => underWay.track(new Promise<string>((resolve) => answers.push(resolve))));
    const refused = new RangeError('refused');
    const failing = expect(underWay.track(Promise.reject(refused))).rejects.toBe(refused);
    const order: string[] = [];
    const ended = underWay.ended().then(() => order.push('ended'));
    answers[0]?.('first');
    order.push(await (tracked[0] ?? ''));
    answers[1]?.('second');
    order.push(await (tracked[1] ?? ''));
    await Promise.all([ended, failing]);
    expect(order).toEqual(['first', 'second', 'ended']);
    await expect(underWay.ended()).resolves.toBeUndefined();
  });
});

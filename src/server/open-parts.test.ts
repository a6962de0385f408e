import { describe, expect, it } from 'vitest';
import { OpenParts } from './open-parts.ts';

describe('parts that were opened', () => {
  it('end with the last first, and those of a stage at the same time', async () => {
    const ended: string[] = [];
    const parts = new OpenParts((error) => expect.unreachable(String(error)));
    parts.add(() => ended.push('store'));
    const doors = parts.together();
    let open = () => {};
    doors.push(() => new Promise<void>((resolve) => (open = resolve)).then(() => ended.push('slow door')));
    doors.push(() => {
      ended.push('quick door');
      open();
    });
    parts.add(() => ended.push('last'));
    expect(await parts.close()).toEqual([]);
    expect(ended).toEqual(['last', 'quick door', 'slow door', 'store']);
    await parts.close();
    expect(ended).toHaveLength(4);
  });

  it('end all, whatever fails on the way, and every failure is told', async () => {
    const ended: string[] = [];
    const told: unknown[] = [];
    const parts = new OpenParts((error) => told.push(error));
    parts.add(() => ended.push('store'));
    parts.add(() => Promise.reject(new RangeError('late')));
    parts.together().push(
      () => {
        throw new TypeError('at once');
      },
      () => ended.push('door'),
    );
    expect(await parts.close()).toEqual([new TypeError('at once'), new RangeError('late')]);
    expect(told).toEqual([new TypeError('at once'), new RangeError('late')]);
    expect(ended).toEqual(['door', 'store']);
  });
});

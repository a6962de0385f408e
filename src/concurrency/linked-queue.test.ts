import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Linked, LinkedQueue } from './linked-queue.ts';

class Entry implements Linked<Entry> {
  previous: Entry | null = null;
  next: Entry | null = null;
}

function contents(queue: LinkedQueue<Entry>): Entry[] {
  const entries: Entry[] = [];
  for (let entry = queue.first; entry !== null; entry = entry.next) entries.push(entry);
  return entries;
}

describe('LinkedQueue', () => {
  it('is empty at first', () => {
    const queue = new LinkedQueue<Entry>();
    expect([queue.first, queue.last, queue.size]).toEqual([null, null, 0]);
  });

  it('keeps the order of a list from which anything may be taken', () => {
    fc.assert(
      fc.property(fc.array(fc.option(fc.nat(), { nil: null }), { maxLength: 60 }), (commands) => {
        const queue = new LinkedQueue<Entry>();
        const model: Entry[] = [];
        for (const command of commands) {
          const [taken] = command === null ? [] : model.splice(command % Math.max(1, model.length), 1);
          if (taken !== undefined) {
            queue.remove(taken);
          } else {
            const entry = new Entry();
            queue.push(entry);
            model.push(entry);
          }
          expect(contents(queue)).toEqual(model);
          expect(queue.last).toBe(model.at(-1) ?? null);
          expect(queue.size).toBe(model.length);
        }
      }),
    );
  });

  it('takes an entry again that has left', () => {
    const queue = new LinkedQueue<Entry>();
    const [first, second] = [new Entry(), new Entry()];
    queue.push(first);
    queue.push(second);
    queue.remove(first);
    queue.push(first);
    expect(contents(queue)).toEqual([second, first]);
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ResponseBody } from './response-body.ts';

/** A connection that notes what it is told. */
function flowing() {
  const told: string[] = [];
  const body = new ResponseBody({
    pause: () => told.push('pause'),
    resume: () => told.push('resume'),
    abort: (reason) => {
      told.push('abort');
      body.fail(reason);
    },
  });
  return { body, told };
}

const bytes = (text: string) => new TextEncoder().encode(text);

describe('a body that is there', () => {
  it('is read as text, JSON or bytes, in whatever pieces it came', async () => {
    const pieces = fc.array(fc.uint8Array({ maxLength: 20 }), { maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(pieces, async (chunks) => {
        const { body } = flowing();
        for (const chunk of chunks) body.push(chunk);
        body.complete();
        expect(Buffer.from(await body.arrayBuffer())).toEqual(Buffer.concat(chunks));
      }),
    );
    const { body } = flowing();
    for (const piece of ['{"a"', ':', '[1]}']) body.push(bytes(piece));
    body.complete();
    expect(await body.json()).toEqual({ a: [1] });
  });

  it('does not part characters where pieces meet, and leaves the byte order mark out', async () => {
    const { body } = flowing();
    const text = Buffer.from('\ufeffgrün');
    body.push(text.subarray(0, 6));
    body.push(text.subarray(6));
    body.complete();
    expect(await body.text()).toBe('grün');
  });

  it('can be read once', async () => {
    const { body } = flowing();
    body.complete();
    expect(await body.text()).toBe('');
    await expect(body.text()).rejects.toMatchObject({ code: 'INPUT_INVALID' });
    await expect(body[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: 'INPUT_INVALID' });
    await body.dump();
  });
});

describe('a body that still comes', () => {
  it('is waited for by whoever reads it whole', async () => {
    const { body } = flowing();
    const text = body.text();
    body.push(bytes('a'));
    body.push(bytes('b'));
    body.complete();
    expect(await text).toBe('ab');
  });

  it('fails its reader when it breaks', async () => {
    const { body } = flowing();
    const text = body.text();
    body.push(bytes('a'));
    body.fail(new TypeError('broken'));
    await expect(text).rejects.toThrow('broken');
  });

  it('stays as it ended: what comes later changes nothing', async () => {
    const { body } = flowing();
    body.complete();
    body.fail(new TypeError('broken'));
    expect(await body.text()).toBe('');
  });

  it('holds the connection back while nobody reads, and lets go once somebody does', async () => {
    const { body, told } = flowing();
    body.push(new Uint8Array(65_536));
    expect(told).toEqual([]);
    body.push(new Uint8Array(1));
    expect(told).toEqual(['pause']);
    const whole = body.arrayBuffer();
    expect(told).toEqual(['pause', 'resume']);
    body.push(new Uint8Array(100_000));
    body.complete();
    expect((await whole).byteLength).toBe(165_537);
    expect(told).toEqual(['pause', 'resume']);
  });

  it('holds the connection back for many small pieces too, and takes them for what they are when dumped', async () => {
    const { body, told } = flowing();
    for (let piece = 0; piece < 256; piece += 1) body.push(bytes('a'));
    expect(told).toEqual([]);
    body.push(bytes('a'));
    expect(told).toEqual(['pause']);
    const reader = body[Symbol.asyncIterator]();
    for (let piece = 0; piece < 257; piece += 1) await reader.next();
    body.push(new Uint8Array(65_536));
    expect(told).toEqual(['pause']);

    const unwanted = flowing();
    void unwanted.body.dump();
    for (let piece = 0; piece < 1_000; piece += 1) unwanted.body.push(bytes('a'));
    expect(unwanted.told).toEqual(['resume']);
  });

  it('waits for its end while it is dumped, and moves with what comes', () => {
    const { body } = flowing();
    expect([body.isUnread, body.taken]).toEqual([false, 0]);
    void body.dump();
    expect([body.isUnread, body.taken]).toEqual([true, 0]);
    body.push(bytes('a'));
    expect([body.isUnread, body.taken]).toEqual([true, 1]);
    body.complete();
    expect(body.isUnread).toBe(false);
  });

  it('is read piece by piece, with the connection held back when the reader is slow', async () => {
    const { body, told } = flowing();
    const reader = body[Symbol.asyncIterator]();
    body.push(bytes('a'));
    expect((await reader.next()).value).toEqual(bytes('a'));
    const second = reader.next();
    body.push(new Uint8Array(70_000));
    body.push(new Uint8Array(70_000));
    expect(told.filter((word) => word === 'pause')).toHaveLength(2);
    expect((await second).value).toHaveLength(70_000);
    expect((await reader.next()).value).toHaveLength(70_000);
    const last = reader.next();
    expect(told.at(-1)).toBe('resume');
    body.complete();
    expect((await last).done).toBe(true);
  });

  it('may come before the connection has said that it goes on', async () => {
    const waiting = [new Uint8Array(70_000), bytes('end')];
    const body = new ResponseBody({
      pause: () => undefined,
      resume: () => {
        const next = waiting.shift();
        if (next === undefined) body.complete();
        else body.push(next);
      },
      abort: () => undefined,
    });
    const lengths: number[] = [];
    for await (const chunk of body) lengths.push(chunk.length);
    expect(lengths).toEqual([70_000, 3]);
  });

  it('is given up when its reader stops early', async () => {
    const { body, told } = flowing();
    body.push(bytes('a'));
    for await (const piece of body) {
      expect(piece).toEqual(bytes('a'));
      break;
    }
    expect(told).toEqual(['abort']);
  });
});

describe('a body that nobody wants', () => {
  it('is read to its end when that is near', async () => {
    const { body, told } = flowing();
    body.push(new Uint8Array(100_000));
    const dumped = body.dump();
    body.push(new Uint8Array(31_072));
    body.complete();
    await dumped;
    expect(told).toEqual(['pause', 'resume']);
  });

  it('costs its connection when it is long', async () => {
    const { body, told } = flowing();
    const dumped = body.dump();
    body.push(new Uint8Array(131_073));
    await dumped;
    expect(told).toEqual(['resume', 'abort']);
  });

  it('may break without anybody minding', async () => {
    const { body } = flowing();
    const dumped = body.dump();
    body.fail(new TypeError('broken'));
    await dumped;
    await body.dump();
  });
});

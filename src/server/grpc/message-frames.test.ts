import { Readable } from 'node:stream';
import { deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { codes, tooLong } from './grpc-status.ts';
import { framed, readMessage } from './message-frames.ts';

const text = Buffer.from('a message');

/** The text that was read, or the code of its refusal. */
function read(pieces: readonly Uint8Array[], encoding = 'other', mostBytes = 100): Promise<string | number> {
  return new Promise((resolve) => {
    readMessage(
      Readable.from(pieces, { objectMode: true }),
      { mostBytes, tooLong, encoding },
      { take: (message) => resolve(message.toString()), refuse: ({ code }) => resolve(code) },
    );
  });
}

const packed = (bytes: Uint8Array): Buffer => {
  const frame = framed(bytes);
  frame[0] = 1;
  return frame;
};

describe('the message of a call', () => {
  it('is read whole, in however many pieces it comes', async () => {
    const bytes = framed(text);
    expect(await read([bytes])).toBe('a message');
    expect(await read([...bytes].map((byte) => Buffer.of(byte)))).toBe('a message');
    expect(await read([framed(Buffer.alloc(0))])).toBe('');
  });

  it.each([
    ['nothing', []],
    ['half a prefix', [Buffer.alloc(3)]],
    ['less than was announced', [framed(text).subarray(0, 10)]],
    ['more than was announced', [framed(text), Buffer.of(0)]],
    ['a second one', [framed(text), framed(text)]],
  ])('is refused where there is %s', async (_, pieces) => {
    expect(await read(pieces)).toBe(codes.INVALID_ARGUMENT);
  });

  it('is refused as soon as it announces more than there may be', async () => {
    expect(await read([framed(Buffer.alloc(101)).subarray(0, 5)])).toBe(codes.RESOURCE_EXHAUSTED);
  });

  it('may be compressed, and is no longer than others then', async () => {
    expect(await read([packed(gzipSync(text))], 'gzip')).toBe('a message');
    expect(await read([packed(deflateSync(text))], 'deflate')).toBe('a message');
    expect(await read([packed(gzipSync(text))])).toBe(codes.UNIMPLEMENTED);
    expect(await read([packed(text)], 'gzip')).toBe(codes.INVALID_ARGUMENT);
    expect(await read([packed(gzipSync(Buffer.alloc(1_000)))], 'gzip')).toBe(codes.RESOURCE_EXHAUSTED);
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Fault } from '../../core/fault.ts';
import { decodeFrame, decodeMessages, encodeFrame, type Frame, type Message } from './frame.ts';
import { FrameSplitter } from './frame-splitter.ts';
import { PayloadReader } from './payload-reader.ts';
import { PayloadWriter } from './payload-writer.ts';
import type { TypedData } from './typed-data.ts';

const unsigned = fc.oneof(fc.nat(300), fc.maxSafeNat(), fc.bigInt({ min: 2n ** 53n, max: 2n ** 64n - 1n }));
const signed = fc.oneof(
  fc.maxSafeInteger(),
  fc.bigInt({ min: 2n ** 53n, max: 2n ** 63n - 1n }),
  fc.bigInt({ min: -(2n ** 63n), max: -(2n ** 53n) }),
);
const ipv6 = fc.array(fc.nat(65_535), { minLength: 8, maxLength: 8 });

const typedData: fc.Arbitrary<TypedData> = fc.oneof(
  fc.constant<TypedData>({ type: 'null' }),
  fc.boolean().map((value): TypedData => ({ type: 'bool', value })),
  fc
    .tuple(fc.constantFrom('uint32' as const, 'uint64' as const), unsigned)
    .map(([type, value]): TypedData => ({ type, value })),
  fc
    .tuple(fc.constantFrom('int32' as const, 'int64' as const), signed)
    .map(([type, value]): TypedData => ({ type, value })),
  fc.ipV4().map((value): TypedData => ({ type: 'ipv4', value })),
  ipv6.map(
    (groups): TypedData => ({ type: 'ipv6', value: groups.map((group) => group.toString(16)).join(':') }),
  ),
  fc.string({ unit: 'binary', maxLength: 300 }).map((value): TypedData => ({ type: 'string', value })),
  fc.uint8Array({ maxLength: 300 }).map((value): TypedData => ({ type: 'binary', value })),
);

const frame: fc.Arbitrary<Frame> = fc.record({
  type: fc.nat(255),
  fin: fc.boolean(),
  abort: fc.boolean(),
  streamId: fc.maxSafeNat(),
  frameId: fc.maxSafeNat(),
  payload: fc.uint8Array({ maxLength: 400 }),
});

const message: fc.Arbitrary<Message> = fc.record({
  name: fc.string({ maxLength: 30 }),
  args: fc
    .array(fc.tuple(fc.string({ maxLength: 10 }), typedData), { maxLength: 8 })
    .map((pairs) => new Map(pairs)),
});

function encodeMessages(messages: readonly Message[]): Buffer {
  const writer = new PayloadWriter();
  for (const { name, args } of messages) writer.string(name).byte(args.size).keyValues(args);
  return writer.finish();
}

describe('varints', () => {
  it.each<[number | bigint, string]>([
    [0, '00'],
    [239, 'ef'],
    [240, 'f000'],
    [2_287, 'ff7f'],
    [2_288, 'f08000'],
    [264_431, 'ffff7f'],
    [264_432, 'f0808000'],
    [33_818_863, 'ffffff7f'],
    [4_328_786_159, 'ffffffff7f'],
  ])('writes %s as the specification does', (value, hex) => {
    const bytes = new PayloadWriter().varint(value).finish();
    expect(bytes.toString('hex')).toBe(hex);
    expect(new PayloadReader(bytes).varint()).toBe(value);
  });

  it('come back as they were, up to 64 bits', () => {
    fc.assert(
      fc.property(unsigned, (value) => {
        const reader = new PayloadReader(new PayloadWriter().varint(value).finish());
        expect(reader.varint()).toBe(value);
        expect(reader.isAtEnd).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  it('end, also when the bytes do not', () => {
    expect(() => new PayloadReader(new Uint8Array(100).fill(255)).varint()).toThrow('invalid frame received');
    expect(() => new PayloadReader(Uint8Array.of(255, 255)).varint()).toThrow('invalid frame received');
  });
});

describe('frames', () => {
  it('carry any value there and back', () => {
    fc.assert(
      fc.property(typedData, (data) => {
        const reader = new PayloadReader(new PayloadWriter().typedData(data).finish());
        expect(reader.typedData()).toEqual(data);
        expect(reader.isAtEnd).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  it('carry any messages there and back', () => {
    fc.assert(
      fc.property(fc.array(message, { maxLength: 5 }), (messages) => {
        expect(decodeMessages(encodeMessages(messages))).toEqual(messages);
      }),
    );
  });

  it('come out of a stream as they went in, however it is cut', () => {
    fc.assert(
      fc.property(
        fc.array(frame, { maxLength: 6 }),
        fc.array(fc.integer({ min: 1, max: 90 })),
        (frames, cuts) => {
          let rest = Buffer.concat(frames.map(encodeFrame));
          const splitter = new FrameSplitter(16_384);
          const seen: Frame[] = [];
          for (const cut of cuts) {
            seen.push(...splitter.push(rest.subarray(0, cut)));
            rest = rest.subarray(cut);
          }
          seen.push(...splitter.push(rest));
          expect(seen).toEqual(frames);
        },
      ),
    );
  });

  it('are refused before they are held when they say that they are too long', () => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(16_385);
    expect(() => [...new FrameSplitter(16_384).push(length)]).toThrow('frame is too big');
  });

  it('read any bytes, or refuse them, and nothing else', () => {
    const refusing = (read: () => unknown) => {
      try {
        read();
      } catch (error) {
        expect(error).toBeInstanceOf(Fault);
      }
    };
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        refusing(() => decodeFrame(bytes));
        refusing(() => decodeMessages(bytes));
        refusing(() => new PayloadReader(bytes).keyValues());
        refusing(() => [...new FrameSplitter(256).push(bytes)]);
      }),
      { numRuns: 10_000 },
    );
  });

  it('refuse a list without end', () => {
    const pair = new PayloadWriter().string('a').typedData({ type: 'null' }).finish();
    const many = Buffer.concat(Array<Buffer>(256).fill(pair));
    expect(() => new PayloadReader(many).keyValues()).toThrow('invalid frame received');
    const messages = Array<Message>(33).fill({ name: '', args: new Map() });
    expect(() => decodeMessages(encodeMessages(messages))).toThrow('invalid frame received');
  });
});

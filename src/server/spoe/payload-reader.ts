import { SpopViolation } from './spop-status.ts';
import { type KeyValues, type TypedData, typeNumbers } from './typed-data.ts';

/** Everything an argument of a message costs is bounded by its frame; this bounds how many there are. */
const mostPairs = 255;
/** A varint of 64 bits has at most this many bytes. */
const longestVarint = 10;
/** Up to this shift a sum of bytes is exact as a number. */
const exactShift = 39;

const types = new Map<number, TypedData['type']>(
  Object.entries(typeNumbers).map(([name, number]) => [number, name as TypedData['type']]),
);

/** Reads a payload from its start. Throws {@link SpopViolation} where the bytes end early or make no sense. */
export class PayloadReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  byte(): number {
    const byte = this.#bytes[this.#at];
    if (byte === undefined) throw new SpopViolation('invalid');
    this.#at += 1;
    return byte;
  }

  /** An unsigned integer of at most 64 bits: four bits beside the first, seven in each further byte. */
  varint(): number | bigint {
    const first = this.byte();
    if (first < 240) return first;
    let sum = first;
    let shift = 4;
    let next = 0;
    do {
      if (shift > exactShift) return this.#largeVarint(BigInt(sum), BigInt(shift));
      next = this.byte();
      sum += next * 2 ** shift;
      shift += 7;
    } while (next >= 128);
    return sum;
  }

  #largeVarint(start: bigint, from: bigint): number | bigint {
    let sum = start;
    let shift = from;
    for (let read = 6; read < longestVarint; read += 1) {
      const next = this.byte();
      sum += BigInt(next) << shift;
      shift += 7n;
      if (next < 128) return narrowed(BigInt.asUintN(64, sum));
    }
    throw new SpopViolation('invalid');
  }

  /** A varint that counts or names something: never beyond the exact integers. */
  integer(): number {
    const value = this.varint();
    if (typeof value === 'bigint') throw new SpopViolation('invalid');
    return value;
  }

  bytes(length: number): Buffer {
    if (length > this.#bytes.length - this.#at) throw new SpopViolation('invalid');
    const bytes = this.#bytes.subarray(this.#at, this.#at + length);
    this.#at += length;
    return bytes;
  }

  /** What is left, as a copy: the bytes of a connection are overwritten. */
  rest(): Uint8Array {
    return Uint8Array.from(this.bytes(this.#bytes.length - this.#at));
  }

  string(): string {
    return this.bytes(this.integer()).toString('utf8');
  }

  typedData(): TypedData {
    const head = this.byte();
    const type = types.get(head & 0x0f);
    switch (type) {
      case 'null':
        return { type };
      case 'bool':
        return { type, value: (head & 0x10) !== 0 };
      case 'int32':
      case 'int64':
        return { type, value: narrowed(BigInt.asIntN(64, BigInt(this.varint()))) };
      case 'uint32':
      case 'uint64':
        return { type, value: this.varint() };
      case 'ipv4':
        return { type, value: this.bytes(4).join('.') };
      case 'ipv6':
        return { type, value: ipv6Text(this.bytes(16)) };
      case 'string':
        return { type, value: this.string() };
      case 'binary':
        return { type, value: Uint8Array.from(this.bytes(this.integer())) };
      case undefined:
        throw new SpopViolation('invalid');
    }
  }

  /** So many pairs of name and value, or all that are left. */
  keyValues(many?: number): KeyValues {
    const pairs = new Map<string, TypedData>();
    for (let read = 0; many === undefined ? !this.isAtEnd : read < many; read += 1) {
      if (read >= mostPairs) throw new SpopViolation('invalid');
      pairs.set(this.string(), this.typedData());
    }
    return pairs;
  }
}

function narrowed(value: bigint): number | bigint {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

function ipv6Text(bytes: Buffer): string {
  const groups = Array.from({ length: 8 }, (_, index) => bytes.readUInt16BE(index * 2).toString(16));
  return groups.join(':');
}

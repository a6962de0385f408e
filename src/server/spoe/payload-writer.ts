import { type KeyValues, type TypedData, typeNumbers } from './typed-data.ts';

/** Writes a payload, piece by piece. */
export class PayloadWriter {
  readonly #pieces: Uint8Array[] = [];
  #length = 0;

  get length(): number {
    return this.#length;
  }

  finish(): Buffer {
    return Buffer.concat(this.#pieces, this.#length);
  }

  bytes(piece: Uint8Array): this {
    this.#pieces.push(piece);
    this.#length += piece.length;
    return this;
  }

  byte(value: number): this {
    return this.bytes(Uint8Array.of(value));
  }

  varint(value: number | bigint): this {
    return this.bytes(varintBytes(BigInt.asUintN(64, BigInt(value))));
  }

  string(value: string): this {
    const bytes = Buffer.from(value, 'utf8');
    return this.varint(bytes.length).bytes(bytes);
  }

  typedData(data: TypedData): this {
    const number = typeNumbers[data.type];
    switch (data.type) {
      case 'null':
        return this.byte(number);
      case 'bool':
        return this.byte(number | (data.value ? 0x10 : 0));
      case 'ipv4':
        return this.byte(number).bytes(Uint8Array.from(data.value.split('.'), Number));
      case 'ipv6':
        return this.byte(number).bytes(ipv6Bytes(data.value));
      case 'string':
        return this.byte(number).string(data.value);
      case 'binary':
        return this.byte(number).varint(data.value.length).bytes(data.value);
      default:
        return this.byte(number).varint(data.value);
    }
  }

  keyValues(pairs: KeyValues): this {
    for (const [name, value] of pairs) this.string(name).typedData(value);
    return this;
  }
}

function varintBytes(value: bigint): Uint8Array {
  if (value < 240n) return Uint8Array.of(Number(value));
  const bytes = [Number(value & 0xffn) | 0xf0];
  let rest = (value - 240n) >> 4n;
  while (rest >= 128n) {
    bytes.push(Number(rest & 0xffn) | 0x80);
    rest = (rest - 128n) >> 7n;
  }
  bytes.push(Number(rest));
  return Uint8Array.from(bytes);
}

/** Eight groups, as the reader writes them. */
function ipv6Bytes(text: string): Buffer {
  const bytes = Buffer.alloc(16);
  text.split(':').forEach((group, index) => {
    bytes.writeUInt16BE(Number.parseInt(group, 16), index * 2);
  });
  return bytes;
}

import { Fault } from '../../core/fault.ts';

interface ForeignBytes {
  readonly head: readonly number[];
  readonly what: string;
  readonly remedy: string;
}

/** What files begin with that people take for text, or for packed as we unpack it. */
const foreign: readonly ForeignBytes[] = [
  { head: [0xff, 0xfe], what: 'UTF-16 text', remedy: 'iconv -f UTF-16 -t UTF-8' },
  { head: [0xfe, 0xff], what: 'UTF-16 text', remedy: 'iconv -f UTF-16 -t UTF-8' },
  { head: [0xfd, 0x37, 0x7a, 0x58], what: 'packed with xz', remedy: 'xz -dc' },
  { head: [0x28, 0xb5, 0x2f, 0xfd], what: 'packed with zstd', remedy: 'zstd -dc' },
  { head: [0x42, 0x5a, 0x68], what: 'packed with bzip2', remedy: 'bzip2 -dc' },
  { head: [0x50, 0x4b, 0x03, 0x04], what: 'packed with zip', remedy: 'unzip -p' },
];

/** So many bytes are enough to tell. */
export const TELLING_BYTES = 4;

/**
 * Refuses what cannot be read line by line, by its first bytes and with what makes it readable: as lines it would be told of as
 * one bad line after the other, which no one should skip.
 */
export function refuseForeignBytes(head: Uint8Array): void {
  const found = foreign.find((kind) => kind.head.every((byte, at) => head[at] === byte));
  if (found === undefined) return;
  const { what, remedy } = found;
  throw new Fault(
    'INPUT_INVALID',
    `the input is ${what}: make it UTF-8, plain or packed with gzip (${remedy})`,
  );
}

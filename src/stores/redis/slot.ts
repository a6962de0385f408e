import { tagOf } from '../group-tag.ts';

/**
 * Where a cluster keeps a key: CRC16 (XMODEM) of its hash tag, modulo 16384, as the Redis Cluster specification
 * defines it.
 */
const slots = 16384;

const remainders = Uint16Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 8;
  for (let bit = 0; bit < 8; bit += 1) crc = crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1;
  return crc & 0xffff;
});

/** The slot of a key, 0 to 16383. */
export function slotOf(key: string): number {
  let crc = 0;
  for (const byte of Buffer.from(tagOf(key), 'utf8')) {
    crc = ((crc << 8) ^ (remainders[((crc >> 8) ^ byte) & 0xff] ?? 0)) & 0xffff;
  }
  return crc % slots;
}

import { invariant } from '../../core/fault.ts';

/** Four for IPv4, two each for the /32 and the /48 of IPv6. */
const DRAWN_BYTES = 8;
/** Addresses of 198.18.0.0/15. */
const MEASURED = 1 << 17;

/**
 * Moves addresses of an attack to where nobody is: 198.18.0.0/15, for measurements (RFC 2544), and 3fff::/20, for documentation
 * (RFC 9637). Every run has a place of its own in them, or it would meet what the one before has had blocked; the attacks of a run do
 * not meet either.
 *
 * @param run drawn for the run, 8 bytes
 * @param place of the attack among the others, 0 to 6
 */
export function nobodysAddresses(run: Uint8Array, place: number): (ip: string) => string {
  invariant(run.length === DRAWN_BYTES, 'A place among addresses is drawn with 8 bytes.');
  const drawn = new DataView(run.buffer, run.byteOffset, run.byteLength);
  const [v4, p32, p48] = [drawn.getUint32(0), drawn.getUint16(4) & 0xfff, drawn.getUint16(6)];
  return (ip) => {
    if (ip.includes(':')) return `3fff:${p32.toString(16)}:${p48.toString(16)}:${ip.split(':')[3]}::1`;
    const [, , third = '0', fourth = '0'] = ip.split('.');
    const own = ((place % 2) << 16) + (((Number(third) + 40 * place) % 256) << 8) + Number(fourth);
    const moved = (own + v4) % MEASURED;
    return `198.${18 + (moved >> 16)}.${(moved >> 8) & 255}.${moved & 255}`;
  };
}

const whole = new Intl.NumberFormat('en-GB', { maximumFractionDigits: 0 });
const tenths = new Intl.NumberFormat('en-GB', { maximumFractionDigits: 1 });
const millionths = new Intl.NumberFormat('en-GB', { maximumFractionDigits: 6 });

/** `12,345`. */
export const count = (value: number): string => whole.format(value);

/** A number of the configuration, or a product of such: `0.3`, where arithmetic in binary says 0.30000000000000004. */
export const amount = (value: number): string => millionths.format(value);

/** A rate: tenths below ten, else whole. */
export const rate = (value: number): string => (value < 10 ? tenths : whole).format(value);

/** A share of a whole: `12.5 %`; `–` of nothing. */
export function share(part: number, all: number): string {
  return all === 0 ? '–' : `${tenths.format((100 * part) / all)} %`;
}

/** `1 block`, `2 blocks`. */
export function counted(value: number, noun: string): string {
  return `${count(value)} ${noun}${value === 1 ? '' : 's'}`;
}

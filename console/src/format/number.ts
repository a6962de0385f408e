const whole = new Intl.NumberFormat('en-GB', { maximumFractionDigits: 0 });
const tenths = new Intl.NumberFormat('en-GB', { maximumFractionDigits: 1 });

/** `12,345`. */
export const count = (value: number): string => whole.format(value);

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

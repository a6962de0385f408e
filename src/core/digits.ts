const threeDigits = Array.from({ length: 1_000 }, (_, number) => String(number).padStart(3, '0'));

/** The digits of a whole number from 0 to 999, with zeros in front. */
export const threeDigitsOf = (number: number): string => threeDigits[number] as string;

/**
 * As `String` has it, for numbers that grow from one call to the next, such as times: all but the last three digits are those
 * of a moment ago, which V8 remembers. One that it has not written lately takes it four times as long, and is remembered
 * for a while, with all others.
 */
export function digitsOf(number: number): string {
  if (number < 1_000 || !Number.isSafeInteger(number)) return String(number);
  const thousands = Math.floor(number / 1_000);
  return String(thousands) + threeDigitsOf(number - 1_000 * thousands);
}

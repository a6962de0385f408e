import { InvalidArgumentError } from 'commander';
import { isWhole, wholeWords } from '../core/amounts.ts';

/** How an option that takes digits is read. Neither 1e3 nor 0x10 is meant by anybody who counts. */
export function wholeNumber(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^\d+$/.test(text) && isWhole(value, least, most)) return value;
    throw new InvalidArgumentError(`It must be ${wholeWords(least, most)}.`);
  };
}

import { describe, expect, it } from 'vitest';
import { openFilesIn } from './open-files.ts';

const limits = (most: string) =>
  `Limit                     Soft Limit           Hard Limit           Units     \nMax processes             96280                96280                processes \nMax open files            ${most}                 524288               files     \n`;

describe('how many files may be open', () => {
  it.each([
    [limits('1024'), 1_024],
    [limits('unlimited'), null],
    ['', null],
  ])('is read off the limits of a process', (text, most) => {
    expect(openFilesIn(text)).toBe(most);
  });
});

import { createCell } from './cell.ts';

/** The same width as in the style sheets, which hide columns there. */
const narrow = matchMedia('(max-width: 560px)');

/** Whether the window is as narrow as a phone. */
export const isPhone = createCell(narrow.matches);

narrow.addEventListener('change', () => isPhone.set(narrow.matches));

/** The text of bytes that are given as characters (latin1). */
export const utf8Of = (bytes: string): string => Buffer.from(bytes, 'latin1').toString('utf8');

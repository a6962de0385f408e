import { measureRecordSizes } from './record-sizes.ts';

/** Measured while this module loads: drivers that are loaded later would find the loader gone. */
export const results = await measureRecordSizes(Number(process.argv[2] ?? 10_000));
